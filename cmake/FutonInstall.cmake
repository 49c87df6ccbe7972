# SPDX-License-Identifier: MIT
# `cmake --install`, for find_package(futon) and for pkg-config. Three components: runtime (the shared library), development
# (headers, what a program is linked with, what build systems ask), docs.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(futon_cmake_dir ${CMAKE_INSTALL_LIBDIR}/cmake/futon)
set(futon_install_targets
    TARGETS futon EXPORT futon-targets
    RUNTIME COMPONENT runtime
    LIBRARY COMPONENT runtime NAMELINK_COMPONENT development
    ARCHIVE COMPONENT development)

# A probe's and a platform's own headers replace headers of the same names, which are left out: of two files of about the same
# age the second would not be installed.
set(futon_header_folders)
set(futon_headers)
set(futon_header_names)
foreach(folder IN LISTS futon_replacing_headers ITEMS ${CMAKE_CURRENT_SOURCE_DIR}/include)
    get_filename_component(folder ${folder} ABSOLUTE)
    list(APPEND futon_header_folders ${folder})
    file(GLOB_RECURSE names RELATIVE ${folder} CONFIGURE_DEPENDS ${folder}/futon/*.hpp)
    foreach(name IN LISTS names)
        if(NOT name IN_LIST futon_header_names)
            list(APPEND futon_header_names ${name})
            list(APPEND futon_headers ${folder}/${name})
        endif()
    endforeach()
endforeach()

# As a file set where CMake has them; but of those 3.25 exports absolute folders as if they were relative.
if(CMAKE_VERSION VERSION_GREATER_EQUAL 3.23 AND NOT IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    target_sources(futon PUBLIC FILE_SET HEADERS BASE_DIRS ${futon_header_folders} FILES ${futon_headers})
    install(${futon_install_targets}
        FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development)
else()
    install(${futon_install_targets} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
    foreach(header name IN ZIP_LISTS futon_headers futon_header_names)
        get_filename_component(folder ${name} DIRECTORY)
        install(FILES ${header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/${folder} COMPONENT development)
    endforeach()
endif()

if(futon_platform_standard_headers)
    string(APPEND futon_pc_cflags " -isystem \${includedir}/futon/standard")
    target_include_directories(futon SYSTEM BEFORE PUBLIC $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}/futon/standard>)
    install(DIRECTORY ${futon_platform_standard_headers}/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/futon/standard
            COMPONENT development)
endif()

# The module, which each program's build compiles, for compilers do not share what they make of it.
if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/modules)
    install(FILES modules/futon.cppm DESTINATION ${CMAKE_INSTALL_DATADIR}/futon/modules COMPONENT development)
endif()

write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/futon-config-version.cmake
                                 COMPATIBILITY SameMinorVersion)
configure_package_config_file(packaging/futon-config.cmake.in ${CMAKE_CURRENT_BINARY_DIR}/futon-config.cmake
                              INSTALL_DESTINATION ${futon_cmake_dir} PATH_VARS CMAKE_INSTALL_DATADIR)
install(EXPORT futon-targets NAMESPACE futon:: DESTINATION ${futon_cmake_dir} COMPONENT development)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/futon-config.cmake ${CMAKE_CURRENT_BINARY_DIR}/futon-config-version.cmake
        DESTINATION ${futon_cmake_dir} COMPONENT development)

# Relative, so that the installed tree can be moved; but an absolute folder is where it is.
if(IS_ABSOLUTE "${CMAKE_INSTALL_LIBDIR}" OR IS_ABSOLUTE "${CMAKE_INSTALL_INCLUDEDIR}")
    set(futon_pc_prefix ${CMAKE_INSTALL_PREFIX})
    set(futon_pc_includedir ${CMAKE_INSTALL_FULL_INCLUDEDIR})
    set(futon_pc_libdir ${CMAKE_INSTALL_FULL_LIBDIR})
else()
    file(RELATIVE_PATH futon_prefix_from_pc /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
    set(futon_pc_prefix "\${pcfiledir}/${futon_prefix_from_pc}")
    set(futon_pc_includedir "\${prefix}/${CMAKE_INSTALL_INCLUDEDIR}")
    set(futon_pc_libdir "\${prefix}/${CMAKE_INSTALL_LIBDIR}")
endif()
set(futon_pc_libraries ${futon_atomic_flag})
if(futon_library_type STREQUAL "STATIC_LIBRARY")
    list(TRANSFORM futon_platform_libraries PREPEND -l OUTPUT_VARIABLE futon_platform_flags)
    list(APPEND futon_pc_libraries ${futon_platform_flags})
endif()
list(JOIN futon_pc_libraries " " futon_pc_libraries)
configure_file(packaging/futon.pc.in ${CMAKE_CURRENT_BINARY_DIR}/futon.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/futon.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# The licence comes with the library. What is only in the repository is left out where the sources came without it.
if(futon_library_type STREQUAL "SHARED_LIBRARY")
    set(futon_library_component runtime)
else()
    set(futon_library_component development)
endif()
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT ${futon_library_component})
if(EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/docs)
    install(FILES README.md CONTRIBUTING.md CHANGELOG.md DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs)
    install(DIRECTORY docs examples DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT docs)
endif()

include(FutonGdb)
