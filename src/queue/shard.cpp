// SPDX-License-Identifier: MIT
#include "queue/shard.hpp"

#include <cstdlib>
#include <utility>

#include "queue/announcement.hpp"
#include "queue/check.hpp"

namespace futon::tables {

using core::Waiter;
using State = core::WaiterAccess::State;

core::EnqueueResult Shard::enqueue(Waiter& waiter, const core::WaitCheck& check, std::uint64_t hash,
                                   core::Place place) noexcept {
    Spare spare = allocate_if_wanted();
    bool must_wait = false;
    {
        const platform::MutexLock hold(mutex_);
        install(spare);
        Bucket& bucket = bucket_for(hash);
        const Announcement announcement(bucket, hash, check);
        must_wait = check.must_wait();  // [check]
        if (must_wait) {
            Access::address(waiter).store(check.address, std::memory_order_relaxed);  // the lock orders it
            Access::state(waiter).store(State::waiting, std::memory_order_relaxed);   // the lock orders it
            Access::generation(waiter) = generation_;
            link(bucket, announcement.first(), waiter);
            if (place != core::Place::tail && announcement.first() != nullptr)
                move_to_head(bucket, *announcement.first(), waiter, place);
            core::probe::enqueued(check.address, waiter);
        } else {
            announcement.take_back();
        }
        if (must_wait && announcement.first() == nullptr) grow();
        check_queues(bucket.first_queue, check.address);
    }
    std::free(spare.buckets);
    return must_wait ? core::EnqueueResult::queued : core::EnqueueResult::not_needed;
}

/// Puts a waiter at the tail of the queue that begins with `first`, or makes it a new queue. [fifo]
void Shard::link(Bucket& bucket, Waiter* first, Waiter& waiter) noexcept {
    if (first != nullptr) {
        append(*first, waiter);
    } else {
        add_queue(bucket, waiter);
    }
}

constexpr std::size_t longest_walk = 1024;  // as long as a part of a notify

/// Moves the last waiter of a queue to its head, or behind waiters there with a smaller request. The search goes from
/// both ends: few waiters come back to a place at the head, and few came while a waiter was away. The walk is bounded
/// all the same.
void Shard::move_to_head(Bucket& bucket, Waiter& first, Waiter& last, core::Place place) noexcept {
    Waiter* following = &first;
    if (place == core::Place::by_request || place == core::Place::by_priority) {
        const std::uint64_t request = last.request().word;
        const auto goes_before = [=](const Waiter& other) {
            const std::uint64_t its = other.request().word;
            return place == core::Place::by_request ? its < request : its <= request;
        };
        Waiter* preceding = Access::previous(last);
        for (std::size_t steps = 0; following != &last && goes_before(*following) && steps < longest_walk; ++steps) {
            if (goes_before(*preceding)) {
                following = Access::next(*preceding);
                break;
            }
            following = Access::next(*following);
            preceding = Access::previous(*preceding);
        }
    }
    if (following == &last) return;
    if (following == &first) {  // a queue is a ring: no link changes
        Access::is_first(first) = false;
        replace_queue(find_queue(bucket, address_of(first)), last);
        return;
    }
    Waiter& new_last = *Access::previous(last);
    Access::next(new_last) = &first;
    Access::previous(first) = &new_last;
    Waiter& before = *Access::previous(*following);
    Access::next(before) = &last;
    Access::previous(last) = &before;
    Access::next(last) = following;
    Access::previous(*following) = &last;
}

Shard::Found Shard::find(Waiter& waiter, const void* address) noexcept {
    const platform::MutexLock hold(mutex_);
    if (address_of(waiter) != address) return Found::moved;
    const State state = Access::state(waiter).load(std::memory_order_relaxed);  // the lock orders it
    return state == State::waiting ? Found::queued : Found::idle;
}

Shard::Found Shard::dequeue(Waiter& waiter, WaitResult result, const void* address, std::uint64_t hash) noexcept {
    const platform::MutexLock hold(mutex_);
    if (address_of(waiter) != address) return Found::moved;  // [requeue] this is the lock of another queue
    const State state = Access::state(waiter).load(std::memory_order_relaxed);  // the lock orders it
    if (state != State::waiting) return Found::idle;

    Bucket& bucket = bucket_for(hash);
    tell_dequeued(address, waiter, result);
    const bool is_inherited = Access::generation(waiter) != generation_;
    if (!is_inherited) unlink(bucket, waiter);  // [fork] else its links lead to waiters that the child has forgotten
    mark_dequeued(waiter, result);
    check_queues(bucket.first_queue, address);
    return Found::queued;
}

/// Takes a waiter out of the ring, from wherever it is.
void Shard::unlink(Bucket& bucket, Waiter& waiter) noexcept {
    Waiter& next = *Access::next(waiter);
    move_ends(waiter, Access::is_first(waiter) ? nullptr : Access::previous(waiter));
    if (Access::is_first(waiter)) {
        Waiter** link = find_queue(bucket, address_of(waiter));
        if (&next == &waiter) {
            remove_queue(bucket, link);
        } else {
            replace_queue(link, next);
        }
    }
    Waiter& previous = *Access::previous(waiter);
    Access::next(previous) = &next;
    Access::previous(next) = &previous;
}

bool Shard::must_wait(const core::WaitCheck& check) noexcept {
    const platform::MutexLock hold(mutex_);
    return check.must_wait();
}

void Shard::list(Taking& taking, Waiter* last) noexcept {
    taking.last_ = last;
    taking.is_listed_ = true;
    taking.next_ = std::exchange(takings_, &taking);
}

void Shard::finish(Taking& taking) noexcept {
    taking.is_over_ = true;
    if (!taking.is_listed_) return;
    Taking** link = &takings_;
    while (*link != &taking) link = &(*link)->next_;
    *link = taking.next_;
}

/// [parts] A waiter leaves its queue. If it was the last that a notify takes, `before` becomes the last. If `before` is
/// null, no waiter is left that was queued when the notify began.
void Shard::move_ends(Waiter& leaving, Waiter* before) noexcept {
    for (Taking* taking = takings_; taking != nullptr; taking = taking->next_)
        if (taking->last_ == &leaving) taking->last_ = before;
}

Shard::Chain Shard::take(Taking& taking) noexcept {
    const platform::MutexLock hold(mutex_);
    Bucket& bucket = bucket_for(taking.hash_);
    Waiter** link = find_queue(bucket, taking.address_);
    Waiter* const tail = *link != nullptr ? Access::previous(**link) : nullptr;
    Waiter* const last = taking.is_listed_ ? taking.last_ : tail;
    if (last == nullptr) {
        finish(taking);
        return {};
    }

    // [fifo] From the first on, in the order of enqueueing.
    Waiter* next = *link;
    Waiter* waiter = nullptr;
    std::size_t seen = 0;
    std::size_t length = 0;
    Waiter* first = nullptr;
    Waiter** end = &first;
    do {
        waiter = std::exchange(next, Access::next(*next));
        move_ends(*waiter, nullptr);
        ++seen;
        if (!may_take(*waiter)) {
            drop(*waiter);
            continue;
        }
        core::probe::woken(taking.address_, *waiter);
        mark_dequeued(*waiter, WaitResult::ok);
        *end = waiter;
        end = &Access::next(*waiter);
        ++length;
    } while (waiter != last && length < taking.count_ && seen < taking.part_);
    *end = nullptr;

    if (waiter == tail) {
        remove_queue(bucket, link);
    } else {
        replace_queue(link, *next);
        Access::previous(*next) = tail;
        Access::next(*tail) = next;
    }
    taking.count_ -= length;
    go_on(taking, last, waiter == last);
    check_queues(bucket.first_queue, taking.address_);
    return {first, length};
}

/// After a part: `last` is the last waiter to take, and was reached or not.
void Shard::go_on(Taking& taking, Waiter* last, bool is_last) noexcept {
    if (is_last || taking.count_ == 0) {
        finish(taking);
    } else if (!taking.is_listed_) {
        list(taking, last);
    }
}

/// [last-touch] The visitor changes the word with the last part, and no waiter is delivered before that.
bool Shard::take_while(Gathering& gathering, core::WakeVisitor& visitor, std::size_t max_skips) noexcept {
    using Decision = core::WakeVisitor::Decision;
    const platform::MutexLock hold(mutex_);
    Taking& taking = gathering.taking_;
    const void* const address = taking.address_;
    Bucket& bucket = bucket_for(taking.hash_);
    Chain& chain = gathering.chain_;
    Waiter**& end = gathering.end_;
    std::size_t gone = 0;  // from the queue, taken or dropped
    bool is_paused = false;
    Waiter* next = *find_queue(bucket, address);
    visitor.mark = next != nullptr ? Access::mark(*next) : 0;
    Waiter* last = next != nullptr ? Access::previous(*next) : nullptr;
    if (taking.is_listed_) last = taking.last_;
    if (last == nullptr) next = nullptr;
    for (std::size_t skipped = 0; next != nullptr && skipped < max_skips && !is_paused;) {
        Waiter& waiter = *next;
        next = next == last ? nullptr : Access::next(*next);

        const Decision decision = visitor.decide(waiter);
        if (decision == Decision::stop) break;
        if (decision == Decision::skip) {
            ++skipped;
            continue;
        }
        // [visit] Unlinked one by one: skipped waiters stay where they are.
        const bool is_taken = may_take(waiter);
        unlink(bucket, waiter);
        is_paused = next != nullptr && ++gone >= taking.part_ && visitor.may_pause();
        if (!is_taken) {
            drop(waiter);
            continue;
        }
        core::probe::woken(address, waiter);
        mark_dequeued(waiter, WaitResult::ok, visitor.take(waiter));
        *end = &waiter;
        end = &Access::next(waiter);
        ++chain.length;
    }
    *end = nullptr;
    Waiter* const left = *find_queue(bucket, address);
    if (!is_paused) {
        finish(taking);
        visitor.finish(left == nullptr);
    } else if (!taking.is_listed_ && !visitor.takes_latecomers()) {
        list(taking, last);
    }
    if (left != nullptr) Access::mark(*left) = visitor.mark;
    check_queues(bucket.first_queue, address);
    return is_paused;
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
    const std::size_t count = bucket_count(std::memory_order_relaxed);  // only written under the lock
    for (std::size_t i = 0; i < count; ++i)
        for (Waiter* queue = bucket(i).first_queue; queue != nullptr; queue = Access::next_queue(*queue))
            visit_queue(*queue, visitor);
}

void Shard::count_queues(int difference) noexcept {
    const std::size_t count = queue_count_.load(std::memory_order_relaxed);                       // under the lock
    queue_count_.store(count + static_cast<std::size_t>(difference), std::memory_order_relaxed);  // under the lock
}

void Shard::add_queue(Bucket& bucket, Waiter& first) noexcept {
    Access::next(first) = Access::previous(first) = &first;
    Access::is_first(first) = true;
    Access::mark(first) = 0;
    Access::next_queue(first) = bucket.first_queue;
    bucket.first_queue = &first;
    count_queues(1);
}

/// Makes `first` the first of the queue whose pointer is at `link`.
void Shard::replace_queue(Waiter** link, Waiter& first) noexcept {
    Access::next_queue(first) = Access::next_queue(**link);
    Access::mark(first) = Access::mark(**link);
    Access::is_first(first) = true;
    *link = &first;
}

void Shard::remove_queue(Bucket& bucket, Waiter** link) noexcept {
    *link = Access::next_queue(**link);
    filter_of(bucket).store(filter_of_queues(bucket.first_queue), std::memory_order_release);  // [filter-moved]
    count_queues(-1);
}

}  // namespace futon::tables
