// SPDX-License-Identifier: MIT
#include <futon/core/loop/timer_wheel.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace futon::core {

namespace {

std::uint64_t nanoseconds_since_epoch(TimerWheel::TimePoint time) noexcept {
    using std::chrono::nanoseconds;
    const auto count = std::chrono::duration_cast<nanoseconds>(time.time_since_epoch()).count();
    return count < 0 ? 0 : static_cast<std::uint64_t>(count);
}

}  // namespace

TimerWheel::Tick TimerWheel::tick_before(TimePoint time) noexcept {
    return nanoseconds_since_epoch(time) >> tick_bits;
}

TimerWheel::Tick TimerWheel::tick_after(TimePoint time) noexcept {
    const Tick exact = (nanoseconds_since_epoch(time) + (Tick{1} << tick_bits) - 1) >> tick_bits;
    return std::min(exact, tick_before(TimePoint::max()));
}

void TimerWheel::arm(Timer& timer, TimePoint time) noexcept {
    timer.tick_ = std::max(tick_after(time), earliest_);
    insert(timer.tick_ - earliest_ < short_time ? for_short : for_long, timer, End::last);
}

void TimerWheel::disarm(Timer& timer) noexcept {
    remove(timer);
}

void TimerWheel::insert(Sort sort, Timer& timer, End end) noexcept {
    Bank& bank = banks_[sort];
    const Tick difference = timer.tick_ ^ bank.tick;
    const std::size_t level =
        difference == 0 ? 0 : (static_cast<std::size_t>(std::bit_width(difference)) - 1) / slot_bits;
    const std::size_t index = (timer.tick_ >> (level * slot_bits)) % slot_count;
    const std::size_t number = level * slot_count + index;
    timer.slot_ = static_cast<std::uint16_t>(sort * slots_of_bank + number);
    bank.occupied[level] |= std::uint64_t{1} << index;
    bank.occupied_levels |= 1u << level;
    link(bank.slots[number], timer, end);
}

void TimerWheel::link(Timer*& first, Timer& timer, End end) noexcept {
    if (first == nullptr) {
        timer.next_ = timer.previous_ = first = &timer;
        return;
    }
    timer.next_ = first;
    timer.previous_ = first->previous_;
    timer.previous_->next_ = &timer;
    first->previous_ = &timer;
    if (end == End::first) first = &timer;
}

void TimerWheel::remove(Timer& timer) noexcept {
    Bank& bank = banks_[timer.slot_ / slots_of_bank];
    const std::size_t number = timer.slot_ % slots_of_bank;
    Timer*& first = bank.slots[number];
    if (timer.next_ == &timer) {
        first = nullptr;
        if (bank.moving == number) bank.moving = 0;
        const std::size_t level = number / slot_count;
        bank.occupied[level] &= ~(std::uint64_t{1} << number % slot_count);
        if (bank.occupied[level] == 0) bank.occupied_levels &= ~(1u << level);
    } else {
        timer.next_->previous_ = timer.previous_;
        timer.previous_->next_ = timer.next_;
        if (first == &timer) first = timer.next_;
    }
    timer.next_ = timer.previous_ = nullptr;
}

std::optional<TimerWheel::Slot> TimerWheel::earliest_slot(const Bank& bank) noexcept {
    // Timers that have moved down from a slot and timers still in it are not in order, so nothing fires before all have
    // moved.
    if (bank.moving != 0) return Slot{bank.moving, bank.tick};
    // All timers at a level come before those at higher levels, and no slot is behind the bank's tick.
    if (bank.occupied_levels == 0) return std::nullopt;
    const auto level = static_cast<std::size_t>(std::countr_zero(bank.occupied_levels));
    const auto index = static_cast<std::size_t>(std::countr_zero(bank.occupied[level]));
    const Tick above = bank.tick >> ((level + 1) * slot_bits) << ((level + 1) * slot_bits);
    return Slot{level * slot_count + index, above | (Tick{index} << (level * slot_bits))};
}

std::optional<TimerWheel::Slot> TimerWheel::earliest_slot() const noexcept {
    const std::optional<Slot> one = earliest_slot(banks_[for_long]);
    const std::optional<Slot> other = earliest_slot(banks_[for_short]);
    if (!one || !other) return one ? one : other;
    return one->begin <= other->begin ? one : other;
}

bool TimerWheel::advance(TimePoint now, std::size_t work) noexcept {
    bool has_fired = false;
    set_time(now, work);
    // One timer in each pass: the fired timer may arm, disarm, or advance the wheel itself.
    while (Timer* timer = pop_due()) {
        timer->fire();
        has_fired = true;
    }
    return has_fired || may_have_due();
}

void TimerWheel::set_time(TimePoint now, std::size_t work) noexcept {
    earliest_ = std::max(earliest_, tick_before(now) + 1);
    left_ = {work, work};
}

Timer* TimerWheel::pop_due() noexcept {
    while (true) {
        std::optional<Slot> slot;
        Sort sort = for_long;
        for (const Sort candidate : {for_long, for_short}) {
            const std::optional<Slot> earliest = earliest_slot(banks_[candidate]);
            const bool is_due = earliest && earliest->begin < earliest_ && left_[candidate] > 0;
            if (!is_due || (slot && slot->begin <= earliest->begin)) continue;
            slot = earliest;
            sort = candidate;
        }
        if (!slot) break;

        Bank& bank = banks_[sort];
        bank.tick = std::max(bank.tick, slot->begin);
        if (slot->level() > 0) {
            left_[sort] -= move_down(sort, *slot, left_[sort]);
        } else {
            --left_[sort];
            Timer* timer = bank.slots[slot->number];
            remove(*timer);
            return timer;
        }
    }
    for (Bank& bank : banks_)
        if (!may_have_due(bank)) bank.tick = std::max(bank.tick, earliest_ - 1);
    return nullptr;
}

bool TimerWheel::may_have_due(const Bank& bank) const noexcept {
    const std::optional<Slot> slot = earliest_slot(bank);
    return slot && slot->begin < earliest_;
}

bool TimerWheel::may_have_due() const noexcept {
    return may_have_due(banks_[for_long]) || may_have_due(banks_[for_short]);
}

/// Moves up to `work` timers of a slot to lower levels. Timers that are armed meanwhile go behind them. The newest is
/// moved first, to the front, so timers of one tick stay in their order. Returns how many were moved.
std::size_t TimerWheel::move_down(Sort sort, const Slot& slot, std::size_t work) noexcept {
    Bank& bank = banks_[sort];
    bank.moving = static_cast<std::uint16_t>(slot.number);
    std::size_t moved = 0;
    for (; moved < work && bank.slots[slot.number] != nullptr; ++moved) {
        Timer& timer = *bank.slots[slot.number]->previous_;
        remove(timer);
        insert(sort, timer, End::first);
    }
    return moved;
}

TimerWheel::TimePoint TimerWheel::next_deadline() const noexcept {
    const std::optional<Slot> slot = earliest_slot();
    if (!slot) return TimePoint::max();
    return TimePoint(std::chrono::nanoseconds(slot->begin << tick_bits));
}

Timer* TimerWheel::pop_any() noexcept {
    for (const Bank& bank : banks_) {
        const std::optional<Slot> slot = earliest_slot(bank);
        if (!slot) continue;
        Timer* timer = bank.slots[slot->number];
        remove(*timer);
        return timer;
    }
    return nullptr;
}

}  // namespace futon::core
