# SPDX-License-Identifier: MIT
# Debian's MinGW, with POSIX threads: the other one's library has no std::thread. What it makes runs under Wine; a static program
# needs no libraries there.
set(CMAKE_SYSTEM_NAME Windows)
set(CMAKE_SYSTEM_PROCESSOR x86_64)
set(CMAKE_C_COMPILER x86_64-w64-mingw32-gcc-posix)
set(CMAKE_CXX_COMPILER x86_64-w64-mingw32-g++-posix)
set(CMAKE_RC_COMPILER x86_64-w64-mingw32-windres)
set(CMAKE_EXE_LINKER_FLAGS_INIT -static)
set(CMAKE_CROSSCOMPILING_EMULATOR ${CMAKE_CURRENT_LIST_DIR}/../../scripts/wine)
# The headers of Asio and libuv are the same for all systems; the others in their folder are not.
foreach(library asio uv)
    set(folder ${CMAKE_BINARY_DIR}/${library})
    if(EXISTS /usr/include/${library} AND NOT EXISTS ${folder})
        file(MAKE_DIRECTORY ${folder})
        file(GLOB headers /usr/include/${library} /usr/include/${library}.h*)
        foreach(header IN LISTS headers)
            get_filename_component(name ${header} NAME)
            file(CREATE_LINK ${header} ${folder}/${name} SYMBOLIC)
        endforeach()
    endif()
endforeach()
set(FUTON_ASIO_INCLUDE_DIR ${CMAKE_BINARY_DIR}/asio CACHE PATH "")
set(FUTON_UV_INCLUDE_DIR ${CMAKE_BINARY_DIR}/uv CACHE PATH "libuv's headers, where there is no libuv to link")

# Not those of the machine that builds.
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
