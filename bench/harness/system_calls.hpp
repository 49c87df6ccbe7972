// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace bench {

/// System calls of all threads of this process so far: those that go through a function of the C library (`write`,
/// `read`, `epoll_wait`, `syscall` ...), for which this program has its own in the library's stead. What the C library
/// calls inside itself, in its mutexes above all, is not seen: so the count flatters whoever uses those.
std::uint64_t system_calls() noexcept;

}  // namespace bench
