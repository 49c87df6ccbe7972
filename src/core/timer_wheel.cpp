// SPDX-License-Identifier: MIT
#include <futon/core/timer_wheel.hpp>

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
    insert(timer);
}

void TimerWheel::disarm(Timer& timer) noexcept {
    remove(timer);
}

void TimerWheel::insert(Timer& timer) noexcept {
    const Tick difference = timer.tick_ ^ tick_;
    const std::size_t level = difference == 0 ? 0 : (std::bit_width(difference) - 1u) / slot_bits;
    const std::size_t index = (timer.tick_ >> (level * slot_bits)) % slot_count;
    timer.slot_ = static_cast<std::uint16_t>(level * slot_count + index);

    Timer*& first = slots_[timer.slot_];
    if (first == nullptr) {
        timer.next_ = timer.previous_ = first = &timer;
        occupied_[level] |= std::uint64_t{1} << index;
        occupied_levels_ |= 1u << level;
    } else {
        timer.next_ = first;
        timer.previous_ = first->previous_;
        timer.previous_->next_ = &timer;
        first->previous_ = &timer;
    }
}

void TimerWheel::remove(Timer& timer) noexcept {
    Timer*& first = slots_[timer.slot_];
    if (timer.next_ == &timer) {
        first = nullptr;
        const std::size_t level = timer.slot_ / slot_count;
        occupied_[level] &= ~(std::uint64_t{1} << timer.slot_ % slot_count);
        if (occupied_[level] == 0) occupied_levels_ &= ~(1u << level);
    } else {
        timer.next_->previous_ = timer.previous_;
        timer.previous_->next_ = timer.next_;
        if (first == &timer) first = timer.next_;
    }
    timer.next_ = timer.previous_ = nullptr;
}

std::optional<TimerWheel::Slot> TimerWheel::earliest_slot() const noexcept {
    // Whatever lies at a level comes before all that lies above it, and no slot is behind the wheel's tick.
    if (occupied_levels_ == 0) return std::nullopt;
    const auto level = static_cast<std::size_t>(std::countr_zero(occupied_levels_));
    const auto index = static_cast<std::size_t>(std::countr_zero(occupied_[level]));
    const Tick above = tick_ >> ((level + 1) * slot_bits) << ((level + 1) * slot_bits);
    return Slot{level, index, above | (Tick{index} << (level * slot_bits))};
}

bool TimerWheel::advance(TimePoint now) noexcept {
    bool has_fired = false;
    set_time(now);
    // One timer in each pass: what it fires may arm, disarm, or advance the wheel itself.
    while (Timer* timer = pop_due()) {
        timer->fire();
        has_fired = true;
    }
    return has_fired;
}

void TimerWheel::set_time(TimePoint now) noexcept {
    earliest_ = std::max(earliest_, tick_before(now) + 1);
}

Timer* TimerWheel::pop_due() noexcept {
    while (const std::optional<Slot> slot = earliest_slot()) {
        if (slot->begin >= earliest_) break;
        tick_ = std::max(tick_, slot->begin);
        if (slot->level > 0) {
            move_down(*slot);
        } else {
            Timer* timer = first_of(*slot);
            remove(*timer);
            return timer;
        }
    }
    tick_ = std::max(tick_, earliest_ - 1);
    return nullptr;
}

bool TimerWheel::may_have_due() const noexcept {
    const std::optional<Slot> slot = earliest_slot();
    return slot && slot->begin < earliest_;
}

void TimerWheel::move_down(const Slot& slot) noexcept {
    while (Timer* timer = first_of(slot)) {
        remove(*timer);
        insert(*timer);
    }
}

TimerWheel::TimePoint TimerWheel::next_deadline() const noexcept {
    const std::optional<Slot> slot = earliest_slot();
    if (!slot) return TimePoint::max();
    return TimePoint(std::chrono::nanoseconds(slot->begin << tick_bits));
}

Timer* TimerWheel::pop_any() noexcept {
    const std::optional<Slot> slot = earliest_slot();
    if (!slot) return nullptr;
    Timer* timer = first_of(*slot);
    remove(*timer);
    return timer;
}

}  // namespace futon::core
