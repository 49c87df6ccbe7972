# SPDX-License-Identifier: MIT
# Linux: the futex, eventfd, timerfd and epoll. What the variables mean is in ../README.md.
set(futon_platform_folders
    ${CMAKE_CURRENT_LIST_DIR}
    ${CMAKE_CURRENT_LIST_DIR}/../address_wait
    ${CMAKE_CURRENT_LIST_DIR}/../processor
    ${CMAKE_CURRENT_LIST_DIR}/../posix
    ${CMAKE_CURRENT_LIST_DIR}/../unhosted)
