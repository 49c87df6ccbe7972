# SPDX-License-Identifier: MIT
# Run by ctest; see CMakeLists.txt for the variables.

function(run)
    execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE output ERROR_VARIABLE output)
    if(NOT result EQUAL 0)
        list(JOIN ARGV " " command)
        message(FATAL_ERROR "${command}\n${output}")
    endif()
endfunction()

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
    run(${emulator} ${work_dir}/${way}/consumer)
endforeach()

find_program(pkg_config pkg-config)
if(pkg_config)
    file(GLOB_RECURSE pc_file ${prefix}/*/futon.pc)
    get_filename_component(pc_dir ${pc_file} DIRECTORY)
    execute_process(COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${pc_dir}
                            ${pkg_config} --cflags --libs futon
                    OUTPUT_VARIABLE pc_flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
    separate_arguments(pc_flags)
    separate_arguments(link_flags)
    run(${compiler} -std=c++20 ${flags} ${consumer}/main.cpp ${pc_flags} ${link_flags} -o ${work_dir}/by_pkg_config)
    run(${emulator} ${work_dir}/by_pkg_config)
endif()
