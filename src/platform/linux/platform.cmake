# SPDX-License-Identifier: MIT
# Linux: the futex, eventfd, timerfd and epoll. What the variables mean is in ../README.md.
set(futon_platform_folders ${CMAKE_CURRENT_LIST_DIR})
set(futon_platform_sources
    ${CMAKE_CURRENT_LIST_DIR}/address_wait.cpp
    ${CMAKE_CURRENT_LIST_DIR}/shared_memory.cpp
    ${CMAKE_CURRENT_LIST_DIR}/spin.cpp)
include(${CMAKE_CURRENT_LIST_DIR}/../address_wait/sources.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/../posix/sources.cmake)
include(${CMAKE_CURRENT_LIST_DIR}/../unhosted/sources.cmake)
set(futon_platform_loop_sources ${CMAKE_CURRENT_LIST_DIR}/doorbell.cpp)
set(futon_platform_common_table_sources ${CMAKE_CURRENT_LIST_DIR}/shared_object.cpp)
