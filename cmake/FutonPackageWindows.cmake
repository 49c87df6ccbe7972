# SPDX-License-Identifier: MIT
# CPack: a zip archive and an installer (NSIS) for Windows, of the static library. `./dev package-windows` calls it.

if(NOT FUTON_INSTALL)
    message(FATAL_ERROR "FUTON_PACKAGE: there is nothing to package without FUTON_INSTALL")
endif()

set(CPACK_PACKAGE_NAME futon)
set(CPACK_PACKAGE_VENDOR "the futon authors")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_CURRENT_SOURCE_DIR}/LICENSE)
set(CPACK_PACKAGE_CHECKSUM SHA256)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_COMPONENTS_ALL development docs)
# A static library fits the compiler that made it.
string(TOLOWER ${CMAKE_CXX_COMPILER_ID} compiler)
if(MINGW AND compiler STREQUAL gnu)
    set(compiler mingw)
endif()
set(CPACK_PACKAGE_FILE_NAME futon-${PROJECT_VERSION}-windows-${CMAKE_SYSTEM_PROCESSOR}-${compiler})

set(CPACK_GENERATOR ZIP NSIS)
set(CPACK_PACKAGE_INSTALL_DIRECTORY futon)
set(CPACK_NSIS_PACKAGE_NAME futon)
set(CPACK_NSIS_DISPLAY_NAME "futon ${PROJECT_VERSION}")
# What builds for 64 bits runs on 64 bits: the installer needs none of 32.
if(CMAKE_SIZEOF_VOID_P EQUAL 8 AND CMAKE_HOST_SYSTEM_NAME STREQUAL Linux)
    set(CPACK_NSIS_EXECUTABLE ${CMAKE_CURRENT_SOURCE_DIR}/packaging/makensis)
endif()

include(CPack)
