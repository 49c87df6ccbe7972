# SPDX-License-Identifier: MIT
# For addons of Node that wait and notify on the words of JavaScript. From their CMakeLists.txt:
#
#     execute_process(COMMAND node -p "require('futon/package.json') && require.resolve('futon/futon_addon.cmake')"
#                     OUTPUT_VARIABLE futon_addon OUTPUT_STRIP_TRAILING_WHITESPACE)
#     include(${futon_addon})
#     target_link_libraries(my_addon PRIVATE futon::addon)
#     futon_find_node_headers(NODE_INCLUDE_DIRS)
#
# The target is the library itself and `futon/addon.h`. It is linked into each addon; all of them share one table of
# wait queues with the package.

# The library's sources: beside the package in the repository, within it when it was packed.
get_filename_component(FUTON_SOURCE_DIR ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
if(NOT EXISTS ${FUTON_SOURCE_DIR}/include/futon/futon.hpp)
    set(FUTON_SOURCE_DIR ${CMAKE_CURRENT_LIST_DIR}/library)
endif()

if(NOT TARGET futon)
    set(BUILD_SHARED_LIBS OFF)
    set(futon_diagnostics_publishes ON)
    add_subdirectory(${FUTON_SOURCE_DIR} ${CMAKE_CURRENT_BINARY_DIR}/library EXCLUDE_FROM_ALL)
    set_target_properties(futon PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    if(TARGET futon_diagnostics)
        set_target_properties(futon_diagnostics PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    endif()
endif()

if(NOT TARGET futon::addon)
    add_library(futon_addon INTERFACE)
    add_library(futon::addon ALIAS futon_addon)
    target_link_libraries(futon_addon INTERFACE futon)
    target_include_directories(futon_addon INTERFACE ${CMAKE_CURRENT_LIST_DIR}/include)
    # Node unloads an addon with the last worker that loaded it; but threads of others may be waking one of its waiters.
    target_link_options(futon_addon INTERFACE LINKER:-z,nodelete)
endif()

# Sets `result` to the folders of node_api.h and uv.h: of NODE_INCLUDE_DIR, of npm's `nodedir`, of the running Node, of the
# system, or of node_modules. Those of the running Node's version come first. Headers of another version stop it, for
# V8 differs from version to version; with ANY_NODE, for addons that use N-API alone, FUTON_NODE_HEADERS_MATCH says so instead.
function(futon_find_node_headers result)
    cmake_parse_arguments(PARSE_ARGV 1 arg ANY_NODE "" "")
    find_program(FUTON_NODE node REQUIRED)
    execute_process(COMMAND ${FUTON_NODE} -p "require('path').resolve(process.execPath, '../../include/node')"
                    OUTPUT_VARIABLE of_node OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND ${FUTON_NODE} -p "process.versions.modules"
                    OUTPUT_VARIABLE modules OUTPUT_STRIP_TRAILING_WHITESPACE)
    set(places ${NODE_INCLUDE_DIR} $ENV{npm_config_nodedir}/include/node ${of_node} /usr/include/node
        /usr/include/nodejs/src /usr/include/nodejs/deps/uv/include)
    set(matching)
    if(NOT NODE_INCLUDE_DIR)
        foreach(place ${places})
            futon_node_modules_of(${place} found_modules)
            if(found_modules STREQUAL modules)
                list(APPEND matching ${place})
            endif()
        endforeach()
    endif()
    unset(FUTON_NODE_API_INCLUDE_DIR CACHE)  # which may be of another Node
    unset(FUTON_UV_INCLUDE_DIR CACHE)
    find_path(FUTON_NODE_API_INCLUDE_DIR node_api.h
              HINTS ${matching} ${places} ${CMAKE_CURRENT_SOURCE_DIR}/node_modules/node-api-headers/include)
    find_path(FUTON_UV_INCLUDE_DIR uv.h HINTS ${matching} ${places})
    if(NOT FUTON_NODE_API_INCLUDE_DIR)
        message(FATAL_ERROR "There is no node_api.h. It comes with Node (include/node), with Debian's libnode-dev, or "
                            "with npm's node-api-headers; -DNODE_INCLUDE_DIR=... says where it is.")
    endif()
    if(NOT FUTON_UV_INCLUDE_DIR)
        message(FATAL_ERROR "There is no uv.h. It comes with Node (include/node) or with Debian's libuv1-dev; "
                            "-DNODE_INCLUDE_DIR=... says where it is.")
    endif()
    futon_node_modules_of(${FUTON_NODE_API_INCLUDE_DIR} found_modules)
    if(found_modules STREQUAL modules)
        set(FUTON_NODE_HEADERS_MATCH ON PARENT_SCOPE)
    else()
        set(FUTON_NODE_HEADERS_MATCH OFF PARENT_SCOPE)
        if(NOT arg_ANY_NODE)
            message(FATAL_ERROR "The headers in ${FUTON_NODE_API_INCLUDE_DIR} are of another Node (NODE_MODULE_VERSION "
                                "'${found_modules}') than ${FUTON_NODE} (${modules}), and futon/addon.h uses V8. Say where "
                                "this Node's headers are, -DNODE_INCLUDE_DIR=.../include/node, or which Node is meant, "
                                "-DFUTON_NODE=.../bin/node.")
        endif()
    endif()
    set(found ${FUTON_NODE_API_INCLUDE_DIR} ${FUTON_UV_INCLUDE_DIR})
    list(REMOVE_DUPLICATES found)
    set(${result} ${found} PARENT_SCOPE)
endfunction()

# Sets `result` to the version of V8's and Node's interfaces that the headers of a folder have; to nothing if it has none.
function(futon_node_modules_of folder result)
    set(line)
    if(EXISTS ${folder}/node_version.h)
        file(STRINGS ${folder}/node_version.h line REGEX "define NODE_MODULE_VERSION [0-9]+")
    endif()
    string(REGEX MATCH "[0-9]+" number "${line}")
    set(${result} "${number}" PARENT_SCOPE)
endfunction()
