// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace bench {

/// System calls of all threads of this process so far: those that go through a function of the C library (`write`,
/// `read`, `epoll_wait`, `syscall` ...), which this program interposes. Calls that the C library makes internally, in
/// its mutexes above all, are not counted, which flatters the loops that use those.
std::uint64_t system_calls() noexcept;

}  // namespace bench
