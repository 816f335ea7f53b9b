# One call a folder: astitch_library(ir SRCS a.cc DEPS base PUBLIC absl::status PRIVATE LLVM HEADERS astitch/shape.h)
#
#   SRCS      sources of the folder, sorted
#   DEPS      other folders, by name; the arrows of ARCHITECTURE.md, nothing else links
#   PUBLIC    libraries that the folder's headers name; PRIVATE: those that only its sources name
#   HEADERS   the public headers in include/ that belong to this folder
#   COMPONENT the install component: runtime (no LLVM below) or compiler
include_guard(GLOBAL)

include(PrecompiledHeaders)

find_program(ASTITCH_CCACHE ccache)
if(ASTITCH_CCACHE)
  set(precompile_headers OFF)
else()
  set(precompile_headers ON)
endif()
option(ASTITCH_PRECOMPILE_HEADERS "Parse the headers of the libraries once a build" ${precompile_headers})
if(ASTITCH_CCACHE AND NOT ASTITCH_PRECOMPILE_HEADERS)
  set(CMAKE_CXX_COMPILER_LAUNCHER ${ASTITCH_CCACHE})
endif()

function(astitch_compile_options target)
  # GCC 12 reports maybe-uninitialized inside StatusOr<std::string> wherever it inlines one: false, and off.
  target_compile_options(${target} PRIVATE -Wno-maybe-uninitialized -Wall -Wextra -Wno-unused-parameter -Werror=switch
                                           $<$<BOOL:${ASTITCH_WERROR}>:-Werror>)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON)
endfunction()

# Tests run briefly and are many: what their own code costs to optimize is never earned back.
function(astitch_test_options target)
  target_compile_options(${target} PRIVATE $<$<CONFIG:Release>:-O1>)
endfunction()

function(astitch_library name)
  cmake_parse_arguments(ARG "" "COMPONENT" "SRCS;DEPS;PUBLIC;PRIVATE;HEADERS" ${ARGN})
  set(target astitch_${name})
  add_library(${target} ${ARG_SRCS})
  add_library(astitch::${name} ALIAS ${target})
  set_target_properties(${target} PROPERTIES EXPORT_NAME ${name})
  astitch_compile_options(${target})
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src
                             PUBLIC $<BUILD_INTERFACE:${PROJECT_SOURCE_DIR}/include>
                                    $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(${target} PUBLIC astitch::${dep})
  endforeach()
  target_link_libraries(${target} PUBLIC ${ARG_PUBLIC} PRIVATE ${ARG_PRIVATE})
  if("astitch_llvm" IN_LIST ARG_PRIVATE)
    astitch_use_precompiled_headers(${target} astitch_llvm_headers)
  else()
    astitch_use_precompiled_headers(${target} astitch_headers)
  endif()
  if(ARG_HEADERS)
    list(TRANSFORM ARG_HEADERS PREPEND ${PROJECT_SOURCE_DIR}/include/)
    target_sources(${target} PUBLIC FILE_SET HEADERS BASE_DIRS ${PROJECT_SOURCE_DIR}/include
                                    FILES ${ARG_HEADERS})
  endif()
  if(NOT ARG_COMPONENT)
    set(ARG_COMPONENT compiler)
  endif()
  set(headers "")
  if(ARG_HEADERS)
    set(headers FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${ARG_COMPONENT})
  endif()
  install(TARGETS ${target} EXPORT astitch_${ARG_COMPONENT}
          ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${ARG_COMPONENT}
          LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${ARG_COMPONENT}
          ${headers})
endfunction()

# A tool in build/bin: astitch_tool(astitch-run SRCS run.cc DEPS compile PRIVATE CLI11::CLI11)
function(astitch_tool name)
  cmake_parse_arguments(ARG "" "" "SRCS;DEPS;PRIVATE" ${ARGN})
  add_executable(${name} ${ARG_SRCS})
  astitch_compile_options(${name})
  target_include_directories(${name} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(${name} PRIVATE astitch::${dep})
  endforeach()
  target_link_libraries(${name} PRIVATE ${ARG_PRIVATE})
  install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endfunction()

# A GoogleTest binary: astitch_test(ir_shape SRCS shape_test.cc DEPS ir LABELS unit)
function(astitch_test name)
  cmake_parse_arguments(ARG "" "TIMEOUT" "SRCS;DEPS;PRIVATE;LABELS" ${ARGN})
  set(target test_${name})
  add_executable(${target} ${ARG_SRCS})
  astitch_compile_options(${target})
  astitch_test_options(${target})
  astitch_use_precompiled_headers(${target} astitch_test_headers)
  target_include_directories(${target} PRIVATE ${PROJECT_SOURCE_DIR}/src ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${target} PRIVATE
    ASTITCH_TEST_DATA="${PROJECT_SOURCE_DIR}/tests/data" ASTITCH_BIN_DIR="${CMAKE_BINARY_DIR}/bin"
    ASTITCH_SOURCE_DIR="${PROJECT_SOURCE_DIR}")
  foreach(dep IN LISTS ARG_DEPS)
    target_link_libraries(${target} PRIVATE astitch::${dep})
  endforeach()
  target_link_libraries(${target} PRIVATE ${ARG_PRIVATE} GTest::gmock GTest::gtest_main)
  add_test(NAME ${name} COMMAND ${target})
  if(NOT ARG_LABELS)
    set(ARG_LABELS unit)
  endif()
  set_tests_properties(${name} PROPERTIES LABELS "${ARG_LABELS}")
  if(ARG_TIMEOUT)
    set_tests_properties(${name} PROPERTIES TIMEOUT ${ARG_TIMEOUT})
  endif()
endfunction()
