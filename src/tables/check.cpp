// SPDX-License-Identifier: MIT
#include "tables/check.hpp"

#ifdef FUTON_CHECKED

#include <futon/detail/contract.hpp>

namespace futon::tables {

using core::Waiter;
using Access = core::WaiterAccess;

namespace {

void check_member(Waiter& waiter, const void* address) noexcept {
    detail::expects(Access::state(waiter).load() == Access::State::waiting, "[linked] who is in line is waiting");
    detail::expects(Access::address(waiter) == address, "[linked] a line has one address");
    detail::expects(Access::previous(*Access::next(waiter)) == &waiter, "[linked] a line is a ring");
    detail::expects(Access::next(*Access::previous(waiter)) == &waiter, "[linked] a line is a ring");
}

void check_queue(Waiter& first) noexcept {
    constexpr int looked_at = 8;
    const void* address = Access::address(first);
    detail::expects(Access::is_first(first), "[fifo] the first in line knows it");
    Waiter* from_front = &first;
    Waiter* from_back = Access::previous(first);
    for (int i = 0; i < looked_at; ++i) {
        check_member(*from_front, address);
        check_member(*from_back, address);
        from_front = Access::next(*from_front);
        from_back = Access::previous(*from_back);
        if (from_front == &first) break;
        detail::expects(!Access::is_first(*from_front), "[fifo] only the first in line is it");
    }
}

}  // namespace

void check_queues(Waiter* first_queue, const void* address) noexcept {
    int queues_at_address = 0;
    for (Waiter* line = first_queue; line != nullptr; line = Access::next_queue(*line)) {
        check_queue(*line);
        if (Access::address(*line) == address) ++queues_at_address;
    }
    detail::expects(queues_at_address <= 1, "[fifo] one line an address");
}

}  // namespace futon::tables

#endif
