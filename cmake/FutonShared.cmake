# SPDX-License-Identifier: MIT
# What a shared library exports, and by which name programs load it. See docs/decisions/0036-exports.md.

include(CheckLinkerFlag)

# Before 1.0 a minor version may break the ABI.
if(PROJECT_VERSION_MAJOR EQUAL 0)
    set(futon_soversion ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
else()
    set(futon_soversion ${PROJECT_VERSION_MAJOR})
endif()
set_target_properties(futon PROPERTIES VERSION ${PROJECT_VERSION} SOVERSION ${futon_soversion})

# A static library hides everything. Otherwise the functions of a program that exports its names, linked with -rdynamic, would
# replace the functions of a plugin's copy, which may be of another version.
# futon's own tests need the inside of a shared library.
get_target_property(futon_library_type futon TYPE)
if(NOT futon_library_type STREQUAL "SHARED_LIBRARY" OR NOT FUTON_DEVELOP)
    set_target_properties(futon PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
endif()
set(futon_pc_cflags)
if(NOT futon_library_type STREQUAL "SHARED_LIBRARY")
    target_compile_definitions(futon PUBLIC FUTON_STATIC)
    set(futon_pc_cflags " -DFUTON_STATIC")
endif()
if(FUTON_CHECKED)
    string(APPEND futon_pc_cflags " -DFUTON_CHECKED")
endif()
if(futon_library_type STREQUAL "SHARED_LIBRARY" AND NOT FUTON_DEVELOP)
    # Templates of the standard library are visible whatever the compiler is told. Here they become local, and each exported
    # name gets the version of the ABI: two versions of the library in one process do not mix.
    set(futon_version_script ${CMAKE_CURRENT_BINARY_DIR}/futon.map)
    configure_file(packaging/futon.map.in ${futon_version_script} @ONLY)
    check_linker_flag(CXX -Wl,--version-script=${futon_version_script} FUTON_LINKER_HAS_VERSION_SCRIPTS)
    if(FUTON_LINKER_HAS_VERSION_SCRIPTS)
        target_link_options(futon PRIVATE -Wl,--version-script=${futon_version_script})
        set_property(TARGET futon APPEND PROPERTY LINK_DEPENDS ${futon_version_script})
    endif()
endif()
