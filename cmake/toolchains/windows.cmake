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
# Asio is headers alone, the same for all systems; the other headers of its folder are not.
if(EXISTS /usr/include/asio.hpp AND NOT EXISTS ${CMAKE_BINARY_DIR}/asio/asio.hpp)
    file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/asio)
    foreach(name asio asio.hpp)
        file(CREATE_LINK /usr/include/${name} ${CMAKE_BINARY_DIR}/asio/${name} SYMBOLIC)
    endforeach()
endif()
set(FUTON_ASIO_INCLUDE_DIR ${CMAKE_BINARY_DIR}/asio CACHE PATH "")

# Not those of the machine that builds.
set(CMAKE_FIND_ROOT_PATH /usr/x86_64-w64-mingw32)
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
