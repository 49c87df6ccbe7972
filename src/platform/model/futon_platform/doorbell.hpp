// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include <futon/explorer.hpp>
#include <futon/native_handle.hpp>
#include <futon_platform/parker.hpp>

namespace futon::platform {

/// A parker; fibers have no descriptors. The model still checks that a ring knows whether the doorbell has one.
class Doorbell {
public:
    void ring() noexcept {
        (void)has_descriptor_.load();
        parker_.unpark();
    }
    void wait() noexcept { parker_.park(); }
    bool wait_until(std::chrono::steady_clock::time_point deadline) noexcept { return parker_.park_until(deadline); }
    NativeHandle native_handle() {
        has_descriptor_.store(1);
        return {};
    }
    void clear() noexcept {}
    void set_alarm(std::chrono::steady_clock::time_point) noexcept {}

private:
    Parker parker_;
    explorer::Shared has_descriptor_;
};

}  // namespace futon::platform
