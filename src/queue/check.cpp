// SPDX-License-Identifier: MIT
#include "queue/check.hpp"

#ifdef FUTON_CHECKED

#include <futon/detail/contract.hpp>

#include "queue/bucket.hpp"

namespace futon::tables {

using core::Waiter;

namespace {

void check_member(Waiter& waiter, const void* address) noexcept {
    detail::expects(Access::state(waiter).load() == Access::State::waiting, "[linked] a queued waiter is waiting");
    detail::expects(address_of(waiter) == address, "[linked] the waiters of a queue have one address");
    detail::expects(Access::previous(*Access::next(waiter)) == &waiter, "[linked] a queue is a ring");
    detail::expects(Access::next(*Access::previous(waiter)) == &waiter, "[linked] a queue is a ring");
}

void check_queue(Waiter& first) noexcept {
    constexpr int checked = 8;
    const void* address = address_of(first);
    detail::expects(Access::is_first(first), "[fifo] the first of a queue knows it");
    Waiter* from_front = &first;
    Waiter* from_back = Access::previous(first);
    for (int i = 0; i < checked; ++i) {
        check_member(*from_front, address);
        check_member(*from_back, address);
        from_front = Access::next(*from_front);
        from_back = Access::previous(*from_back);
        if (from_front == &first) break;
        detail::expects(!Access::is_first(*from_front), "[fifo] only the first of a queue is marked so");
    }
}

}  // namespace

void check_queues(Waiter* first_queue, const void* address) noexcept {
    int queues_at_address = 0;
    for (Waiter* queue = first_queue; queue != nullptr; queue = Access::next_queue(*queue)) {
        check_queue(*queue);
        if (address_of(*queue) == address) ++queues_at_address;
    }
    detail::expects(queues_at_address <= 1, "[fifo] one queue for each address");
}

}  // namespace futon::tables

#endif
