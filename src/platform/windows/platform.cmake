# SPDX-License-Identifier: MIT
# Windows 8 and later: WaitOnAddress, events, waitable timers and VirtualAlloc. What the variables mean is in ../README.md.
# Of the generic folder: there is no fork, and the background thread is the standard library's.
include(CheckCXXSourceCompiles)

set(futon_platform_folders
    ${CMAKE_CURRENT_LIST_DIR}
    ${CMAKE_CURRENT_LIST_DIR}/../address_wait
    ${CMAKE_CURRENT_LIST_DIR}/../processor
    ${CMAKE_CURRENT_LIST_DIR}/../unhosted
    ${CMAKE_CURRENT_LIST_DIR}/../generic)
set(futon_platform_headers ${CMAKE_CURRENT_LIST_DIR}/include)
set(futon_platform_libraries synchronization)  # WaitOnAddress

# The std::atomic::wait of MinGW's libstdc++ may sleep through its wake-up, and with it the end of a std::stop_callback. All
# of a program must be compiled with the mended header, or none, so the program's author decides. See docs/windows.md.
option(FUTON_MENDED_ATOMIC_WAIT "With MinGW's libstdc++ 12, mend std::atomic::wait in futon and all that links it" OFF)
function(futon_check_atomic_wait)
    set(CMAKE_CXX_STANDARD 20)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    check_cxx_source_compiles("
        #include <atomic>
        #if defined(__GLIBCXX__) && !defined(_GLIBCXX_HAVE_PLATFORM_WAIT)
        #error it waits by a mutex and a condition variable
        #endif" FUTON_ATOMIC_WAIT_IS_THE_SYSTEMS)
endfunction()
futon_check_atomic_wait()
if(FUTON_MENDED_ATOMIC_WAIT)
    set(futon_platform_standard_headers ${CMAKE_CURRENT_LIST_DIR}/mended)
elseif(NOT FUTON_ATOMIC_WAIT_IS_THE_SYSTEMS)
    message(WARNING "This libstdc++ may lose the wake-ups of std::atomic::wait: with a std::stop_token a wait of futon may "
                    "hang. Set FUTON_MENDED_ATOMIC_WAIT, if all of the program is compiled with what links futon; see "
                    "docs/windows.md.")
endif()
