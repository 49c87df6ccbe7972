# SPDX-License-Identifier: MIT
# The commands for gdb. They are sourced by hand; of a shared library gdb loads them by itself, if the prefix is gdb's own.

install(FILES ${CMAKE_CURRENT_SOURCE_DIR}/tools/gdb/futon-gdb.py
        DESTINATION ${CMAKE_INSTALL_DATADIR}/futon/gdb COMPONENT development)
install(DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}/tools/gdb/futon_gdb
        DESTINATION ${CMAKE_INSTALL_DATADIR}/futon/gdb COMPONENT development
        FILES_MATCHING PATTERN "*.py" PATTERN __pycache__ EXCLUDE)

# gdb looks for a script named after the library's file, in a folder that repeats the path of the library's folder. So the script
# is installed for the installation's prefix, which may differ from the build's.
get_target_property(futon_library_type futon TYPE)
if(futon_library_type STREQUAL "SHARED_LIBRARY" AND CMAKE_EXECUTABLE_FORMAT STREQUAL "ELF")
    install(CODE "
        set(libdir \"${CMAKE_INSTALL_LIBDIR}\")
        set(datadir \"${CMAKE_INSTALL_DATADIR}\")
        foreach(folder libdir datadir)
            if(NOT IS_ABSOLUTE \"\${\${folder}}\")
                set(\${folder} \"\${CMAKE_INSTALL_PREFIX}/\${\${folder}}\")
            endif()
        endforeach()
        file(INSTALL DESTINATION \"\${datadir}/gdb/auto-load\${libdir}\" TYPE FILE
             RENAME \"$<TARGET_FILE_NAME:futon>-gdb.py\" FILES \"${CMAKE_CURRENT_SOURCE_DIR}/tools/gdb/auto-load.py\")"
        COMPONENT development)
endif()
