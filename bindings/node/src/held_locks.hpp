// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace futon::node {

/// The locks that one environment has acquired and not released, so that they can be released when it ends.
///
/// A lock is noted by the call that acquires it. Node ends a thread between calls, never within one: so there is no
/// acquisition without its note.
///
/// Any thread of JavaScript may release a lock, and takes its note away first. A native thread that releases a lock which
/// JavaScript has acquired leaves the note behind: that is a mistake, as README.md says.
///
/// Threads  the environment's own, except where said otherwise. Other threads only take notes away.
class HeldLocks {
public:
    explicit HeldLocks(std::int32_t thread_id) noexcept;
    ~HeldLocks();
    HeldLocks(const HeldLocks&) = delete;
    HeldLocks& operator=(const HeldLocks&) = delete;

    /// In which place the next note will be. lib/ keeps the memory of a held lock by that.
    int next_place() const noexcept { return next_place_; }
    void note(void* lock) noexcept;

    /// Tells the acquisitions of a lock apart: the number of the one that is noted in a place. Never zero.
    std::int32_t last_acquisition() const noexcept { return last_acquisition_; }
    std::int32_t acquisition_at(int place) const noexcept { return acquisitions_[static_cast<std::size_t>(place)]; }

    /// The lock is about to be released. Also takes the note of another environment away, if that has it. Returns the place;
    /// -1 if it is none of here.
    int forget(const void* lock) noexcept;

    /// The place of a note; -1 if there is none.
    int place_of(const void* lock) const noexcept;

    /// Whether this thread holds the lock, by whichever of its environments. False if another thread has a note as well: then a program
    /// has made the lock free by a store, and the note here is old.
    bool is_held_here(const void* lock) const noexcept;
    bool is_empty() const noexcept;

    /// Releases all as abandoned: the next owner of each is told.
    void abandon_all() noexcept;

    /// The thread that holds the lock; -1 if it is none of JavaScript. A snapshot. Any thread.
    static std::int32_t holder_of(const void* lock) noexcept;

private:
    /// Notes do not move, for other threads search them.
    struct Part {
        static constexpr int size = 15;
        mutable std::array<std::atomic<void*>, size> places{};
        std::unique_ptr<Part> next;
    };

    /// Visits all places, until one is wanted. Returns its number; -1 if it was none.
    template <class F>
    int find(F&& is_wanted) const noexcept;
    std::atomic<void*>& place_at(int number) noexcept;
    void find_next_place() noexcept;
    int take_note(const void* lock) const noexcept;
    bool another_has(const void* lock) const noexcept;

    const std::int32_t thread_id_;
    Part first_;
    int next_place_ = 0;
    std::vector<std::int32_t> acquisitions_ = std::vector<std::int32_t>(Part::size);  // by places
    std::int32_t last_acquisition_ = 0;
    HeldLocks* next_ = nullptr;  // of all environments
    HeldLocks* previous_ = nullptr;
};

}  // namespace futon::node
