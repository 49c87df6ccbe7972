# SPDX-License-Identifier: MIT
# Fibers that an explorer schedules; tools/explorer builds the library on it. What the variables mean is in ../README.md.
set(futon_platform_folders ${CMAKE_CURRENT_LIST_DIR})
set(futon_platform_headers ${CMAKE_CURRENT_LIST_DIR}/include)
set(futon_platform_sources ${CMAKE_CURRENT_LIST_DIR}/shared_memory.cpp)
include(${CMAKE_CURRENT_LIST_DIR}/../unhosted/sources.cmake)
