# SPDX-License-Identifier: MIT
# `Parker` and `Mutex` over the three functions of `AddressWait`, for platforms that have them.
list(APPEND futon_platform_folders ${CMAKE_CURRENT_LIST_DIR})
list(APPEND futon_platform_sources ${CMAKE_CURRENT_LIST_DIR}/mutex.cpp ${CMAKE_CURRENT_LIST_DIR}/parker.cpp)
