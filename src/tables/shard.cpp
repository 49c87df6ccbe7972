// SPDX-License-Identifier: MIT
#include "tables/shard.hpp"

#include <cstdlib>
#include <utility>

#include "tables/check.hpp"

namespace futon::tables {

using core::Waiter;
using State = core::WaiterAccess::State;

/// Sets the filter bit of an address before its check is asked, and takes it back if no waiter is enqueued.
///
/// [announce] A notifier that changed the word either sees the bit, and then waits for the shard's lock, or its change is
/// seen by the check. A bit that was set already was announced when it was set, under this lock.
class Shard::Announcement {
public:
    Announcement(Bucket& bucket, std::uint64_t hash, const void* address) noexcept
        : bucket_(bucket),
          before_(filter_of(bucket).load(std::memory_order_relaxed)),  // only written under the lock
          is_new_((before_ & filter_bit(hash)) == 0) {
        if (is_new_) {
            filter_of(bucket).store(before_ | filter_bit(hash), std::memory_order_release);  // [filter-moved]
            detail::fence_seq_cst();                                                         // [announce]
        } else {
            first_ = *find_queue(bucket, address);
        }
    }

    /// The first waiter of the queue; null if there is none.
    Waiter* first() const noexcept { return first_; }

    void take_back() const noexcept {
        if (is_new_) filter_of(bucket_).store(before_, std::memory_order_relaxed);  // the fence makes it a release, too
    }

private:
    Bucket& bucket_;
    const std::uint64_t before_;
    const bool is_new_;
    Waiter* first_ = nullptr;
};

core::EnqueueResult Shard::enqueue(Waiter& waiter, core::WaitCheck check, std::uint64_t hash,
                                   core::Place place) noexcept {
    Spare spare = allocate_if_wanted();
    bool must_wait = false;
    {
        const platform::MutexLock hold(mutex_);
        install(spare);
        Bucket& bucket = bucket_for(hash);
        const Announcement announcement(bucket, hash, check.address);
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

/// Puts a waiter at the tail of the queue that begins with `first`, or makes it a queue. [fifo]
void Shard::link(Bucket& bucket, Waiter* first, Waiter& waiter) noexcept {
    if (first != nullptr) {
        append(*first, waiter);
    } else {
        add_queue(bucket, waiter);
    }
}

constexpr std::size_t longest_walk = 1024;  // as long as a part of a notify

/// Moves the last waiter of a queue to its head, or behind those there whose request is less: its place is looked for from both
/// ends, for those that come back to a place at the head are few, and so are those that came while a waiter was away. The walk is
/// bounded all the same.
void Shard::move_to_head(Bucket& bucket, Waiter& first, Waiter& last, core::Place place) noexcept {
    Waiter* following = &first;
    if (place == core::Place::by_request) {
        const std::uint64_t request = last.request();
        Waiter* preceding = Access::previous(last);
        for (std::size_t steps = 0; following != &last && following->request() < request && steps < longest_walk;
             ++steps) {
            if (preceding->request() < request) {
                following = Access::next(*preceding);
                break;
            }
            following = Access::next(*following);
            preceding = Access::previous(*preceding);
        }
    }
    if (following == &last) return;
    if (following == &first) {  // a queue is a ring: no link of it changes
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
    core::probe::dequeued(address, waiter);
    const bool is_inherited = Access::generation(waiter) != generation_;
    if (!is_inherited) unlink(bucket, waiter);  // [fork] else its links lead to what the child has forgotten
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

/// [parts] A waiter leaves its queue: where it was to be the last that a notify takes, `before` is, or, if that is null, no
/// waiter is left that was queued when the notify began.
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
    if (waiter == last || taking.count_ == 0) {
        finish(taking);
    } else if (!taking.is_listed_) {
        list(taking, last);
    }
    check_queues(bucket.first_queue, taking.address_);
    return {first, length};
}

Shard::Chain Shard::take_while(const void* address, core::WakeVisitor& visitor, std::size_t max_skips,
                               std::uint64_t hash) noexcept {
    using Decision = core::WakeVisitor::Decision;
    const platform::MutexLock hold(mutex_);
    Bucket& bucket = bucket_for(hash);
    Chain chain;
    Waiter** end = &chain.first;
    Waiter* next = *find_queue(bucket, address);
    Waiter* last = next != nullptr ? Access::previous(*next) : nullptr;
    visitor.mark = next != nullptr ? Access::mark(*next) : 0;
    for (std::size_t skipped = 0; next != nullptr && skipped < max_skips;) {
        Waiter& waiter = *next;
        next = next == last ? nullptr : Access::next(*next);

        const Decision decision = visitor.decide(waiter);
        if (decision == Decision::stop) break;
        if (decision == Decision::skip) {
            ++skipped;
            continue;
        }
        // [visit] Unlinked one by one: those that were skipped stay where they are.
        const bool is_taken = may_take(waiter);
        unlink(bucket, waiter);
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
    visitor.finish(left == nullptr);
    if (left != nullptr) Access::mark(*left) = visitor.mark;
    check_queues(bucket.first_queue, address);
    return chain;
}

/// Takes up to `count` waiters from the head of the queue whose pointer is at `link`, and leaves the bucket's filter as it
/// is. They still count as waiting.
Shard::Chain Shard::cut(Waiter** link, std::size_t count) noexcept {
    Waiter& first = **link;
    Waiter& last = *Access::previous(first);
    Chain chain{&first, 1};
    Waiter* end = &first;
    for (; chain.length < count && end != &last; ++chain.length) end = Access::next(*end);
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

std::size_t Shard::requeue(Shard& from_shard, const void* from, std::uint64_t from_hash, Shard& to_shard,
                           core::WaitCheck to, std::uint64_t to_hash, std::size_t count) noexcept {
    Spare spare = to_shard.allocate_if_wanted();
    std::size_t moved = 0;
    {
        // [order] The one place where two locks are held, always in the order of their addresses.
        const platform::MutexPairLock hold(from_shard.mutex_, to_shard.mutex_);
        to_shard.install(spare);
        Bucket& source = from_shard.bucket_for(from_hash);
        Waiter** queue = find_queue(source, from);
        Bucket& target = to_shard.bucket_for(to_hash);
        const Announcement announcement(target, to_hash, to.address);
        if (*queue == nullptr || !to.must_wait()) {  // [check] for those that are moved, as for those that are enqueued
            announcement.take_back();
        } else {
            const Chain chain = from_shard.cut(queue, count);
            const bool is_emptied = *find_queue(source, from) == nullptr;
            Waiter* first = announcement.first();
            for (Waiter* waiter = chain.first; waiter != nullptr;) {
                Waiter& moving = *std::exchange(waiter, Access::next(*waiter));
                from_shard.move_ends(moving, nullptr);
                Access::is_first(moving) = false;
                Access::address(moving).store(to.address, std::memory_order_relaxed);  // under both locks
                Access::moved(moving, to.expected, is_emptied && waiter == nullptr);
                to_shard.link(target, first, moving);
                if (first == nullptr) first = &moving;
                core::probe::requeued(from, to.address, moving);
            }
            moved = chain.length;
            // Not before the moved queue is in its bucket, which may be the same: its filter bit never goes.
            filter_of(source).store(filter_of_queues(source.first_queue), std::memory_order_release);  // [filter-moved]
            check_queues(source.first_queue, from);
            check_queues(target.first_queue, to.address);
            to_shard.grow();
        }
    }
    std::free(spare.buckets);
    return moved;
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
