# SPDX-License-Identifier: MIT
# A program whose own names are hidden overrides, catches and casts what a shared library with hidden names has; and the
# headers warn of nothing there.
include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${work_dir})
run(${CMAKE_COMMAND} --install ${shared_dir} --prefix ${work_dir}/prefix)
run(${CMAKE_COMMAND} -S ${CMAKE_CURRENT_LIST_DIR}/hidden -B ${work_dir}/build -G ${generator}
    -DCMAKE_CXX_COMPILER=${compiler} -DCMAKE_PREFIX_PATH=${work_dir}/prefix)
run(${CMAKE_COMMAND} --build ${work_dir}/build)
run(${work_dir}/build/program)
