// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <futon/core/probe.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/core/queue/waiter.hpp>
#include <futon/detail/atomic.hpp>

#include "queue/hash.hpp"

namespace futon::tables {

using Access = core::WaiterAccess;

/// The queues whose addresses hash alike. All zero when empty, so that a segment of them comes from calloc as it is.
struct Bucket {
    core::Waiter* first_queue;  // the first waiter of the first queue; under the shard's lock

    /// One bit for each queue here, chosen by its hash; a clear bit says that no waiter is queued at such an address.
    /// Written under the shard's lock, read by notifiers without it.
    std::uint64_t filter;
};

// Functions on the queues of a bucket, under the shard's lock.

inline detail::AtomicRef<std::uint64_t> filter_of(Bucket& bucket) noexcept {
    return detail::AtomicRef<std::uint64_t>(bucket.filter);
}

inline std::uint64_t filter_bit(std::uint64_t hash) noexcept {
    return std::uint64_t{1} << (hash >> 58);
}

inline const void* address_of(core::Waiter& waiter) noexcept {
    return Access::address(waiter).load(std::memory_order_relaxed);  // under the lock of its queue
}

inline std::uint64_t filter_of_queues(core::Waiter* first_queue) noexcept {
    std::uint64_t filter = 0;
    for (core::Waiter* queue = first_queue; queue != nullptr; queue = Access::next_queue(*queue))
        filter |= filter_bit(hash_of(address_of(*queue)));
    return filter;
}

/// Where the pointer to the queue of `address` is, or would be.
inline core::Waiter** find_queue(Bucket& bucket, const void* address) noexcept {
    core::Waiter** link = &bucket.first_queue;
    while (*link != nullptr && address_of(**link) != address) link = &Access::next_queue(**link);
    return link;
}

inline void append(core::Waiter& first, core::Waiter& waiter) noexcept {
    core::Waiter& last = *Access::previous(first);
    Access::next(waiter) = &first;
    Access::previous(waiter) = &last;
    Access::next(last) = &waiter;
    Access::previous(first) = &waiter;
}

inline void visit_queue(core::Waiter& first, core::QueueVisitor& visitor) noexcept {
    core::Waiter* waiter = &first;
    do {
        visitor.visit(address_of(*waiter), *waiter);
        waiter = Access::next(*waiter);
    } while (waiter != &first);
}

/// [linked] The other half of dequeueing: under the lock, where the links change too.
inline void mark_dequeued(core::Waiter& waiter, WaitResult result,
                          core::WakeToken token = core::WakeToken::none) noexcept {
    Access::result(waiter) = result;
    Access::token(waiter) = token;  // in the place of a link
    Access::is_first(waiter) = false;
    Access::state(waiter).store(Access::State::idle, std::memory_order_relaxed);  // the lock orders it
}

/// [claim] Whether a waker may take this waiter. It may neither take nor count a member of a group that is over.
inline bool may_take(core::Waiter& waiter) noexcept {
    return !Access::is_in_group(waiter) || Access::claim(waiter);
}

/// Tells the probe that no waker takes this waiter, and lets it see why not.
inline void tell_dequeued(const void* address, core::Waiter& waiter, WaitResult result) noexcept {
    Access::result(waiter) = result;
    core::probe::dequeued(address, waiter);
}

/// A member of a group that is over leaves its queue. Its owner asks under the lock, and finds it idle.
inline void drop(core::Waiter& waiter) noexcept {
    tell_dequeued(address_of(waiter), waiter, WaitResult::cancelled);
    mark_dequeued(waiter, WaitResult::cancelled);
}

}  // namespace futon::tables
