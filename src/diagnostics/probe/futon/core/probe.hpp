// SPDX-License-Identifier: MIT
#pragma once

// In the place of the file of this name that does nothing: what futon::diagnostics is told. See docs/diagnostics.md.

#define FUTON_DIAGNOSTICS 1

#include <futon/detail/begin.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <futon/detail/export.hpp>

namespace futon {
class Limits;
namespace core::probe {
class Attempt;
}
}  // namespace futon

namespace futon::diagnostics::detail {

struct ThreadRecord;

/// Where a call was made: the return addresses of the innermost frames, as far as they were looked up.
struct Place {
    static constexpr std::size_t most = 12;
    std::array<const void*, most> frames{};
};

/// A thread, or a coroutine that it runs. Null means: not known.
struct Actor {
    ThreadRecord* thread = nullptr;
    const void* task = nullptr;  ///< the coroutine's frame; null for the thread itself

    friend bool operator==(const Actor& one, const Actor& other) noexcept {
        return one.task == other.task && (one.task != nullptr || one.thread == other.thread);
    }
};

/// What is seen: everything, or samples if the lowest bit is set. Each change is a new number, made under the registry's lock.
FUTON_API extern constinit std::atomic<std::uint32_t> mode;

inline bool is_sampling() noexcept {
    return (mode.load(std::memory_order_relaxed) & 1) != 0;  // what was entered is looked at again under the lock
}

/// A thread's part in the samples: how many acquisitions it passes over until the next one.
struct Sampler {
    std::uint32_t mode = 0;  ///< for which the rest was drawn
    std::uint32_t left = 0;
    core::probe::Attempt* attempt = nullptr;  ///< that the thread makes; null if it makes none
    std::uint32_t one_in = 0;
    std::uint64_t random = 0;
};
FUTON_API extern constinit thread_local Sampler sampler;

/// Whether the calling thread's acquisition is none of the samples. Counts it.
inline bool passes_over_acquisition() noexcept {
    Sampler& own = sampler;
    const bool is_passed_over = own.mode == mode.load(std::memory_order_relaxed) &&  // as above
                                own.left > 1 && own.attempt == nullptr;
    if (is_passed_over) --own.left;
    return is_passed_over;
}

/// Which primitives are held by a sampled acquisition, by their address: all releases read it, and only samples write it.
inline constexpr std::size_t marks_bits = 12;
FUTON_API extern constinit std::array<std::atomic<const void*>, std::size_t{1} << marks_bits> marks;
FUTON_API extern constinit const char mark_of_several;

inline std::size_t mark_index(const void* address) noexcept {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(address) >> 2) * 0x9e3779b97f4a7c15U >>
                                    (64 - marks_bits));
}

inline bool passes_over_release(const void* address) noexcept {
    if (!is_sampling()) return false;
    const void* const mark = marks[mark_index(address)].load(std::memory_order_relaxed);  // the acquisition came before
    return mark != address && mark != &mark_of_several;
}

}  // namespace futon::diagnostics::detail

namespace futon::core {

class Waiter;
enum class WakeToken : std::uintptr_t;

namespace probe {

inline constexpr bool is_enabled = true;

/// A queued waiter in the lists of the diagnostics. All of it changes under their lock; that of a sample, which is in no list,
/// under its queue's lock and by its owner.
struct FUTON_API Stamp {
    Stamp() noexcept = default;
    Stamp(const Stamp&) = delete;
    Stamp& operator=(const Stamp&) = delete;
    ~Stamp() {
        if (address != nullptr) end();
    }

    Stamp* next = nullptr;  // of all that are queued
    Stamp* previous = nullptr;
    Stamp* next_of_actor = nullptr;
    Stamp** link_of_actor = nullptr;  // what points to this one
    const Waiter* waiter = nullptr;
    const void* address = nullptr;  // while it is queued; and then until the wait is noted
    const char* operation = "";
    diagnostics::detail::Actor actor;
    diagnostics::detail::Place place;
    std::int64_t since = 0;  // in nanoseconds of the steady clock, as below
    std::int64_t woken_at = 0;
    std::uint32_t generation = 0;  // as the registry's
    std::uint64_t wake = 0;        // the number of the wake-up, for the timeline
    bool is_limited = false;
    bool is_task = false;
    bool is_queued = false;
    bool is_reported = false;  // as a wait that lasts too long
    bool is_promise = false;   // the address is a promise's, which a coroutine awaits
    std::uint32_t weight = 0;  // of how many waits it is the sample; 0 if it is none
    std::uint32_t barged = 0, handoffs = 0;
    const void* passed_over = nullptr;  // the address at which it was none of the samples

private:
    void end() noexcept;
};

FUTON_API void ended(const void* address) noexcept;

struct Lifetime {
    constexpr Lifetime() noexcept = default;
    Lifetime(const Lifetime&) = delete;
    Lifetime& operator=(const Lifetime&) = delete;
    constexpr ~Lifetime() {
        if (!std::is_constant_evaluated()) ended(this);
    }
};

enum class Hold : std::uint8_t { lock, exclusive, shared, upgradeable, permits };
enum class Way : std::uint8_t { ready_to_wait, tried };

struct Task {
    void set(const void* frame) noexcept { frame_ = frame; }
    const void* frame() const noexcept { return frame_; }

private:
    const void* frame_ = nullptr;
};

class FUTON_API Attempt {
public:
    Attempt(const void* task, const char* operation, const Limits& limits) noexcept;
    Attempt(const void* task, const char* operation, bool is_limited) noexcept;
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;
    ~Attempt();

    const void* const task;
    const char* const operation;
    const bool is_limited;
    diagnostics::detail::Place place;
    Stamp* queued = nullptr;   // the waiter that was enqueued last
    std::uint32_t weight = 0;  // of how many attempts it is the sample; 0 if it is none
    Attempt* const outer;
};

FUTON_API void look_before_sleep();
inline void about_to_sleep() {
    if (!diagnostics::detail::is_sampling()) look_before_sleep();
}
FUTON_API void look_again() noexcept;
inline void sleeps_again() noexcept {
    if (!diagnostics::detail::is_sampling()) look_again();
}
FUTON_API void guarded_seen(const void* address, bool is_owned) noexcept;
inline void guarded(const void* address, bool is_owned) noexcept {
    if (!diagnostics::detail::is_sampling()) guarded_seen(address, is_owned);
}
FUTON_API void coroutine_begins(const void* frame, const void* promise) noexcept;
FUTON_API void coroutine_ends(const void* frame) noexcept;
FUTON_API void promise_joins(const void* part, const void* whole) noexcept;
FUTON_API void memory_freed(const void* memory) noexcept;
FUTON_API void promise_settles(const void* promise, bool is_reachable) noexcept;
FUTON_API void promise_taken(const void* frame, const void* promise) noexcept;
FUTON_API void promise_dropped(const void* promise, bool has_listened) noexcept;
FUTON_API void promise_lost(const void* promise) noexcept;

struct Settler {
    Settler() noexcept = default;
    Settler(const Settler&) = delete;
    Settler& operator=(const Settler&) = delete;
    ~Settler() {
        if (frame_ != nullptr) coroutine_ends(frame_);
    }
    void set(const void* frame, const void* promise) noexcept {
        frame_ = frame;
        coroutine_begins(frame, promise);
    }

private:
    const void* frame_ = nullptr;
};

class FUTON_API PromiseWait {
public:
    PromiseWait() noexcept = default;
    PromiseWait(const PromiseWait&) = delete;
    PromiseWait& operator=(const PromiseWait&) = delete;
    ~PromiseWait() { end(); }

    void begin(const void* frame, const void* promise, const char* operation, bool is_limited) noexcept;
    void end() noexcept;
    void look(const void* frame) const;
    void look_only(const void* frame) const noexcept;

private:
    Stamp stamp_;
};

FUTON_API void job_begins() noexcept;
FUTON_API void job_ends() noexcept;
FUTON_API void enqueued(const void* address, Waiter& waiter) noexcept;
FUTON_API void woken(const void* address, Waiter& waiter) noexcept;
FUTON_API void dequeued(const void* address, Waiter& waiter) noexcept;
FUTON_API void requeued(const void* from, const void* to, Waiter& waiter) noexcept;
FUTON_API void acquired_seen(const void* address, Hold hold, std::uint64_t amount, Way way) noexcept;
FUTON_API void releasing_seen(const void* address, Hold hold, std::uint64_t amount) noexcept;
inline void acquired(const void* address, Hold hold, std::uint64_t amount = 1, Way way = Way::ready_to_wait) noexcept {
    if (!diagnostics::detail::passes_over_acquisition()) acquired_seen(address, hold, amount, way);
}
inline void releasing(const void* address, Hold hold, std::uint64_t amount = 1) noexcept {
    if (!diagnostics::detail::passes_over_release(address)) releasing_seen(address, hold, amount);
}
FUTON_API void handing_off(const void* address, const Waiter& waiter) noexcept;
FUTON_API void offer_expired(const void* address) noexcept;

}  // namespace probe

}  // namespace futon::core

#include <futon/detail/end.hpp>
