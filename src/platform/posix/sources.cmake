# SPDX-License-Identifier: MIT
# `Fork` over pthread_atfork, for platforms that have it.
list(APPEND futon_platform_folders ${CMAKE_CURRENT_LIST_DIR})
list(APPEND futon_platform_sources ${CMAKE_CURRENT_LIST_DIR}/fork.cpp)
