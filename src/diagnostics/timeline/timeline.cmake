# SPDX-License-Identifier: MIT
# Sets futon_timeline_source to the source that the build makes of the timeline's page. A target that compiles it must be defined
# in the folder that includes this file.

set(futon_timeline_source ${CMAKE_CURRENT_BINARY_DIR}/futon_timeline_data.cpp)
file(GLOB futon_timeline_parts CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/*.html ${CMAKE_CURRENT_LIST_DIR}/*.css
     ${CMAKE_CURRENT_LIST_DIR}/*.js)
add_custom_command(OUTPUT ${futon_timeline_source}
    COMMAND ${CMAKE_COMMAND} -DFOLDER=${CMAKE_CURRENT_LIST_DIR} -DOUTPUT=${futon_timeline_source}
            -P ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
    DEPENDS ${futon_timeline_parts} ${CMAKE_CURRENT_LIST_DIR}/embed.cmake
    COMMENT "Making the source of the timeline's page" VERBATIM)
