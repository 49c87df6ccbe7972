// SPDX-License-Identifier: MIT
#pragma once

// In the place of the file of this name that does nothing: what futon::diagnostics is told. See docs/diagnostics.md.

#define FUTON_DIAGNOSTICS 1

#include <futon/detail/begin.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include <futon/detail/export.hpp>

namespace futon {
class Limits;
}

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

}  // namespace futon::diagnostics::detail

namespace futon::core {

class Waiter;
enum class WakeToken : std::uintptr_t;

namespace probe {

inline constexpr bool is_enabled = true;

/// A queued waiter in the lists of the diagnostics. All of it changes under their lock.
struct FUTON_API Stamp {
    Stamp() noexcept = default;
    Stamp(const Stamp&) = delete;
    Stamp& operator=(const Stamp&) = delete;
    ~Stamp();

    Stamp* next = nullptr;  // of all that are queued
    Stamp* previous = nullptr;
    Stamp* next_of_actor = nullptr;
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
    Stamp* queued = nullptr;  // the waiter that was enqueued last
    Attempt* const outer;
};

FUTON_API void about_to_sleep();
FUTON_API void job_begins() noexcept;
FUTON_API void job_ends() noexcept;
FUTON_API void enqueued(const void* address, Waiter& waiter) noexcept;
FUTON_API void woken(const void* address, Waiter& waiter) noexcept;
FUTON_API void dequeued(const void* address, Waiter& waiter) noexcept;
FUTON_API void requeued(const void* from, const void* to, Waiter& waiter) noexcept;
FUTON_API void acquired(const void* address, Hold hold, std::uint64_t amount = 1,
                        Way way = Way::ready_to_wait) noexcept;
FUTON_API void releasing(const void* address, Hold hold, std::uint64_t amount = 1) noexcept;
FUTON_API void handing_off(const void* address, const Waiter& waiter) noexcept;
FUTON_API void offer_expired(const void* address) noexcept;

}  // namespace probe

}  // namespace futon::core

#include <futon/detail/end.hpp>
