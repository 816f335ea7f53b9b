# Installs one component, with the one it needs, into an empty folder, then configures, builds and
# runs a project against it.
function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}: ${result}\n${output}")
  endif()
endfunction()

file(REMOVE_RECURSE ${WORK_DIR})
set(components ${COMPONENT})
if(COMPONENT STREQUAL "compiler")
  list(PREPEND components runtime)
endif()
foreach(component IN LISTS components)
  run(${CMAKE_COMMAND} --install ${BUILD_DIR} --component ${component} --prefix ${WORK_DIR}/prefix)
endforeach()
run(${CMAKE_COMMAND} -G ${GENERATOR} -S ${CONSUMER} -B ${WORK_DIR}/build -DCMAKE_PREFIX_PATH=${WORK_DIR}/prefix
    -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${FLAGS} -DWANTED_VERSION=${VERSION})
run(${CMAKE_COMMAND} --build ${WORK_DIR}/build)
run(${WORK_DIR}/build/consumer)

# The runtime stands without LLVM.
if(COMPONENT STREQUAL "runtime")
  file(GLOB_RECURSE libraries ${WORK_DIR}/prefix/*.a ${WORK_DIR}/prefix/*.so)
  if(NOT libraries)
    message(FATAL_ERROR "nothing was installed")
  endif()
  execute_process(COMMAND ldd ${WORK_DIR}/build/consumer OUTPUT_VARIABLE needed)
  if(needed MATCHES "LLVM")
    message(FATAL_ERROR "the runtime links LLVM:\n${needed}")
  endif()
endif()
