# SPDX-License-Identifier: MIT
# How programs of the repository are linked for engines.

# `main` runs in a thread, which may block; the main thread starts what threads it asks for. When `main` returns the program ends.
function(futon_run_in_thread target)
    target_link_options(${target} PRIVATE
        -sPROXY_TO_PTHREAD -sEXIT_RUNTIME -sPTHREAD_POOL_SIZE=8 -sINITIAL_MEMORY=256MB -sTOTAL_STACK=1MB)
endfunction()
