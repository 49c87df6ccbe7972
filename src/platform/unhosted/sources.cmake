# SPDX-License-Identifier: MIT
# `Host` where there is none, for platforms whose threads are the program's own.
list(APPEND futon_platform_folders ${CMAKE_CURRENT_LIST_DIR})
