// SPDX-License-Identifier: MIT
#pragma once

#include <futon/core/queue/waiter.hpp>

namespace futon::tables {

#ifdef FUTON_CHECKED
/// Ends the program if the queues of a bucket, or the queue at `address`, are not as [linked] and [fifo] say. Looks
/// only at the ends of a queue, so that checking a long one stays cheap.
void check_queues(core::Waiter* first_queue, const void* address) noexcept;
#else
inline void check_queues(core::Waiter*, const void*) noexcept {}
#endif

}  // namespace futon::tables
