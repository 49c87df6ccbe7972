// SPDX-License-Identifier: MIT
#include <bit>
#include <cstdlib>
#include <memory>
#include <utility>

#include "platform/prefetch.hpp"
#include "queue/shard.hpp"

// How a shard finds its buckets, with and without its lock, how it gets more of them, and how it forgets them.
namespace futon::tables {

using core::Waiter;

void Shard::begin_anew() noexcept {
    std::construct_at(&mutex_);  // the old one may be held; no thread is left that could release it
    takings_ = nullptr;
    first_segment_ = {};
    queue_count_.store(0, std::memory_order_relaxed);    // the only thread
    added_buckets_.store(0, std::memory_order_relaxed);  // the only thread
    ++generation_;
    // The segments stay, for the shard to grow into once more.
}

bool Shard::has_waiters() noexcept {
    const platform::MutexLock hold(mutex_);
    return queue_count_.load(std::memory_order_relaxed) != 0;  // under the lock
}

void Shard::free_segments() noexcept {
    for (auto& segment : segments_) std::free(segment.load(std::memory_order_relaxed));  // the last thread
}

Shard::Spare Shard::allocate_if_wanted() const noexcept {
    const std::size_t count = bucket_count(std::memory_order_relaxed);                             // a hint
    if (queue_count_.load(std::memory_order_relaxed) < count) return {};                           // a hint
    if (segments_[place_of(count).segment].load(std::memory_order_relaxed) != nullptr) return {};  // a hint
    return {static_cast<Bucket*>(std::calloc(count, sizeof(Bucket))), count};
}

void Shard::install(Spare& spare) noexcept {
    if (spare.buckets == nullptr) return;
    // By its own size, not by the present count: other threads may have grown the shard further since it was allocated.
    auto& segment = segments_[place_of(spare.size).segment];
    if (segment.load(std::memory_order_relaxed) == nullptr)                               // under the lock
        segment.store(std::exchange(spare.buckets, nullptr), std::memory_order_relaxed);  // by [bucket-count]
}

/// Keeps at most about one queue per bucket. Adds two buckets at a time, so that it catches up after memory was short.
void Shard::grow() noexcept {
    for (int i = 0; i < 2; ++i) {
        const std::size_t count = bucket_count(std::memory_order_relaxed);                          // under the lock
        if (queue_count_.load(std::memory_order_relaxed) <= count) return;                          // under the lock
        if (segments_[place_of(count).segment].load(std::memory_order_relaxed) == nullptr) return;  // under the lock
        split_into(count);
    }
}

void Shard::split_into(std::size_t new_index) noexcept {
    const std::size_t distance = std::bit_floor(new_index);
    Bucket& from = bucket(new_index - distance);
    Bucket& to = bucket(new_index);

    Waiter* staying = nullptr;
    to.first_queue = nullptr;  // a segment that a child has kept from its parent is not all zero [fork]
    for (Waiter* queue = from.first_queue; queue != nullptr;) {
        Waiter* following = Access::next_queue(*queue);
        Waiter*& chain = (hash_of(address_of(*queue)) & distance) != 0 ? to.first_queue : staying;
        Access::next_queue(*queue) = chain;
        chain = queue;
        queue = following;
    }
    from.first_queue = staying;

    // In this order: a notifier that finds the old bucket without the moved bits also finds that the count has changed.
    // The same goes for later stores there: each value of a bucket's filter carries the count that it belongs to. A
    // notifier that knows the new count finds the bits in the new bucket.
    filter_of(to).store(filter_of_queues(to.first_queue), std::memory_order_relaxed);     // ordered by [bucket-count]
    added_buckets_.store(new_index + 1 - first_segment_size, std::memory_order_release);  // [bucket-count]
    filter_of(from).store(filter_of_queues(staying), std::memory_order_release);          // [filter-moved]

    // Fetches the queue with which the next split begins: else it would be out of the cache by then.
    platform::prefetch(bucket(new_index + 1 - std::bit_floor(new_index + 1)).first_queue);
}

}  // namespace futon::tables
