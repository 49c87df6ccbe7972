// SPDX-License-Identifier: MIT
#include "platform/clock.hpp"

#include "kernel.hpp"

namespace futon::platform {

std::chrono::steady_clock::time_point now() noexcept {
    return model::virtual_now();
}

}  // namespace futon::platform
