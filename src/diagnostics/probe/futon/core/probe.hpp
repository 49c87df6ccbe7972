// SPDX-License-Identifier: MIT
#pragma once

// In the place of the file of this name that does nothing: what futon::diagnostics is told. See docs/diagnostics.md.

#define FUTON_DIAGNOSTICS 1

#include <futon/detail/begin.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <futon/core/probe_actor.hpp>
#include <futon/detail/export.hpp>

namespace futon {
class Limits;
namespace core::probe {
class Attempt;
}
}  // namespace futon

namespace futon::diagnostics::detail {

/// How much there is of which callers have to tell. All acquisitions and releases read it: it is 0 if samples are seen, and now is no
/// time for one, and none is attempted or held.
alignas(64) FUTON_API extern constinit std::atomic<std::uint32_t> wanted;

inline bool is_wanted() noexcept {
    return wanted.load(std::memory_order_relaxed) != 0;  // the acquisition that counts came before the release
}

/// A thread passes over what comes next while its countdown is above this. So that is above all countdowns where everything is seen,
/// and below all of them where nothing is; while samples are, it is below those that were drawn since the last change of the mode, and
/// above all others. Changes under the registry's lock.
FUTON_API extern constinit std::atomic<std::int64_t> threshold;
inline constexpr std::int64_t everything = INT64_MAX;
inline constexpr std::int64_t nothing = INT64_MIN;  // for now: samples are seen at other times

inline bool is_sampling() noexcept {
    return threshold.load(std::memory_order_relaxed) != everything;  // what it enters looks again under the lock
}

/// A thread's part in the samples.
struct Sampler {
    std::int64_t countdown = 0;               ///< of the acquisitions until the next sample
    core::probe::Attempt* attempt = nullptr;  ///< that the thread makes, and that is seen; null if there is none
    std::int64_t base = 0;                    ///< the threshold for which the countdown was drawn
    std::uint32_t one_in = 0;
    std::uint64_t random = 0;
    bool has_job = false;  ///< that was seen to begin
};
FUTON_API extern constinit thread_local Sampler sampler;

/// Whether the next that the calling thread acquires is none of the samples.
inline bool is_next_passed_over() noexcept {
    if (!is_wanted()) return true;
    const Sampler& own = sampler;
    return own.attempt == nullptr && own.countdown - 1 > threshold.load(std::memory_order_relaxed);  // as above
}

/// The same, and counts it.
inline bool passes_over_next() noexcept {
    if (!is_wanted()) return true;
    Sampler& own = sampler;
    const std::int64_t limit = threshold.load(std::memory_order_relaxed);  // as above
    if (own.attempt != nullptr || own.countdown - 1 <= limit) return false;
    if (limit != nothing) --own.countdown;
    return true;
}

/// Whether there are coroutines that were seen to begin. Who has made one sees it, and so do those it hands over to.
FUTON_API extern constinit std::atomic<bool> has_coroutines;

inline bool knows_coroutines() noexcept {
    return has_coroutines.load(std::memory_order_relaxed);  // as above
}

}  // namespace futon::diagnostics::detail

namespace futon::core {

class Waiter;
enum class WakeToken : std::uintptr_t;

namespace probe {

inline constexpr bool is_enabled = true;

/// A wait in the lists of the diagnostics. All of it changes under their lock; that of a sample, which is in no list, under its
/// queue's lock and by its owner.
struct FUTON_API WaitRecord {
    WaitRecord() noexcept = default;
    WaitRecord(const WaitRecord&) = delete;
    WaitRecord& operator=(const WaitRecord&) = delete;
    ~WaitRecord() {
        if (address != nullptr) end();
    }

    const void* address = nullptr;  // while it is queued; and then until the wait is noted
    bool is_queued = false;

    // Set while it is queued.
    WaitRecord* next;  // of all that are queued
    WaitRecord* previous;
    WaitRecord* next_of_actor;
    WaitRecord** link_of_actor;  // what points to this one
    WaitRecord* next_at_address;
    WaitRecord** link_at_address;  // as above

    // Set when a wait begins.
    const Waiter* waiter;
    const char* operation;
    diagnostics::detail::Actor actor;
    diagnostics::detail::Place place;
    std::int64_t since;  // in nanoseconds of the steady clock, as below
    std::int64_t woken_at;
    std::uint32_t generation;  // as the registry's
    std::uint64_t wake;        // the number of the wake-up, for the timeline
    bool is_limited;
    bool is_task;
    bool is_reported;      // as a wait that lasts too long
    bool is_promise;       // the address is a promise's, which a coroutine awaits
    bool is_moved;         // from another queue, and was not looked at since
    bool is_upgrade;       // of a shared lock's upgradeable hold
    std::uint32_t weight;  // of how many waits it is the sample; 0 if it is none
    std::uint32_t barged, handoffs;

    /// A wait begins of which nothing is known yet.
    void begin() noexcept {
        waiter = nullptr;
        operation = "";
        actor = {};
        place = {};
        since = woken_at = 0;
        wake = 0;
        is_limited = is_task = is_reported = is_promise = is_moved = is_upgrade = false;
        weight = barged = handoffs = 0;
    }

private:
    void end() noexcept;
};

/// What is kept in a waiter, or in a coroutine's promise: a pointer, for most are made for attempts that are passed over, and what
/// wakes a waiter reads all of its cache lines.
struct FUTON_API Stamp {
    Stamp() noexcept = default;
    Stamp(const Stamp&) = delete;
    Stamp& operator=(const Stamp&) = delete;
    ~Stamp() { clear(); }

    /// The record of a wait that has begun and is not noted yet; null if there is none.
    WaitRecord* record() const noexcept {
        return record_ != nullptr && record_->address != nullptr ? record_ : nullptr;
    }

    /// The record of a new wait; null if there is no memory for it. The last one was noted.
    WaitRecord* begin() noexcept;

    /// Notes a wait that has begun, and makes the stamp as new. Not under the registry's lock.
    void clear() noexcept {
        passed_over = nullptr;
        if (record_ != nullptr) free();
    }

    const void* passed_over = nullptr;  // the address at which the waiter was none of the samples

private:
    void free() noexcept;

    WaitRecord* record_ = nullptr;
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

/// Of an attempt that is passed over only what `passed_over_at` says is set.
class FUTON_API Attempt {
public:
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    Attempt(const void* whose, const char* name, const Limits& limits) noexcept {
        if (!passes_over()) begin(whose, name, limits);
    }
    // NOLINTNEXTLINE(cppcoreguidelines-pro-type-member-init)
    Attempt(const void* whose, const char* name, bool may_end) noexcept {
        if (!passes_over()) begin(whose, name, may_end);
    }
    Attempt(const Attempt&) = delete;
    Attempt& operator=(const Attempt&) = delete;
    ~Attempt() {
        if (passed_over_at == 0) {
            end();
        } else if (passed_over_at != uncounted && passed_over_at == diagnostics::detail::sampler.countdown) {
            // Nothing was acquired, so it is counted itself.
            static_cast<void>(diagnostics::detail::passes_over_next());
        }
    }

    const void* task;
    const char* operation;
    bool is_limited;
    diagnostics::detail::Place place;
    WaitRecord* queued;    // the wait that began last
    std::uint32_t weight;  // of how many attempts it is the sample; 0 if it is none
    Attempt* outer;

private:
    static constexpr std::int64_t uncounted = -1;  // is no countdown

    bool passes_over() noexcept {
        if (!diagnostics::detail::is_wanted())
            passed_over_at = uncounted;
        else
            passed_over_at = diagnostics::detail::is_next_passed_over() ? diagnostics::detail::sampler.countdown : 0;
        return passed_over_at != 0;
    }
    void begin(const void* whose, const char* name, const Limits& limits) noexcept;
    void begin(const void* whose, const char* name, bool may_end) noexcept;
    void end() noexcept;

    std::int64_t passed_over_at;  // the countdown then; 0 if it is seen
};

/// Whether the calling thread may try without an attempt, for it will be none of the samples.
inline bool is_ready_to_try() noexcept {
    return diagnostics::detail::is_next_passed_over();
}

FUTON_API void look_before_sleep();
inline void about_to_sleep() {
    if (!diagnostics::detail::is_sampling()) look_before_sleep();
}
FUTON_API void job_begins_seen() noexcept;
FUTON_API void job_ends_seen() noexcept;
inline void job_begins() noexcept {
    if (!diagnostics::detail::is_sampling()) job_begins_seen();
}
inline void job_ends() noexcept {
    if (diagnostics::detail::sampler.has_job) job_ends_seen();
}
FUTON_API void look_again() noexcept;
inline void sleeps_again() noexcept {
    if (!diagnostics::detail::is_sampling()) look_again();
}
inline void limits_end() noexcept {
    if (Attempt* const attempt = diagnostics::detail::sampler.attempt) attempt->is_limited = false;
}
FUTON_API void sleep_elsewhere_seen(const void* address) noexcept;
inline void sleep_elsewhere(const void* address) noexcept {
    if (!diagnostics::detail::is_sampling()) sleep_elsewhere_seen(address);
}
FUTON_API void guarded_seen(const void* address, bool is_owned) noexcept;
inline void guarded(const void* address, bool is_owned) noexcept {
    if (!diagnostics::detail::is_sampling()) guarded_seen(address, is_owned);
}
FUTON_API void coroutine_begins_seen(const void* frame, const void* promise) noexcept;
FUTON_API void coroutine_ends_seen(const void* frame) noexcept;
FUTON_API void promise_joins_seen(const void* part, const void* whole) noexcept;
FUTON_API void memory_freed_seen(const void* memory) noexcept;
FUTON_API void promise_settles_seen(const void* promise, bool is_reachable) noexcept;
FUTON_API void promise_taken_seen(const void* frame, const void* promise) noexcept;
FUTON_API void promise_dropped_seen(const void* promise, bool has_listened) noexcept;
FUTON_API void promise_lost(const void* promise) noexcept;
inline void coroutine_begins(const void* frame, const void* promise) noexcept {
    if (!diagnostics::detail::is_sampling()) coroutine_begins_seen(frame, promise);
}
inline void coroutine_ends(const void* frame) noexcept {
    if (diagnostics::detail::knows_coroutines()) coroutine_ends_seen(frame);
}
inline void promise_joins(const void* part, const void* whole) noexcept {
    if (diagnostics::detail::knows_coroutines()) promise_joins_seen(part, whole);
}
inline void memory_freed(const void* memory) noexcept {
    if (diagnostics::detail::knows_coroutines()) memory_freed_seen(memory);
}
inline void promise_settles(const void* promise, bool is_reachable) noexcept {
    if (diagnostics::detail::knows_coroutines()) promise_settles_seen(promise, is_reachable);
}
inline void promise_taken(const void* frame, const void* promise) noexcept {
    if (diagnostics::detail::knows_coroutines()) promise_taken_seen(frame, promise);
}
inline void promise_dropped(const void* promise, bool has_listened) noexcept {
    if (diagnostics::detail::knows_coroutines()) promise_dropped_seen(promise, has_listened);
}

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

    void begin(const void* frame, const void* promise, const char* operation, bool is_limited) noexcept {
        if (!diagnostics::detail::is_sampling()) begin_seen(frame, promise, operation, is_limited);
    }
    void end() noexcept {
        if (WaitRecord* const wait = stamp_.record(); wait != nullptr) end_seen(*wait);
    }
    void look(const void* frame) const {
        if (!diagnostics::detail::is_sampling()) look_seen(frame);
    }
    void look_only(const void* frame) const noexcept {
        if (!diagnostics::detail::is_sampling()) look_only_seen(frame);
    }

private:
    void begin_seen(const void* frame, const void* promise, const char* operation, bool is_limited) noexcept;
    void end_seen(WaitRecord& wait) noexcept;
    void look_seen(const void* frame) const;
    void look_only_seen(const void* frame) const noexcept;

    Stamp stamp_;
};

FUTON_API void enqueued(const void* address, Waiter& waiter) noexcept;
FUTON_API void woken(const void* address, Waiter& waiter) noexcept;
FUTON_API void dequeued(const void* address, Waiter& waiter) noexcept;
FUTON_API void requeued(const void* from, const void* to, Waiter& waiter) noexcept;
FUTON_API void acquired_seen(const void* address, Hold hold, std::uint64_t amount, Way way) noexcept;
FUTON_API void releasing_seen(const void* address, Hold hold, std::uint64_t amount) noexcept;
inline void acquired(const void* address, Hold hold, std::uint64_t amount = 1, Way way = Way::ready_to_wait) noexcept {
    if (!diagnostics::detail::passes_over_next()) acquired_seen(address, hold, amount, way);
}
inline void releasing(const void* address, Hold hold, std::uint64_t amount = 1) noexcept {
    if (diagnostics::detail::is_wanted()) releasing_seen(address, hold, amount);
}
FUTON_API void handing_off(const void* address, const Waiter& waiter) noexcept;
FUTON_API void offer_expired(const void* address) noexcept;

}  // namespace probe

}  // namespace futon::core

#include <futon/detail/end.hpp>
