# Headers parsed once a build and not once a file: a file of ours spends two to four of its four to seven seconds on those of
# the standard library, Abseil, LLVM and GoogleTest. From cold that saves a third of the build; ccache does better where its cache is
# warm and shares less with these, so they are on where ccache is not. Headers of our own stay out: a change in one would
# build everything again. Sources include what they use all the same; a build with ccache checks that.
include_guard(GLOBAL)

set(ASTITCH_STANDARD_HEADERS
    <algorithm> <array> <cmath> <cstdint> <cstring> <functional> <limits> <map> <memory> <optional> <ostream> <string>
    <utility> <variant> <vector>
    <absl/container/flat_hash_map.h> <absl/container/flat_hash_set.h> <absl/functional/function_ref.h>
    <absl/status/status.h> <absl/status/statusor.h> <absl/strings/str_cat.h> <absl/strings/str_join.h>
    <absl/strings/string_view.h> <absl/types/span.h>)
set(ASTITCH_LLVM_HEADERS <llvm/IR/IRBuilder.h> <llvm/IR/Module.h>)
set(ASTITCH_TEST_HEADERS <gmock/gmock.h> <gtest/gtest.h>)

# The options of a precompiled header must be those of the sources that take it: -fPIC of libraries, -fPIE of executables.
function(astitch_precompile_headers)
  if(NOT ASTITCH_PRECOMPILE_HEADERS)
    return()
  endif()
  set(source ${CMAKE_CURRENT_BINARY_DIR}/precompiled.cc)
  file(CONFIGURE OUTPUT ${source} CONTENT "int main() {}\n")
  add_library(astitch_headers OBJECT EXCLUDE_FROM_ALL ${source})
  target_link_libraries(astitch_headers PRIVATE absl::flat_hash_map absl::statusor)
  target_precompile_headers(astitch_headers PRIVATE ${ASTITCH_STANDARD_HEADERS})
  add_library(astitch_llvm_headers OBJECT EXCLUDE_FROM_ALL ${source})
  target_link_libraries(astitch_llvm_headers PRIVATE absl::flat_hash_map absl::statusor astitch_llvm)
  target_precompile_headers(astitch_llvm_headers PRIVATE ${ASTITCH_STANDARD_HEADERS} ${ASTITCH_LLVM_HEADERS})
  foreach(target astitch_headers astitch_llvm_headers)
    astitch_compile_options(${target})
  endforeach()
  if(ASTITCH_BUILD_TESTS)
    add_executable(astitch_test_headers EXCLUDE_FROM_ALL ${source})
    target_link_libraries(astitch_test_headers PRIVATE absl::flat_hash_map absl::statusor GTest::gmock)
    target_precompile_headers(astitch_test_headers PRIVATE ${ASTITCH_STANDARD_HEADERS} ${ASTITCH_TEST_HEADERS})
    astitch_compile_options(astitch_test_headers)
    astitch_test_options(astitch_test_headers)
  endif()
endfunction()

# TARGET takes the headers of one of the three: astitch_headers, astitch_llvm_headers, astitch_test_headers.
function(astitch_use_precompiled_headers target headers)
  if(ASTITCH_PRECOMPILE_HEADERS)
    target_precompile_headers(${target} REUSE_FROM ${headers})
  endif()
endfunction()
