# SPDX-License-Identifier: MIT
# `cmake --install`, for find_package(futon) and for pkg-config.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

install(TARGETS futon EXPORT futon-targets INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# A probe's and a platform's own headers are installed in the place of those of the same names: those are left out, for of
# two files of about the same age the second would not be installed.
set(replaced)
foreach(folder IN LISTS futon_replacing_headers)
    install(DIRECTORY ${folder}/futon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    file(GLOB_RECURSE headers RELATIVE ${folder} CONFIGURE_DEPENDS ${folder}/*.hpp)
    foreach(header IN LISTS headers)
        list(APPEND replaced REGEX "/${header}$" EXCLUDE)
    endforeach()
endforeach()
install(DIRECTORY include/futon DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} ${replaced})
install(EXPORT futon-targets NAMESPACE futon:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/futon)

write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/futon-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
configure_package_config_file(packaging/futon-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/futon-config.cmake
                              INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/futon)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/futon-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/futon-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/futon)

# Relative, so that the installed tree can be moved.
file(RELATIVE_PATH futon_prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(packaging/futon.pc.in ${CMAKE_CURRENT_BINARY_DIR}/futon.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/futon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

include(FutonGdb)
