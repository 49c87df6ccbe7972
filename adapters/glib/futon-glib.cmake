# SPDX-License-Identifier: MIT
# What futon::glib needs: GLib and GIO, 2.36 or later.
find_package(PkgConfig QUIET)
if(PKG_CONFIG_FOUND)
    pkg_check_modules(FUTON_GLIB QUIET IMPORTED_TARGET GLOBAL glib-2.0>=2.36 gio-2.0)
endif()
if(FUTON_GLIB_FOUND)
    set(futon_glib_libraries PkgConfig::FUTON_GLIB)
endif()
