# What the build needs and how it is found. third_party/README.md has versions and licences; tools/install_dependencies.sh
# installs all of it on Debian 12.
include_guard(GLOBAL)

set(ASTITCH_MISSING "")
macro(astitch_require name package)
  find_package(${name} ${ARGN} QUIET)
  if(NOT ${name}_FOUND)
    list(APPEND ASTITCH_MISSING ${package})
  endif()
endmacro()

astitch_require(absl libabsl-dev CONFIG)
astitch_require(LLVM llvm-22-dev 22.1 CONFIG HINTS /usr/lib/llvm-22/lib/cmake/llvm)
# Debian's package of oneDNN asks for OpenCL's development files, which the CPU engine does not need: found by hand.
find_path(DNNL_INCLUDE_DIR dnnl.hpp)
find_library(DNNL_LIBRARY dnnl)
if(DNNL_INCLUDE_DIR AND DNNL_LIBRARY)
  add_library(astitch_onednn INTERFACE)
  target_include_directories(astitch_onednn SYSTEM INTERFACE ${DNNL_INCLUDE_DIR})
  target_link_libraries(astitch_onednn INTERFACE ${DNNL_LIBRARY})
  install(TARGETS astitch_onednn EXPORT astitch_runtime)
else()
  list(APPEND ASTITCH_MISSING libdnnl-dev)
endif()
astitch_require(ZLIB zlib1g-dev)
astitch_require(nlohmann_json nlohmann-json3-dev CONFIG)
astitch_require(CLI11 libcli11-dev CONFIG)
if(ASTITCH_BUILD_TESTS)
  astitch_require(GTest libgtest-dev CONFIG)
endif()
astitch_require(benchmark libbenchmark-dev CONFIG)
find_package(Threads REQUIRED)

if(ASTITCH_MISSING)
  list(JOIN ASTITCH_MISSING " " missing)
  message(FATAL_ERROR "astitch: missing ${missing}; get it with: tools/install_dependencies.sh "
                      "(or: apt-get install ${missing})")
endif()

# LLVM as one private interface target; the shared library by default, since static links are slow.
add_library(astitch_llvm INTERFACE)
target_include_directories(astitch_llvm SYSTEM INTERFACE ${LLVM_INCLUDE_DIRS})
separate_arguments(astitch_llvm_definitions NATIVE_COMMAND "${LLVM_DEFINITIONS}")
# Without meaning in C++20 on glibc; but they keep GCC from taking a header precompiled without them.
list(FILTER astitch_llvm_definitions EXCLUDE REGEX "__STDC_.*_MACROS|_GLIBCXX_USE_CXX11_ABI=1")
target_compile_definitions(astitch_llvm INTERFACE ${astitch_llvm_definitions})
target_link_libraries(astitch_llvm INTERFACE LLVM)
install(TARGETS astitch_llvm EXPORT astitch_compiler)
