// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>

#include "model.hpp"
#include "parker.hpp"

namespace futon::platform {

/// A parker; fibers have no descriptors. That whoever rings knows what kind of bell it is, is checked all the same.
class Doorbell {
public:
    void ring() noexcept {
        (void)has_descriptor_.load();
        parker_.unpark();
    }
    void wait() noexcept { parker_.park(); }
    bool wait_until(std::chrono::steady_clock::time_point moment) noexcept { return parker_.park_until(moment); }
    int native_handle() {
        has_descriptor_.store(1);
        return 0;
    }
    void set_alarm(std::chrono::steady_clock::time_point) noexcept {}

private:
    Parker parker_;
    model::Shared has_descriptor_;
};

}  // namespace futon::platform
