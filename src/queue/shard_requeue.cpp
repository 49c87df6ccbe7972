// SPDX-License-Identifier: MIT
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "queue/announcement.hpp"
#include "queue/check.hpp"
#include "queue/shard.hpp"

// How waiters are moved from one queue to another, a part at a time.
namespace futon::tables {

using core::Waiter;

/// Takes up to `count` waiters from the head of the queue whose pointer is at `link`, up to `last_wanted`, and leaves the bucket's
/// filter as it is. These waiters still count as waiting.
Shard::Chain Shard::cut(Waiter** link, std::size_t count, const Waiter* last_wanted) noexcept {
    Waiter& first = **link;
    Waiter& last = *Access::previous(first);
    Chain chain{&first, 1};
    Waiter* end = &first;
    for (; chain.length < count && end != last_wanted; ++chain.length) end = Access::next(*end);
    if (end == &last) {
        *link = Access::next_queue(first);
        count_queues(-1);
    } else {
        Waiter& rest = *Access::next(*end);
        replace_queue(link, rest);
        Access::previous(rest) = &last;
        Access::next(last) = &rest;
    }
    Access::next(*end) = nullptr;
    return chain;
}

std::size_t Shard::requeue(Shard& from_shard, Taking& taking, Shard& to_shard, const core::WaitCheck& to,
                           std::uint64_t to_hash) noexcept {
    Spare spare = to_shard.allocate_if_wanted();
    std::size_t moved = 0;
    {
        // [order] The one place where two locks are held, always in the order of their addresses.
        const platform::MutexPairLock hold(from_shard.mutex_, to_shard.mutex_);
        to_shard.install(spare);
        const void* const from = taking.address_;
        Bucket& source = from_shard.bucket_for(taking.hash_);
        Waiter** queue = find_queue(source, from);
        Waiter* const tail = *queue != nullptr ? Access::previous(**queue) : nullptr;
        Waiter* const last = taking.is_listed_ ? taking.last_ : tail;
        Bucket& target = to_shard.bucket_for(to_hash);
        const Announcement announcement(target, to_hash, to);
        if (last == nullptr || !to.must_wait()) {  // [check] for moved waiters, as for enqueued ones
            announcement.take_back();
            from_shard.finish(taking);
        } else {
            const Chain chain = from_shard.cut(queue, std::min(taking.count_, taking.part_), last);
            const bool is_emptied = *find_queue(source, from) == nullptr;
            Waiter* first = announcement.first();
            bool is_last = false;
            for (Waiter* waiter = chain.first; waiter != nullptr;) {
                Waiter& moving = *std::exchange(waiter, Access::next(*waiter));
                is_last = &moving == last;
                from_shard.move_ends(moving, nullptr);
                Access::is_first(moving) = false;
                Access::address(moving).store(to.address, std::memory_order_relaxed);  // under both locks
                Access::moved(moving, to.expected, is_emptied && waiter == nullptr);
                to_shard.link(target, first, moving);
                if (first == nullptr) first = &moving;
                core::probe::requeued(from, to.address, moving);
            }
            moved = chain.length;
            taking.count_ -= moved;
            from_shard.go_on(taking, last, is_last);
            // Only once the moved queue is in its bucket, which may be the same one: its filter bit never goes.
            filter_of(source).store(filter_of_queues(source.first_queue), std::memory_order_release);  // [filter-moved]
            check_queues(source.first_queue, from);
            check_queues(target.first_queue, to.address);
            to_shard.grow();
        }
    }
    std::free(spare.buckets);
    return moved;
}

}  // namespace futon::tables
