// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <futon/core/queue/wait_check.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/core/queue/waiter.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/thread_safety.hpp>

#include "platform/mutex.hpp"
#include "queue/bucket.hpp"

namespace futon::tables {

/// One part of the table: a hash table of queues, with a lock of its own.
///
/// It grows by linear hashing: when it has more queues than buckets, one bucket is split in two. A bucket never changes
/// its address, so a notifier can look into it without the lock. No pause grows with the table. All zero when empty, so
/// that a table of them takes no room in a program's file.
class Shard {
public:
    constexpr Shard() noexcept = default;
    Shard(const Shard&) = delete;
    Shard& operator=(const Shard&) = delete;

    /// What orders a search for waiters after the change of the caller's word: a fence between the two, or the change
    /// itself, which is sequentially consistent, as the load of the filter is then.
    enum class OrderedBy : std::uint8_t { fence, change };

    /// Whether a waiter may be queued at the address with this hash. Takes no lock. [announce]
    template <OrderedBy by>
    [[gnu::always_inline]] bool may_have_waiters(std::uint64_t hash) noexcept;

    /// For the child of a fork: makes it empty and unlocked, in place. The threads that were changing it at the fork do not
    /// exist in the child. [fork]
    [[gnu::cold]] void begin_anew() noexcept FUTON_NO_THREAD_SAFETY_ANALYSIS;

    /// For a table that is destroyed: whether a waiter is queued.
    bool has_waiters() noexcept;

    /// Frees the segments that it has grown by. Afterwards no function of the shard may be called.
    void free_segments() noexcept;

    core::EnqueueResult enqueue(core::Waiter& waiter, const core::WaitCheck& check, std::uint64_t hash,
                                core::Place place = core::Place::tail) noexcept;
    bool must_wait(const core::WaitCheck& check) noexcept;

    /// Whether the waiter was queued; `moved` if its address is not the one with which its owner found this shard.
    enum class Found : std::uint8_t { queued, idle, moved };
    Found dequeue(core::Waiter& waiter, WaitResult result, const void* address, std::uint64_t hash) noexcept;
    [[gnu::cold]] Found find(core::Waiter& waiter, const void* address) noexcept;

    /// Waiters that were dequeued together, in a chain that ends with null.
    struct Chain {
        core::Waiter* first = nullptr;
        std::size_t length = 0;
    };

    /// Takes up to `count` waiters that were queued at an address when this began, a part at a time, so that no other
    /// thread waits for the lock until very many are taken. [parts]
    class Taking {
    public:
        static constexpr std::size_t usual_part = 1024;

        /// Requires  `count > 0`; the caller takes parts until it is over
        Taking(const void* address, std::size_t count, std::uint64_t hash, std::size_t part = usual_part) noexcept
            : address_(address), count_(count), hash_(hash), part_(part) {}
        Taking(const Taking&) = delete;
        Taking& operator=(const Taking&) = delete;

        bool is_over() const noexcept { return is_over_; }

    private:
        friend class Shard;

        const void* const address_;
        std::size_t count_;  // still to be taken
        const std::uint64_t hash_;
        const std::size_t part_;
        bool is_over_ = false;

        // Under the lock, once it is listed.
        bool is_listed_ = false;
        core::Waiter* last_ = nullptr;  // the last to take; null if all up to it have left the queue
        Taking* next_ = nullptr;
    };

    /// Dequeues the next part, from the head.
    Chain take(Taking& taking) noexcept;

    /// The waiters that a visitor has taken, a part at a time.
    class Gathering {
    public:
        Gathering(const void* address, std::uint64_t hash, std::size_t part) noexcept
            : taking_(address, core::everyone, hash, part) {}
        Gathering(const Gathering&) = delete;
        Gathering& operator=(const Gathering&) = delete;

        const Chain& chain() const noexcept { return chain_; }

    private:
        friend class Shard;

        Taking taking_;
        Chain chain_;
        core::Waiter** end_ = &chain_.first;
    };

    /// Dequeues the waiters that the visitor takes. Returns whether it has paused and must be called again. [parts]
    bool take_while(Gathering& gathering, core::WakeVisitor& visitor, std::size_t max_skips) noexcept;

    /// Moves the next part, as WaitTable::requeue says. Both shards may be the same. Returns how many waiters were
    /// moved.
    static std::size_t requeue(Shard& from_shard, Taking& taking, Shard& to_shard, const core::WaitCheck& to,
                               std::uint64_t to_hash) noexcept;

    [[gnu::cold]] std::size_t count(const void* address, std::uint64_t hash) noexcept;
    [[gnu::cold]] void visit(const void* address, std::uint64_t hash, core::QueueVisitor& visitor) noexcept;
    [[gnu::cold]] void visit_all(core::QueueVisitor& visitor) noexcept;

private:
    // Segment 0 has 8 buckets, and each later one has as many as all before it.
    static constexpr std::size_t first_segment_size = 8;
    static constexpr std::size_t segment_count = 40;

    struct Place {
        std::size_t segment;
        std::size_t offset;
    };

    static constexpr Place place_of(std::size_t index) noexcept {
        if (index < first_segment_size) return {0, index};
        const auto top = static_cast<std::size_t>(std::bit_width(index)) - 1;  // the highest bit
        return {top - std::bit_width(first_segment_size) + 2, index - (std::size_t{1} << top)};
    }

    /// Which of `bucket_count` buckets a hash belongs to.
    static constexpr std::size_t index_of(std::uint64_t hash, std::size_t bucket_count) noexcept {
        // The `or` changes nothing: it tells the compiler that some bit is set.
        const std::size_t mask = ~std::size_t{0} >> std::countl_zero((bucket_count - 1) | (first_segment_size - 1));
        const auto index = static_cast<std::size_t>(hash & mask);
        return index < bucket_count ? index : index & (mask / 2);
    }

    std::size_t bucket_count(std::memory_order order) const noexcept {
        return first_segment_size + added_buckets_.load(order);  // ordered as the caller says
    }

    Bucket& bucket(std::size_t index) noexcept;
    Bucket& bucket_for(std::uint64_t hash, std::size_t bucket_count) noexcept;
    Bucket& bucket_for(std::uint64_t hash) noexcept FUTON_REQUIRES(mutex_);

    void link(Bucket& bucket, core::Waiter* first, core::Waiter& waiter) noexcept FUTON_REQUIRES(mutex_);
    void move_to_head(Bucket& bucket, core::Waiter& first, core::Waiter& last, core::Place place) noexcept
        FUTON_REQUIRES(mutex_);
    void count_queues(int difference) noexcept FUTON_REQUIRES(mutex_);
    void add_queue(Bucket& bucket, core::Waiter& first) noexcept FUTON_REQUIRES(mutex_);
    void replace_queue(core::Waiter** link, core::Waiter& first) noexcept FUTON_REQUIRES(mutex_);
    void remove_queue(Bucket& bucket, core::Waiter** link) noexcept FUTON_REQUIRES(mutex_);
    void unlink(Bucket& bucket, core::Waiter& waiter) noexcept FUTON_REQUIRES(mutex_);
    void list(Taking& taking, core::Waiter* last) noexcept FUTON_REQUIRES(mutex_);
    void finish(Taking& taking) noexcept FUTON_REQUIRES(mutex_);
    void move_ends(core::Waiter& leaving, core::Waiter* before) noexcept FUTON_REQUIRES(mutex_);
    Chain cut(core::Waiter** link, std::size_t count, const core::Waiter* last) noexcept FUTON_REQUIRES(mutex_);
    void go_on(Taking& taking, core::Waiter* last, bool is_last) noexcept FUTON_REQUIRES(mutex_);

    /// A queue that is about to get a waiter. Its filter bit is set before the check is asked.
    class Announcement;

    /// A segment that was allocated outside the lock, to be installed under it.
    struct Spare {
        Bucket* buckets = nullptr;
        std::size_t size = 0;
    };

    /// A zeroed segment if the next new queue needs one. None if memory has run out: then the chains grow longer than
    /// they should.
    Spare allocate_if_wanted() const noexcept;

    /// Installs a segment. If another thread has done so meanwhile, it stays a spare.
    void install(Spare& spare) noexcept FUTON_REQUIRES(mutex_);
    void grow() noexcept FUTON_REQUIRES(mutex_);
    [[gnu::cold]] void split_into(std::size_t new_index) noexcept FUTON_REQUIRES(mutex_);

    std::array<Bucket, first_segment_size> first_segment_{};  // segment 0

    // Read by notifiers, and written only when the shard grows.
    alignas(64) detail::Atomic<std::size_t> added_buckets_{0};  // beyond segment 0
    std::array<detail::Atomic<Bucket*>, segment_count> segments_{};

    alignas(64) platform::Mutex mutex_;
    Taking* takings_ FUTON_GUARDED_BY(mutex_) = nullptr;     // those that have more than one part
    detail::Atomic<std::size_t> queue_count_{0};             // written under the lock; without it, a hint
    std::uint16_t generation_ FUTON_GUARDED_BY(mutex_) = 0;  // of the process, and so of the waiters queued here [fork]
};

// Inline, so that a notify that finds no waiter calls no function.

inline Bucket& Shard::bucket(std::size_t index) noexcept {
    const Place place = place_of(index);
    if (place.segment == 0) return first_segment_[place.offset];
    return segments_[place.segment].load(std::memory_order_relaxed)[place.offset];  // ordered by [bucket-count]
}

inline Bucket& Shard::bucket_for(std::uint64_t hash, std::size_t bucket_count) noexcept {
    if (bucket_count == first_segment_size) [[likely]]
        return first_segment_[hash % first_segment_size];
    return bucket(index_of(hash, bucket_count));
}

inline Bucket& Shard::bucket_for(std::uint64_t hash) noexcept {
    return bucket_for(hash, bucket_count(std::memory_order_relaxed));  // under the lock that changes it
}

template <Shard::OrderedBy by>
inline bool Shard::may_have_waiters(std::uint64_t hash) noexcept {
    const std::size_t count = bucket_count(std::memory_order_acquire);  // [bucket-count]
    Bucket& bucket = bucket_for(hash, count);
    const std::uint64_t filter =
        filter_of(bucket).load(by == OrderedBy::fence ? std::memory_order_acquire    // [filter-moved]
                                                      : std::memory_order_seq_cst);  // [announce]
    if ((filter & filter_bit(hash)) != 0) return true;

    // If a queue moved to a new bucket meanwhile, it left no bit behind. Then the count has changed, and it never
    // changes back.
    return bucket_count(std::memory_order_relaxed) != count;  // ordered by [filter-moved]
}

}  // namespace futon::tables
