// SPDX-License-Identifier: MIT
#include "platform/asymmetric_fence.hpp"

#include <sys/syscall.h>
#include <unistd.h>

namespace futon::platform {

namespace {

// As the kernel numbers them: the headers of an older one lack them.
constexpr int private_expedited = 1 << 3;
constexpr int register_private_expedited = 1 << 4;

bool membarrier([[maybe_unused]] int command) noexcept {
#ifdef SYS_membarrier
    return syscall(SYS_membarrier, command, 0) == 0;
#else
    return false;
#endif
}

/// A process has to register before its first fence. Beside other threads that can take milliseconds: so it does when the library is
/// loaded, which is mostly before they start.
bool register_process() noexcept {
    return membarrier(register_private_expedited);
}
[[maybe_unused]] const bool is_registered = register_process();

}  // namespace

/// A constructor that runs earlier than this file's may need a fence.
bool AsymmetricFence::heavy() noexcept {
    return membarrier(private_expedited) || (register_process() && membarrier(private_expedited));
}

}  // namespace futon::platform
