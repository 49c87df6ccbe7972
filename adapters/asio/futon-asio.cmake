# SPDX-License-Identifier: MIT
# What futon::asio needs: Asio, or else Boost.Asio; headers only. futon/asio/namespace.hpp chooses in the same order.
find_path(FUTON_ASIO_INCLUDE_DIR asio.hpp)
if(NOT FUTON_ASIO_INCLUDE_DIR)
    find_path(FUTON_ASIO_INCLUDE_DIR boost/asio.hpp)
endif()
mark_as_advanced(FUTON_ASIO_INCLUDE_DIR)
if(FUTON_ASIO_INCLUDE_DIR)
    if(NOT TARGET futon_asio_headers)
        add_library(futon_asio_headers INTERFACE IMPORTED GLOBAL)
        target_include_directories(futon_asio_headers SYSTEM INTERFACE ${FUTON_ASIO_INCLUDE_DIR})
    endif()
    set(futon_asio_libraries futon_asio_headers)
endif()
