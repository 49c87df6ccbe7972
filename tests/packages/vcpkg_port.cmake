# SPDX-License-Identifier: MIT
# Runs the port of packaging/vcpkg as vcpkg would, as far as that can be done without it: its functions are these, and
# do with CMake what their namesakes do. Wants source_dir, work_dir and generator.
cmake_minimum_required(VERSION 3.22)
include(${source_dir}/tests/install/run.cmake)

set(PORT futon)
set(VCPKG_TARGET_IS_LINUX ON)
set(CURRENT_PORT_DIR ${source_dir}/packaging/vcpkg/futon)
set(CURRENT_PACKAGES_DIR ${work_dir}/packages)
set(CURRENT_BUILDTREES_DIR ${work_dir}/buildtrees)

function(vcpkg_cmake_configure)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" SOURCE_PATH OPTIONS)
    run(${CMAKE_COMMAND} -S ${arg_SOURCE_PATH} -B ${CURRENT_BUILDTREES_DIR} -G ${generator} -DCMAKE_BUILD_TYPE=Release
        -DBUILD_SHARED_LIBS=OFF -DCMAKE_INSTALL_PREFIX=${CURRENT_PACKAGES_DIR} -DCMAKE_INSTALL_LIBDIR=lib ${arg_OPTIONS})
endfunction()
function(vcpkg_cmake_install)
    run(${CMAKE_COMMAND} --build ${CURRENT_BUILDTREES_DIR} --target install)
endfunction()
function(vcpkg_cmake_config_fixup)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" CONFIG_PATH "")
    if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${arg_CONFIG_PATH}/futon-config.cmake)
        message(FATAL_ERROR "there is no configuration in ${arg_CONFIG_PATH}")
    endif()
endfunction()
function(vcpkg_fixup_pkgconfig)
    if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/lib/pkgconfig/futon.pc)
        message(FATAL_ERROR "there is no futon.pc")
    endif()
endfunction()
function(vcpkg_install_copyright)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "" FILE_LIST)
    foreach(file IN LISTS arg_FILE_LIST)
        file(INSTALL ${file} DESTINATION ${CURRENT_PACKAGES_DIR}/share/${PORT} RENAME copyright)
    endforeach()
endfunction()

include(${CURRENT_PORT_DIR}/portfile.cmake)

# What vcpkg asks of each port when it is done.
foreach(file share/futon/copyright share/futon/usage include/futon/futon.hpp lib/libfuton.a)
    if(NOT EXISTS ${CURRENT_PACKAGES_DIR}/${file})
        message(FATAL_ERROR "the port installs no ${file}")
    endif()
endforeach()
if(EXISTS ${CURRENT_PACKAGES_DIR}/share/doc)
    message(FATAL_ERROR "the port installs documents")
endif()
