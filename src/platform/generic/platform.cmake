# SPDX-License-Identifier: MIT
# Any system: only the standard library, and pthread_atfork if there is one. What the variables mean is in ../README.md.
include(CheckCXXSourceCompiles)
include(CheckCXXSymbolExists)

set(futon_platform_folders)
# The standard library cannot know of a fork, which would leave children with the locks of threads that they do not have.
set(CMAKE_REQUIRED_LIBRARIES Threads::Threads)
check_cxx_symbol_exists(pthread_atfork pthread.h FUTON_HAS_PTHREAD_ATFORK)
unset(CMAKE_REQUIRED_LIBRARIES)
if(FUTON_HAS_PTHREAD_ATFORK AND NOT WIN32)  # MinGW has the function, but no fork, and no signals
    list(APPEND futon_platform_folders ${CMAKE_CURRENT_LIST_DIR}/../posix)  # its fork.hpp comes before that of this folder
endif()
list(APPEND futon_platform_folders ${CMAKE_CURRENT_LIST_DIR}/../unhosted ${CMAKE_CURRENT_LIST_DIR})
set(futon_platform_headers ${CMAKE_CURRENT_LIST_DIR}/include)

# If std::mutex has no constexpr constructor, as in MinGW's libstdc++ 12, a mutex of our own replaces it.
function(futon_check_mutex)
    set(CMAKE_CXX_STANDARD 20)
    set(CMAKE_REQUIRED_LIBRARIES Threads::Threads)
    check_cxx_source_compiles("
        #include <mutex>
        constinit std::mutex mutex;
        int main() { const std::scoped_lock hold(mutex); }" FUTON_STD_MUTEX_IS_CONSTANT)
endfunction()
futon_check_mutex()
if(NOT FUTON_STD_MUTEX_IS_CONSTANT)
    list(PREPEND futon_platform_folders ${CMAKE_CURRENT_LIST_DIR}/spinning)
endif()
