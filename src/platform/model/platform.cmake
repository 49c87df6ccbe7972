# SPDX-License-Identifier: MIT
# Fibers that an explorer schedules; tools/explorer builds the library on it. What the variables mean is in ../README.md.
set(futon_platform_folders ${CMAKE_CURRENT_LIST_DIR} ${CMAKE_CURRENT_LIST_DIR}/../unhosted)
set(futon_platform_headers ${CMAKE_CURRENT_LIST_DIR}/include)
