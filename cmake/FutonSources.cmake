# SPDX-License-Identifier: MIT
# The library's sources by their parts, as src/sources.txt lists them.

# Sets PREFIX_PART_sources for each part that has sources on a platform that stands on these folders.
function(futon_list_sources prefix)
    set(list ${PROJECT_SOURCE_DIR}/src/sources.txt)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${list})
    file(STRINGS ${list} lines REGEX "^[a-z]")

    set(taken)  # the names of the platform's files
    foreach(folder IN LISTS ARGN ITEMS "")  # the rooms, which are in no folder of a platform, come last
        get_filename_component(folder "${folder}" NAME)
        foreach(line IN LISTS lines)
            string(REGEX MATCH "^([a-z_]+) (src/(platform/([a-z_]+)/)?.+)$" line "${line}")
            set(part ${CMAKE_MATCH_1})
            set(source ${CMAKE_MATCH_2})
            if(NOT "${CMAKE_MATCH_4}" STREQUAL "${folder}")
                continue()
            endif()
            get_filename_component(name ${source} NAME)
            if(NOT folder OR NOT name IN_LIST taken)
                list(APPEND found_${part} ${PROJECT_SOURCE_DIR}/${source})
                set(${prefix}_${part}_sources ${found_${part}} PARENT_SCOPE)
            endif()
            if(folder)
                list(APPEND taken ${name})
            endif()
        endforeach()
    endforeach()
endfunction()
