# SPDX-License-Identifier: MIT
# ThreadSanitizer in a program, gcc's and clang's, and an installed library that was built without it: correct programs are
# not reported, wrong ones are.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${work_dir})
run(${CMAKE_COMMAND} --install ${shared_dir} --prefix ${work_dir}/prefix)
find_program(gcc g++)
find_program(clang clang++)
foreach(name gcc clang)
    if(NOT ${name})
        message("there is no ${name}")
        continue()
    endif()
    set(program ${work_dir}/${name})
    run(${${name}} -std=c++20 -O1 -g -fsanitize=thread -I${work_dir}/prefix/include
        ${CMAKE_CURRENT_LIST_DIR}/race_detector/client.cpp -L${work_dir}/prefix/lib -lfuton
        -Wl,-rpath,${work_dir}/prefix/lib -pthread -o ${program})
    run(${CMAKE_COMMAND} -E env TSAN_OPTIONS=exitcode=66 ${program})
    foreach(wrong race order)
        execute_process(COMMAND ${CMAKE_COMMAND} -E env TSAN_OPTIONS=exitcode=66 ${program} ${wrong}
                        RESULT_VARIABLE result ERROR_VARIABLE report)
        set(finding_of_race "data race")
        set(finding_of_order "lock-order-inversion")
        if(NOT result EQUAL 66 OR NOT report MATCHES "${finding_of_${wrong}}")
            message(FATAL_ERROR "${name}, ${wrong}: ${finding_of_${wrong}} is not reported (${result})\n${report}")
        endif()
    endforeach()
endforeach()
