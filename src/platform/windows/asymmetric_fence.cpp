// SPDX-License-Identifier: MIT
#include "platform/asymmetric_fence.hpp"

#include "platform/windows/windows.hpp"

namespace futon::platform {

bool AsymmetricFence::heavy() noexcept {
    FlushProcessWriteBuffers();
    return true;
}

}  // namespace futon::platform
