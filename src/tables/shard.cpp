// SPDX-License-Identifier: MIT
#include "tables/shard.hpp"

#include <cstdlib>
#include <utility>

#include "platform/prefetch.hpp"
#include "tables/check.hpp"
#include "tables/hash.hpp"

namespace futon::tables {

using core::Waiter;
using Access = core::WaiterAccess;
using State = core::WaiterAccess::State;

namespace {

detail::AtomicRef<std::uint64_t> filter_of(Bucket& bucket) noexcept {
    return detail::AtomicRef<std::uint64_t>(bucket.filter);
}

std::uint64_t filter_bit(std::uint64_t hash) noexcept {
    return std::uint64_t{1} << (hash >> 58);
}

std::uint64_t filter_of_queues(Waiter* first_queue) noexcept {
    std::uint64_t filter = 0;
    for (Waiter* line = first_queue; line != nullptr; line = Access::next_queue(*line))
        filter |= filter_bit(hash_of(Access::address(*line)));
    return filter;
}

/// Where the pointer to the line of `address` stands, or would stand.
Waiter** find_queue(Bucket& bucket, const void* address) noexcept {
    Waiter** link = &bucket.first_queue;
    while (*link != nullptr && Access::address(**link) != address) link = &Access::next_queue(**link);
    return link;
}

void append(Waiter& first, Waiter& waiter) noexcept {
    Waiter& last = *Access::previous(first);
    Access::next(waiter) = &first;
    Access::previous(waiter) = &last;
    Access::next(last) = &waiter;
    Access::previous(first) = &waiter;
}

void visit_queue(Waiter& first, core::QueueVisitor& visitor) noexcept {
    Waiter* waiter = &first;
    do {
        visitor.visit(Access::address(*waiter), *waiter);
        waiter = Access::next(*waiter);
    } while (waiter != &first);
}

/// [linked] The other half of unlinking: under the lock, where the links change too.
void mark_unlinked(Waiter& waiter, WaitResult result) noexcept {
    Access::result(waiter) = result;
    Access::is_first(waiter) = false;
    Access::state(waiter).store(State::idle, std::memory_order_relaxed);  // the lock orders it
}

}  // namespace

Bucket& Shard::bucket(std::size_t index) const noexcept {
    const Place place = place_of(index);
    return segments_[place.segment].load(std::memory_order_relaxed)[place.offset];  // ordered by [bucket-count]
}

Bucket& Shard::bucket_for(std::uint64_t hash) const noexcept {
    return bucket(index_of(hash, bucket_count_.load(std::memory_order_relaxed)));  // under the lock that changes it
}

bool Shard::may_have_waiters(std::uint64_t hash) const noexcept {
    const std::size_t count = bucket_count_.load(std::memory_order_acquire);  // [bucket-count]
    const std::uint64_t filter =
        filter_of(bucket(index_of(hash, count))).load(std::memory_order_acquire);  // [filter-moved]
    if ((filter & filter_bit(hash)) != 0) return true;

    // A line that moved to a new bucket meanwhile left no filter bit behind; then the count has changed, and it never changes
    // back.
    return bucket_count_.load(std::memory_order_relaxed) != count;  // ordered by [filter-moved]
}

bool Shard::enqueue(Waiter& waiter, core::WaitCheck check, std::uint64_t hash) noexcept {
    Spare spare = allocate_if_wanted();
    bool joined = false;
    {
        const platform::MutexLock hold(mutex_);
        install(spare);
        Bucket& bucket = bucket_for(hash);
        auto filter = filter_of(bucket);
        const std::uint64_t filter_before = filter.load(std::memory_order_relaxed);  // only written under the lock

        // [check] A notifier that changed the word either sees the filter bit, and then waits for this lock, or its change is
        // seen by the comparison. A filter bit that was there already was announced by its first owner, under this lock.
        const bool is_announced = (filter_before & filter_bit(hash)) != 0;
        Waiter* first = is_announced ? *find_queue(bucket, check.address) : nullptr;
        if (!is_announced) {
            filter.store(filter_before | filter_bit(hash), std::memory_order_release);  // [filter-moved]
            detail::fence_seq_cst();                                                    // [announce]
        }
        joined = check.must_wait();

        if (joined) {
            Access::address(waiter) = check.address;
            Access::state(waiter).store(State::waiting, std::memory_order_relaxed);  // the lock orders it
            if (first != nullptr) {
                append(*first, waiter);
            } else {
                add_queue(bucket, waiter);
                grow();
            }
        } else if (!is_announced) {
            filter.store(filter_before, std::memory_order_relaxed);  // the fence makes it a release, too
        }
        check_queues(bucket.first_queue, check.address);
    }
    std::free(spare.buckets);
    return joined;
}

bool Shard::dequeue(Waiter& waiter, WaitResult result, std::uint64_t hash) noexcept {
    const platform::MutexLock hold(mutex_);
    if (Access::state(waiter).load(std::memory_order_relaxed) != State::waiting) return false;  // the lock orders it

    Bucket& bucket = bucket_for(hash);
    Waiter& next = *Access::next(waiter);
    if (Access::is_first(waiter)) {
        Waiter** link = find_queue(bucket, Access::address(waiter));
        if (&next == &waiter) {
            remove_queue(bucket, link);
        } else {
            replace_queue(link, next);
        }
    }
    Waiter& previous = *Access::previous(waiter);
    Access::next(previous) = &next;
    Access::previous(next) = &previous;
    mark_unlinked(waiter, result);
    check_queues(bucket.first_queue, Access::address(waiter));
    return true;
}

bool Shard::must_wait(core::WaitCheck check) noexcept {
    const platform::MutexLock hold(mutex_);
    return check.must_wait();
}

Shard::Chain Shard::take(const void* address, std::size_t count, std::uint64_t hash) noexcept {
    const platform::MutexLock hold(mutex_);
    Bucket& bucket = bucket_for(hash);
    Waiter** link = find_queue(bucket, address);
    if (*link == nullptr) return {};

    // [fifo] From the first on, in the order of joining.
    Waiter& first = **link;
    Waiter& last_in_line = *Access::previous(first);
    Waiter* last = &first;
    std::size_t length = 1;
    while (length < count && last != &last_in_line) {
        last = Access::next(*last);
        ++length;
    }

    if (last == &last_in_line) {
        remove_queue(bucket, link);
    } else {
        Waiter& rest = *Access::next(*last);
        replace_queue(link, rest);
        Access::previous(rest) = &last_in_line;
        Access::next(last_in_line) = &rest;
    }
    Access::next(*last) = nullptr;
    for (Waiter* w = &first; w != nullptr; w = Access::next(*w)) mark_unlinked(*w, WaitResult::ok);
    check_queues(bucket.first_queue, address);
    return {&first, length};
}

std::size_t Shard::count(const void* address, std::uint64_t hash) noexcept {
    const platform::MutexLock hold(mutex_);
    Waiter* first = *find_queue(bucket_for(hash), address);
    if (first == nullptr) return 0;
    std::size_t length = 1;
    for (Waiter* w = Access::next(*first); w != first; w = Access::next(*w)) ++length;
    return length;
}

void Shard::visit(const void* address, std::uint64_t hash, core::QueueVisitor& visitor) noexcept {
    const platform::MutexLock hold(mutex_);
    if (Waiter* first = *find_queue(bucket_for(hash), address)) visit_queue(*first, visitor);
}

void Shard::visit_all(core::QueueVisitor& visitor) noexcept {
    const platform::MutexLock hold(mutex_);
    const std::size_t count = bucket_count_.load(std::memory_order_relaxed);  // only written under the lock
    for (std::size_t i = 0; i < count; ++i)
        for (Waiter* line = bucket(i).first_queue; line != nullptr; line = Access::next_queue(*line))
            visit_queue(*line, visitor);
}

void Shard::add_queue(Bucket& bucket, Waiter& first) noexcept {
    Access::next(first) = Access::previous(first) = &first;
    Access::is_first(first) = true;
    Access::next_queue(first) = bucket.first_queue;
    bucket.first_queue = &first;
    queue_count_.store(queue_count_.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);  // under the lock
}

/// Makes `first` the first of the line that stands at `link`.
void Shard::replace_queue(Waiter** link, Waiter& first) noexcept {
    Access::next_queue(first) = Access::next_queue(**link);
    Access::is_first(first) = true;
    *link = &first;
}

void Shard::remove_queue(Bucket& bucket, Waiter** link) noexcept {
    *link = Access::next_queue(**link);
    filter_of(bucket).store(filter_of_queues(bucket.first_queue), std::memory_order_release);         // [filter-moved]
    queue_count_.store(queue_count_.load(std::memory_order_relaxed) - 1, std::memory_order_relaxed);  // under the lock
}

Shard::Spare Shard::allocate_if_wanted() const noexcept {
    const std::size_t count = bucket_count_.load(std::memory_order_relaxed);                       // a hint
    if (queue_count_.load(std::memory_order_relaxed) < count) return {};                           // a hint
    if (segments_[place_of(count).segment].load(std::memory_order_relaxed) != nullptr) return {};  // a hint
    return {static_cast<Bucket*>(std::calloc(count, sizeof(Bucket))), count};
}

void Shard::install(Spare& spare) noexcept {
    if (spare.buckets == nullptr) return;
    // By its own size, not by the present count: others may have gone further since it was allocated.
    auto& segment = segments_[place_of(spare.size).segment];
    if (segment.load(std::memory_order_relaxed) == nullptr)                               // under the lock
        segment.store(std::exchange(spare.buckets, nullptr), std::memory_order_relaxed);  // by [bucket-count]
}

/// Keeps at most about one line a bucket: by two buckets at a time, so that it catches up where memory was short.
void Shard::grow() noexcept {
    for (int i = 0; i < 2; ++i) {
        const std::size_t count = bucket_count_.load(std::memory_order_relaxed);                    // under the lock
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
    for (Waiter* line = from.first_queue; line != nullptr;) {
        Waiter* following = Access::next_queue(*line);
        Waiter*& chain = (hash_of(Access::address(*line)) & distance) != 0 ? to.first_queue : staying;
        Access::next_queue(*line) = chain;
        chain = line;
        line = following;
    }
    from.first_queue = staying;

    // In this order: who finds the old bucket without the filter that moved also finds that the count has changed (and
    // so for whatever is stored there later: each value of a bucket's filter carries the count it belongs to), and who
    // knows the new count finds the filter in the new bucket.
    filter_of(to).store(filter_of_queues(to.first_queue), std::memory_order_relaxed);  // ordered by [bucket-count]
    bucket_count_.store(new_index + 1, std::memory_order_release);                     // [bucket-count]
    filter_of(from).store(filter_of_queues(staying), std::memory_order_release);       // [filter-moved]

    // The line with which the next split begins is far by then, if nobody fetches it.
    platform::prefetch(bucket(new_index + 1 - std::bit_floor(new_index + 1)).first_queue);
}

}  // namespace futon::tables
