// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include <futon/detail/chrono.hpp>
#include <futon/detail/export.hpp>
#include <futon/timer.hpp>

namespace futon::core {

/// Timers ordered by deadline, for an executor without timers of its own: a hierarchical wheel. Arming and disarming
/// take the same short time, however many timers are armed. `next_deadline` says when to call `advance`, which fires
/// them.
///
///     void arm(futon::Timer& timer, TimePoint time) noexcept override { wheel.arm(timer, time); }
///     void disarm(futon::Timer& timer) noexcept override { wheel.disarm(timer); }
///
/// Time is counted in ticks of 1024 ns. Level n has 64 slots of 64^n ticks each. A timer lies at the lowest level at
/// which its tick still differs from the wheel's, and moves down when the wheel reaches its slot. Nine levels hold
/// every time of the clock. A timer fires at most one tick late, and never early.
///
/// No call works for long: due timers beyond a call's limit are left to the next call. Timers armed for less than a
/// quarter of a second have slots of their own, so they are not late when very many other timers are due or move down.
///
/// Threads   one at a time; it has no lock.
/// Requires  an armed timer stays in place until it fires or is disarmed.
/// Cost      10 KiB; allocates nothing.
class FUTON_API TimerWheel {
public:
    /// A time point of the steady clock.
    using TimePoint = std::chrono::steady_clock::time_point;

    /// How many timers of each kind, short and long, one `advance` fires or moves down.
    static constexpr std::size_t usual_work = 1024;

    explicit TimerWheel(TimePoint now) noexcept
        : earliest_(tick_before(now) + 1), banks_{Bank(tick_before(now)), Bank(tick_before(now))} {}
    TimerWheel(const TimerWheel&) = delete;
    TimerWheel& operator=(const TimerWheel&) = delete;

    /// Arms a timer that is not armed: an `advance` fires it once `time` has come.
    void arm(Timer& timer, TimePoint time) noexcept;
    /// Disarms a timer that is armed here.
    void disarm(Timer& timer) noexcept;

    /// Fires the timers that are due at `now`, in the order of their ticks, and within one tick in the order of arming.
    /// A timer that is armed meanwhile is due at the next call at the earliest.
    ///
    /// Fires and moves down at most `work` short timers and `work` long ones. If one kind falls behind for that reason,
    /// the other overtakes it; each kind keeps its order.
    ///
    /// Returns  whether any timer fired or is still due: the next call continues then
    bool advance(TimePoint now, std::size_t work = usual_work) noexcept;

    /// The two halves of `advance`, for a loop that does other things between timers. `set_time` says which timers are
    /// due, and how many may be moved and returned until the next `set_time`. `pop_due` disarms and returns the next
    /// due timer, which the caller fires; null if none is due or that work is done. A timer armed after a `set_time` is
    /// due after the next one at the earliest.
    void set_time(TimePoint now, std::size_t work = usual_work) noexcept;
    Timer* pop_due() noexcept;

    /// Whether a timer may be due. Never false if one is due; false once none is due any more.
    bool may_have_due() const noexcept;

    /// A time no later than the earliest deadline. If the last call has left work, no later than now; else not in the
    /// wheel's past. `time_point::max()` if no timer is armed.
    TimePoint next_deadline() const noexcept;

    /// Whether no timer is armed.
    bool is_empty() const noexcept { return banks_[0].occupied_levels == 0 && banks_[1].occupied_levels == 0; }

    /// Disarms any one timer and returns it; null if there is none.
    Timer* pop_any() noexcept;

private:
    using Tick = std::uint64_t;

    static constexpr unsigned tick_bits = 10;  // 1024 ns
    static constexpr unsigned slot_bits = 6;
    static constexpr std::size_t slot_count = 1u << slot_bits;
    static constexpr std::size_t level_count = 9;  // 9 * 6 + 10 = 64

    static constexpr std::size_t slots_of_bank = level_count * slot_count;
    static constexpr Tick short_time = Tick{1} << (3 * slot_bits);  // 268 ms

    struct Slot {
        std::size_t number;  // within its bank
        Tick begin;

        std::size_t level() const noexcept { return number / slot_count; }
    };

    /// A wheel for timers of one kind.
    struct Bank {
        explicit Bank(Tick now) noexcept : tick(now) {}

        Tick tick;                          // everything before it has fired
        std::uint32_t occupied_levels = 0;  // a bit for each level
        std::uint16_t moving = 0;           // a slot that was not completely moved down; 0 if there is none
        std::array<std::uint64_t, level_count> occupied{};  // a bit for each slot
        std::array<Timer*, slots_of_bank> slots{};          // rings, in the order of arming
    };

    /// Short timers are armed after the long ones that are due at the same tick, so the long ones come first.
    enum Sort : std::size_t { for_long, for_short, sorts };

    /// The end of a slot at which a timer is inserted.
    enum class End : bool { first, last };

    static Tick tick_before(TimePoint time) noexcept;
    static Tick tick_after(TimePoint time) noexcept;

    static void link(Timer*& first, Timer& timer, End end) noexcept;
    void insert(Sort sort, Timer& timer, End end) noexcept;
    void remove(Timer& timer) noexcept;
    static std::optional<Slot> earliest_slot(const Bank& bank) noexcept;
    std::optional<Slot> earliest_slot() const noexcept;
    bool may_have_due(const Bank& bank) const noexcept;
    std::size_t move_down(Sort sort, const Slot& slot, std::size_t work) noexcept;

    Tick earliest_;  // the earliest tick to arm a timer for; all earlier ones are due
    std::array<Bank, sorts> banks_;
    std::array<std::size_t, sorts> left_{};  // how many timers may be moved or returned until the next `set_time`
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
