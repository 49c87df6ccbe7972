// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <string_view>

#include <futon/wait_result.hpp>

namespace futon {

constexpr std::string_view to_string(WaitResult result) noexcept {
    switch (result) {
        case WaitResult::ok:
            return "ok";
        case WaitResult::not_equal:
            return "not-equal";
        case WaitResult::timed_out:
            return "timed-out";
        case WaitResult::cancelled:
            return "cancelled";
    }
    return "invalid";
}

}  // namespace futon

#include <futon/detail/end.hpp>
