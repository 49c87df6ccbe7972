# SPDX-License-Identifier: MIT
# Folders that were given as absolute paths are where futon is installed, and where pkg-config and CMake say it is.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${work_dir})
# Outside of the sources: CMake refuses headers that are installed into them.
execute_process(COMMAND mktemp -d OUTPUT_VARIABLE elsewhere OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
set(libraries ${elsewhere}/libraries)
set(headers ${elsewhere}/headers)
run(${CMAKE_COMMAND} -S ${source_dir} -B ${work_dir}/build -G ${generator} -DCMAKE_CXX_COMPILER=${compiler}
    -DCMAKE_CXX_COMPILER_LAUNCHER=${launcher} -DFUTON_PLATFORM=${platform} -DCMAKE_BUILD_TYPE=Release
    -DBUILD_SHARED_LIBS=ON -DCMAKE_INSTALL_PREFIX=${work_dir}/prefix -DCMAKE_INSTALL_LIBDIR=${libraries}
    -DCMAKE_INSTALL_INCLUDEDIR=${headers})
run(${CMAKE_COMMAND} --build ${work_dir}/build)
run(${CMAKE_COMMAND} --install ${work_dir}/build)
foreach(file ${libraries}/libfuton.so ${libraries}/pkgconfig/futon.pc ${headers}/futon/futon.hpp)
    if(NOT EXISTS ${file})
        message(FATAL_ERROR "there is no ${file}")
    endif()
endforeach()

set(consumer ${CMAKE_CURRENT_LIST_DIR}/consumer)
run(${CMAKE_COMMAND} -S ${consumer} -B ${work_dir}/find_package -G ${generator} -DCMAKE_CXX_COMPILER=${compiler}
    -Dfuton_DIR=${libraries}/cmake/futon)
run(${CMAKE_COMMAND} --build ${work_dir}/find_package)
run(${work_dir}/find_package/consumer)

find_program(pkg_config pkg-config)
if(pkg_config)
    foreach(variable libdir includedir)
        execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${libraries}/pkgconfig
                                ${pkg_config} --variable=${variable} futon
                        OUTPUT_VARIABLE ${variable} OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    endforeach()
    if(NOT libdir STREQUAL libraries OR NOT includedir STREQUAL headers)
        message(FATAL_ERROR "pkg-config says ${libdir} and ${includedir}, and not ${libraries} and ${headers}")
    endif()
    execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${libraries}/pkgconfig
                            ${pkg_config} --cflags --libs futon
                    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(flags)
    run(${compiler} -std=c++20 ${consumer}/main.cpp ${flags} -Wl,-rpath,${libraries} -o ${work_dir}/by_pkg_config)
    run(${work_dir}/by_pkg_config)
endif()
file(REMOVE_RECURSE ${elsewhere})
