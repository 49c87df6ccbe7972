# SPDX-License-Identifier: MIT
# Fails if the program has anything of an event loop in it, or more than MOST bytes when it is stripped.
execute_process(COMMAND ${NM} -C ${PROGRAM} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(symbols MATCHES "LoopCore|EventLoop|PromiseState|TimerWheel")
    message(FATAL_ERROR "an event loop is linked into a program that only locks: ${CMAKE_MATCH_0}")
endif()

set(stripped ${PROGRAM}.stripped)
execute_process(COMMAND ${STRIP} -o ${stripped} ${PROGRAM} COMMAND_ERROR_IS_FATAL ANY)
file(SIZE ${stripped} bytes)
message("${bytes} bytes")
if(bytes GREATER MOST)
    message(FATAL_ERROR "the program has ${bytes} bytes; ${MOST} are the most")
endif()
