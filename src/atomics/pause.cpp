// SPDX-License-Identifier: MIT
#include <futon/pause.hpp>

#include "platform/spin.hpp"

namespace futon {

void pause() noexcept {
    platform::spin_pause();
}

}  // namespace futon
