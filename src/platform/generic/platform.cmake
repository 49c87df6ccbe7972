# SPDX-License-Identifier: MIT
# Any system: the standard library alone. What the variables mean is in ../README.md.
include(CheckCXXSourceCompiles)

set(futon_platform_folders ${CMAKE_CURRENT_LIST_DIR})
set(futon_platform_headers ${CMAKE_CURRENT_LIST_DIR}/include)
set(futon_platform_sources
    ${CMAKE_CURRENT_LIST_DIR}/doorbell.cpp
    ${CMAKE_CURRENT_LIST_DIR}/parker.cpp
    ${CMAKE_CURRENT_LIST_DIR}/shared_memory.cpp)

# Where std::mutex has no constexpr constructor, as in MinGW's libstdc++ 12, a mutex of our own stands in its place.
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
