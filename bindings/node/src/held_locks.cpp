// SPDX-License-Identifier: MIT
#include "held_locks.hpp"

#include <algorithm>
#include <mutex>
#include <utility>

#include <futon/sync/async_lock.hpp>
#include <futon/word.hpp>

namespace futon::node {

namespace {

/// All environments of the process.
struct Registry {
    std::mutex mutex;  // also: no part of a list of notes is added or freed
    HeldLocks* first = nullptr;
};

/// It is never destroyed: threads may end after the static objects.
Registry& registry() noexcept {
    static auto& all = *new Registry;
    return all;
}

/// How many environments, that is copies of lib/, the thread has.
thread_local int count_here = 0;

}  // namespace

HeldLocks::HeldLocks(std::int32_t thread_id) noexcept : thread_id_(thread_id) {
    ++count_here;
    const std::scoped_lock guard(registry().mutex);
    next_ = registry().first;
    if (next_ != nullptr) next_->previous_ = this;
    registry().first = this;
}

HeldLocks::~HeldLocks() {
    --count_here;
    const std::scoped_lock guard(registry().mutex);
    (previous_ != nullptr ? previous_->next_ : registry().first) = next_;
    if (next_ != nullptr) next_->previous_ = previous_;
}

template <class F>
int HeldLocks::find(F&& is_wanted) const noexcept {
    int number = 0;
    for (const Part* part = &first_; part != nullptr; part = part->next.get()) {
        for (std::atomic<void*>& place : part->places) {
            if (is_wanted(place)) return number;
            ++number;
        }
    }
    return -1;
}

std::atomic<void*>& HeldLocks::place_at(int number) noexcept {
    Part* part = &first_;
    for (; number >= Part::size; number -= Part::size) part = part->next.get();
    return part->places[static_cast<std::size_t>(number)];
}

void HeldLocks::find_next_place() noexcept {
    next_place_ = find([](const std::atomic<void*>& place) { return place == nullptr; });
    if (next_place_ >= 0) return;

    Part* last = &first_;
    for (next_place_ = Part::size; last->next != nullptr; next_place_ += Part::size) last = last->next.get();
    auto part = std::make_unique<Part>();
    acquisitions_.resize(acquisitions_.size() + Part::size);
    const std::scoped_lock guard(registry().mutex);
    last->next = std::move(part);
}

void HeldLocks::note(void* lock) noexcept {
    if (++last_acquisition_ <= 0) last_acquisition_ = 1;  // it wraps
    const int old = place_of(lock);                       // if a program has made the lock free by a store
    acquisitions_[static_cast<std::size_t>(old >= 0 ? old : next_place_)] = last_acquisition_;
    if (old >= 0) return;
    place_at(next_place_) = lock;
    find_next_place();
}

int HeldLocks::take_note(const void* lock) const noexcept {
    return find([&](std::atomic<void*>& place) {
        if (place != lock) return false;
        place = nullptr;
        return true;
    });
}

int HeldLocks::forget(const void* lock) noexcept {
    const int number = take_note(lock);
    if (number >= 0) {
        next_place_ = std::min(next_place_, number);
        return number;
    }
    const std::scoped_lock guard(registry().mutex);
    for (const HeldLocks* other = registry().first; other != nullptr; other = other->next_)
        if (other != this && other->take_note(lock) >= 0) break;
    return -1;
}

int HeldLocks::place_of(const void* lock) const noexcept {
    return find([&](const std::atomic<void*>& place) { return place == lock; });
}

bool HeldLocks::is_empty() const noexcept {
    return find([](const std::atomic<void*>& place) { return place != nullptr; }) < 0;
}

bool HeldLocks::another_has(const void* lock) const noexcept {
    for (const HeldLocks* other = registry().first; other != nullptr; other = other->next_)
        if (other != this && other->place_of(lock) >= 0) return true;
    return false;
}

bool HeldLocks::is_held_here(const void* lock) const noexcept {
    if (count_here == 1 && place_of(lock) < 0) return false;  // the most frequent case
    const std::scoped_lock guard(registry().mutex);
    bool is_here = false;
    for (const HeldLocks* one = registry().first; one != nullptr; one = one->next_) {
        if (one->place_of(lock) < 0) continue;
        if (one->thread_id_ != thread_id_) return false;
        is_here = true;
    }
    return is_here;
}

void HeldLocks::abandon_all() noexcept {
    // A thread that releases one of them does it before, or finds it free.
    const std::scoped_lock guard(registry().mutex);
    find([&](std::atomic<void*>& place) {
        void* const lock = place.exchange(nullptr);
        if (lock != nullptr && !another_has(lock))
            AsyncLock::at(Word<std::int32_t>(*static_cast<std::int32_t*>(lock))).abandon();
        return false;
    });
}

std::int32_t HeldLocks::holder_of(const void* lock) noexcept {
    const std::scoped_lock guard(registry().mutex);
    for (const HeldLocks* one = registry().first; one != nullptr; one = one->next_)
        if (one->place_of(lock) >= 0) return one->thread_id_;
    return -1;
}

}  // namespace futon::node
