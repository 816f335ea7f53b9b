# The installed package: find_package(astitch COMPONENTS runtime) on a machine without LLVM, COMPONENTS compiler
# with it. One set of exported targets and one install component each; the compiler's needs the runtime's.
include_guard(GLOBAL)
include(CMakePackageConfigHelpers)

set(ASTITCH_CONFIG_DIR ${CMAKE_INSTALL_LIBDIR}/cmake/astitch)
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/astitchConfig.cmake.in
                              ${PROJECT_BINARY_DIR}/astitchConfig.cmake
                              INSTALL_DESTINATION ${ASTITCH_CONFIG_DIR})
# Before 1.0 a minor version may change anything.
write_basic_package_version_file(${PROJECT_BINARY_DIR}/astitchConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/astitchConfig.cmake ${PROJECT_BINARY_DIR}/astitchConfigVersion.cmake
        DESTINATION ${ASTITCH_CONFIG_DIR} COMPONENT runtime)
foreach(component runtime compiler)
  install(EXPORT astitch_${component} NAMESPACE astitch:: FILE astitch-${component}.cmake
          DESTINATION ${ASTITCH_CONFIG_DIR} COMPONENT ${component})
endforeach()
