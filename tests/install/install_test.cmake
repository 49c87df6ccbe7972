# SPDX-License-Identifier: MIT
# Run by ctest; see CMakeLists.txt for the variables.

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

set(consumer ${CMAKE_CURRENT_LIST_DIR}/consumer)
set(prefix ${work_dir}/prefix)
separate_arguments(flags UNIX_COMMAND "${compile_flags}")
if(sanitize)
    list(APPEND flags -fsanitize=${sanitize})
endif()
list(JOIN flags " " flags_of_cmake)
file(REMOVE_RECURSE ${work_dir})

run(${CMAKE_COMMAND} --install ${build_dir} --prefix ${prefix})

# What the platform answers must be what the library was compiled with.
file(GLOB_RECURSE own_headers RELATIVE ${source_dir}/src/platform/${platform}/include
     ${source_dir}/src/platform/${platform}/include/*.hpp)
foreach(header IN LISTS own_headers)
    run(${CMAKE_COMMAND} -E compare_files ${source_dir}/src/platform/${platform}/include/${header}
        ${prefix}/include/${header})
endforeach()

foreach(way find_package add_subdirectory)
    run(${CMAKE_COMMAND} -S ${consumer} -B ${work_dir}/${way} -G ${generator}
        -DCMAKE_TOOLCHAIN_FILE=${toolchain} -DCMAKE_CXX_COMPILER=${compiler}
        "-DCMAKE_CXX_FLAGS=${flags_of_cmake}" "-DCMAKE_EXE_LINKER_FLAGS=${link_flags}"
        -DCMAKE_PREFIX_PATH=${prefix} -DWAY=${way} -DFUTON_SOURCE_DIR=${source_dir} -DFUTON_PLATFORM=${platform})
    run(${CMAKE_COMMAND} --build ${work_dir}/${way})
    run(${emulator} ${work_dir}/${way}/consumer${suffix})
endforeach()

# What a project takes along is not installed with it.
run(${CMAKE_COMMAND} --install ${work_dir}/add_subdirectory --prefix ${work_dir}/of_consumer)
installed_files(files ${work_dir}/of_consumer)
if(NOT files STREQUAL "bin/consumer${suffix}")
    message(FATAL_ERROR "the project that has futon as a part installs ${files}")
endif()

find_program(pkg_config pkg-config)
if(pkg_config)
    file(GLOB_RECURSE pc_file ${prefix}/*/futon.pc)
    get_filename_component(pc_dir ${pc_file} DIRECTORY)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_dir}
                            ${pkg_config} --cflags --libs futon
                    OUTPUT_VARIABLE pc_flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(pc_flags)
    separate_arguments(link_flags)
    separate_arguments(standard_libraries)
    run(${compiler} -std=c++20 ${flags} ${consumer}/main.cpp ${pc_flags} ${link_flags} ${standard_libraries}
        -o ${work_dir}/by_pkg_config${suffix})
    run(${emulator} ${work_dir}/by_pkg_config${suffix})
endif()
