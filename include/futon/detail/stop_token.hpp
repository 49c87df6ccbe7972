// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <version>

/// Where `std::stop_token` comes from, or the sentence that says what to do where there is none.
#if !defined(__cpp_lib_jthread)
#error "futon needs std::stop_token: libstdc++, or libc++ from 20 on, or libc++ 19 with -fexperimental-library"
#endif

#include <stop_token>

#include <futon/detail/end.hpp>
