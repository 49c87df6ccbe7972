// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include <futon/core/queue/waiter.hpp>
#include <futon/detail/atomic.hpp>

#include "queue/bucket.hpp"
#include "queue/shard.hpp"

namespace futon::tables {

/// Sets the filter bit of an address before its check is asked, and takes it back if no waiter is enqueued.
///
/// [announce] A notifier that changed the word either sees the bit, and then waits for the shard's lock, or the check
/// sees its change. Where the queue has a waiter, the thread that enqueued its first announced it, under this lock. A bit that
/// is set says less: another queue may have it, whose waiters a note finds. [noted]
class Shard::Announcement {
public:
    Announcement(Bucket& bucket, std::uint64_t hash, const core::WaitCheck& check) noexcept
        : bucket_(bucket),
          before_(filter_of(bucket).load(std::memory_order_relaxed)),  // only written under the lock
          is_new_((before_ & filter_bit(hash)) == 0) {
        if (is_new_) {
            filter_of(bucket).store(before_ | filter_bit(hash), std::memory_order_release);  // [filter-moved]
        } else {
            first_ = *find_queue(bucket, check.address);
        }
        if (check.found_by == core::FoundBy::notify && first_ == nullptr)
            detail::fence_seq_cst();  // [announce] [noted]
    }

    /// The first waiter of the queue; null if there is none.
    core::Waiter* first() const noexcept { return first_; }

    void take_back() const noexcept {
        if (is_new_) filter_of(bucket_).store(before_, std::memory_order_release);  // [filter-moved]
    }

private:
    Bucket& bucket_;
    const std::uint64_t before_;
    const bool is_new_;
    core::Waiter* first_ = nullptr;
};

}  // namespace futon::tables
