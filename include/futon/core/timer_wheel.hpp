// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <futon/timer.hpp>

namespace futon::core {

/// Timers by their deadlines: a hierarchical wheel, in which arming and disarming take the same short time however many
/// are armed. It gives an executor that has no timers of its own `arm` and `disarm`, and says when to call `advance`.
///
/// Time is counted in ticks of 1024 ns. Level n has 64 slots of 64^n ticks each; a timer lies at the lowest level where
/// its tick still differs from the wheel's, and moves down when the wheel comes to its slot. Nine levels hold every
/// time of the clock. A timer fires at most one tick late, and never early.
///
/// Threads   one at a time; there is no lock inside.
/// Requires  an armed timer stays in place until it fires or is disarmed.
/// Cost      5 KiB; allocates nothing.
class TimerWheel {
public:
    using TimePoint = std::chrono::steady_clock::time_point;

    explicit TimerWheel(TimePoint now) noexcept : tick_(tick_before(now)), earliest_(tick_ + 1) {}
    TimerWheel(const TimerWheel&) = delete;
    TimerWheel& operator=(const TimerWheel&) = delete;

    /// Arms a timer that is not armed: an `advance` fires it once `time` has come.
    void arm(Timer& timer, TimePoint time) noexcept;
    /// Takes back a timer that is armed here.
    void disarm(Timer& timer) noexcept;

    /// Fires what is due at `now`, in the order of the ticks; returns whether anything was. What is armed meanwhile is
    /// due at the next call at the earliest.
    bool advance(TimePoint now) noexcept;

    /// The two halves of `advance`, for a loop that does other things between two timers: `set_time` says what is due,
    /// and `pop_due` disarms and returns the next of it, which the caller fires; null if nothing is due any more. What is
    /// armed after a `set_time` is due after the next one at the earliest.
    void set_time(TimePoint now) noexcept;
    Timer* pop_due() noexcept;

    /// Whether `pop_due` may return a timer: never false if it would. False once it has returned null.
    bool may_have_due() const noexcept;

    /// No later than the earliest deadline, and not in the past of the wheel; `time_point::max()` if there is none.
    TimePoint next_deadline() const noexcept;

    bool is_empty() const noexcept { return occupied_levels_ == 0; }

    /// Disarms any one timer and returns it; null if there is none.
    Timer* pop_any() noexcept;

private:
    using Tick = std::uint64_t;

    static constexpr unsigned tick_bits = 10;  // 1024 ns
    static constexpr unsigned slot_bits = 6;
    static constexpr std::size_t slot_count = 1u << slot_bits;
    static constexpr std::size_t level_count = 9;  // 9 * 6 + 10 = 64

    struct Slot {
        std::size_t level;
        std::size_t index;
        Tick begin;
    };

    static Tick tick_before(TimePoint time) noexcept;
    static Tick tick_after(TimePoint time) noexcept;

    void insert(Timer& timer) noexcept;
    void remove(Timer& timer) noexcept;
    std::optional<Slot> earliest_slot() const noexcept;
    void move_down(const Slot& slot) noexcept;

    Timer*& first_of(const Slot& slot) noexcept { return slots_[slot.level * slot_count + slot.index]; }

    Tick tick_;                                          // everything before it has fired
    Tick earliest_;                                      // the earliest tick to arm a timer for: all before it are due
    std::uint32_t occupied_levels_ = 0;                  // a bit for each level
    std::array<std::uint64_t, level_count> occupied_{};  // a bit for each slot
    std::array<Timer*, level_count * slot_count> slots_{};
};

}  // namespace futon::core
