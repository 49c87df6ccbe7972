// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include <futon/core/wait_check.hpp>
#include <futon/core/wait_table.hpp>
#include <futon/core/waiter.hpp>
#include <futon/detail/atomic.hpp>

#include "platform/mutex.hpp"

namespace futon::tables {

/// The lines whose addresses hash alike. All zero when empty, so that a segment of them comes from calloc as it is.
struct Bucket {
    core::Waiter* first_queue;  // the first waiter of the first line; under the shard's lock

    /// One bit for each line here, chosen by its hash; a clear bit says that nobody waits at such an address. Written
    /// under the shard's lock, read by notifiers without it.
    std::uint64_t filter;
};

/// One part of the table: a hash table of lines, with a lock of its own.
///
/// It grows by linear hashing: when it has more lines than buckets, one bucket is split in two. A bucket never changes
/// its address, so that a notifier can look into it without the lock, and no pause grows with the table.
class Shard {
public:
    constexpr Shard() noexcept = default;
    Shard(const Shard&) = delete;
    Shard& operator=(const Shard&) = delete;

    /// Whether somebody may wait at the address with this hash. Takes no lock. [announce]
    bool may_have_waiters(std::uint64_t hash) const noexcept;

    bool enqueue(core::Waiter& waiter, core::WaitCheck check, std::uint64_t hash) noexcept;
    bool dequeue(core::Waiter& waiter, WaitResult result, std::uint64_t hash) noexcept;
    bool must_wait(core::WaitCheck check) noexcept;

    /// Waiters that were unlinked together, in a chain that ends with null.
    struct Chain {
        core::Waiter* first = nullptr;
        std::size_t length = 0;
    };

    /// Unlinks up to `count` waiters from the front of a line. Requires `count > 0`.
    Chain take(const void* address, std::size_t count, std::uint64_t hash) noexcept;

    std::size_t count(const void* address, std::uint64_t hash) noexcept;
    void visit(const void* address, std::uint64_t hash, core::QueueVisitor& visitor) noexcept;
    void visit_all(core::QueueVisitor& visitor) noexcept;

private:
    // Segment 0 has 8 buckets, and each later one as many as all before it.
    static constexpr std::size_t first_segment_size = 8;
    static constexpr std::size_t segment_count = 40;

    struct Place {
        std::size_t segment;
        std::size_t offset;
    };

    static constexpr Place place_of(std::size_t index) noexcept {
        if (index < first_segment_size) return {0, index};
        const std::size_t top = std::bit_floor(index);
        return {static_cast<std::size_t>(std::bit_width(top / first_segment_size)), index - top};
    }

    /// Which of `bucket_count` buckets a hash belongs to.
    static constexpr std::size_t index_of(std::uint64_t hash, std::size_t bucket_count) noexcept {
        const std::size_t round = std::bit_ceil(bucket_count);
        const std::size_t index = hash & (round - 1);
        return index < bucket_count ? index : index - round / 2;
    }

    Bucket& bucket(std::size_t index) const noexcept;
    Bucket& bucket_for(std::uint64_t hash) const noexcept;

    void add_queue(Bucket& bucket, core::Waiter& first) noexcept;
    void replace_queue(core::Waiter** link, core::Waiter& first) noexcept;
    void remove_queue(Bucket& bucket, core::Waiter** link) noexcept;

    /// A segment that was allocated outside the lock, to be installed under it.
    struct Spare {
        Bucket* buckets = nullptr;
        std::size_t size = 0;
    };

    /// A zeroed segment if the next new line wants one; none if memory has run out: then the chains grow longer than
    /// they should.
    Spare allocate_if_wanted() const noexcept;

    /// Installs a segment, unless another thread has done so meanwhile: then it stays a spare.
    void install(Spare& spare) noexcept;
    void grow() noexcept;
    void split_into(std::size_t new_index) noexcept;

    std::array<Bucket, first_segment_size> first_segment_{};

    // Read by notifiers, and written only when the shard grows.
    alignas(64) detail::Atomic<std::size_t> bucket_count_{first_segment_size};
    std::array<detail::Atomic<Bucket*>, segment_count> segments_{first_segment_.data()};

    alignas(64) platform::Mutex mutex_;
    detail::Atomic<std::size_t> queue_count_{0};  // written under the lock; without it, a hint
};

}  // namespace futon::tables
