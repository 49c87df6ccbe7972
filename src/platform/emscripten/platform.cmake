# SPDX-License-Identifier: MIT
# A browser's pages and workers, and Node: WebAssembly with threads, as Emscripten compiles it. What the variables mean is in
# ../README.md.
# The generic folder serves too: there is no fork, memory cannot be reserved without being used, and spinning takes time from
# other threads.
set(futon_platform_folders
    ${CMAKE_CURRENT_LIST_DIR}
    ${CMAKE_CURRENT_LIST_DIR}/../address_wait
    ${CMAKE_CURRENT_LIST_DIR}/../generic)
set(futon_platform_headers ${CMAKE_CURRENT_LIST_DIR}/include)

# Programs need these, too: the library throws, and malloc must fail as the standard says.
set(futon_platform_compile_options -pthread -fexceptions)
set(futon_platform_link_options -pthread -fexceptions -sABORTING_MALLOC=0)

# The libc++ of Emscripten 3.1 has no coroutines, no stop tokens and no atomic references; their replacements are on the
# include path only then.
include(CheckCXXSourceCompiles)
function(futon_check_standard_library)
    set(CMAKE_CXX_STANDARD 20)
    set(CMAKE_REQUIRED_FLAGS -pthread)
    set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
    check_cxx_source_compiles("
        #include <atomic>
        #include <coroutine>
        #include <stop_token>
        #include <thread>
        int word;
        std::atomic_ref<int> reference(word);
        std::coroutine_handle<> handle;
        std::stop_token token;
        std::jthread thread;" FUTON_STANDARD_LIBRARY_IS_COMPLETE)
endfunction()
futon_check_standard_library()
if(NOT FUTON_STANDARD_LIBRARY_IS_COMPLETE)
    set(futon_platform_standard_headers ${CMAKE_CURRENT_LIST_DIR}/standard)
endif()
