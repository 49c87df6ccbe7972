// SPDX-License-Identifier: MIT
#include <futon/core/operation/pace.hpp>

#include <algorithm>

#include "platform/clock.hpp"

namespace futon::core {

namespace {

using Time = Pace::Time;
using Prospect = Pace::Prospect;

// No relaxed load: it is read under locks that do not protect it, and those who explore take a relaxed load under a lock for one
// that the lock orders.
template <class T>
T get(const detail::Atomic<T>& statistic) noexcept {
    return statistic.load();
}
template <class T>
void set(detail::Atomic<T>& statistic, T value) noexcept {
    if (get(statistic) != value) statistic.store(value, std::memory_order_relaxed);  // a statistic
}

constexpr Time between(Time earlier, Time later) noexcept {
    return later > earlier ? later - earlier : 0;
}

constexpr Time keeps_noting = 1'000'000'000;  // after the last question
constexpr Time comes_at_once = Pace::usual_offer / 4;
constexpr Time least_slack = 500'000;
constexpr Time longest_allowance = 32'000'000;
constexpr std::uint8_t most_vains = 2;
constexpr Time share = 7;  // of the time that a task has waited: what offers to it may keep the resource idle

// Both are counted in turns, and hold for loops that tell when they sleep. Little is spent on a task that has not waited for
// long: where releases are frequent, one of them comes just before the look.
constexpr Time full_share_after = 4;
constexpr Time doubted_after = 2;  // that its turns are alike

constexpr std::uint8_t one_more(std::uint8_t vains) noexcept {
    return vains < most_vains ? static_cast<std::uint8_t>(vains + 1) : most_vains;
}

}  // namespace

Pace::Time Pace::now() noexcept {
    return static_cast<Time>(platform::shared_now().count());
}

void Pace::look(Time now) noexcept {
    set<std::uint8_t>(tells_look_, 1);
    note_look(now);
}

void Pace::note_look(Time now) noexcept {
    const Time before = get(look_);
    const Time turn = between(before, now);
    if (before != 0 && (before & asleep) == 0 && turn <= longest_turn) {
        const auto length = static_cast<std::uint32_t>(turn);
        const std::uint32_t longest = get(longest_turn_);
        set(turn_, length);
        set(longest_turn_, std::max(length, longest - longest / 32));
    }
    if (get(wanted_) > 1) {
        set<std::uint8_t>(wanted_, 1);
        set(wanted_since_, now);
    } else if (between(get(wanted_since_), now) > keeps_noting) {
        set<std::uint8_t>(wanted_, 0);
        set(look_, Time{0});
        return;
    }
    set(look_, now & ~asleep);
}

void Pace::will_tell() noexcept {
    set<std::uint8_t>(tells_sleep_, 1);
}

void Pace::fall_asleep(Time now) noexcept {
    will_tell();
    if (get(look_) != 0) set(look_, now | asleep);
}

void Pace::came(Time now) noexcept {
    const Time until = get(relied_until_);
    if (until == 0) return;
    const bool is_in_time = now <= until;
    set(vains_, is_in_time ? std::uint8_t{0} : one_more(get(vains_)));
    const Time delay = between(get(relied_at_), now);
    // Of a loop that is known by its arrivals: one that is about to look comes soon, too, so that it is not busy any more shows in
    // one that comes at once.
    const bool is_doubtful = get(tells_look_) == 0 && delay >= comes_at_once && delay <= usual_offer;
    if (!is_doubtful) set<std::uint8_t>(is_slow_, delay > usual_offer ? 1 : 0);
    set(spent_, now);
    set(relied_until_, Time{0});
    if (get(tells_look_) == 0) note_look(now);
}

void Pace::rely(Time now, Time until, bool is_rare) noexcept {
    if (const Time before = get(relied_until_); before != 0 && before < now) {
        set(vains_, one_more(get(vains_)));
        set(spent_, now);
    }
    set(relied_until_, until);
    set(relied_at_, now);
    if (is_rare) set(rare_, now);
}

/// How long an offer may keep a resource idle now. It doubles with each that was in vain, for the loop was nearly met.
Time Pace::allowance(Time now, Time since) const noexcept {
    const Time waited = between(std::max(since, get(spent_)), now);
    const Time full = get(tells_sleep_) != 0 ? full_share_after * get(turn_) : 0;
    const Time part = waited < full ? waited * waited / full : waited;
    return std::min(longest_allowance, part / share << get(vains_));
}

/// Of a loop whose turn began then, and is taken to be that long.
Prospect Pace::in_turn(Time now, Time begin, Time turn, Time allowance) const noexcept {
    const Time remaining = between(now, begin + turn);
    if (remaining > allowance) return {Plan::later};
    return {Plan::offer, now + std::max(usual_offer, remaining + std::max(least_slack, turn / 4))};
}

Prospect Pace::prospect(Time now, Time since, bool is_strict) noexcept {
    set<std::uint8_t>(wanted_, 2);
    const Prospect at_once{Plan::serve, now + usual_offer};
    const Time look = get(look_);
    const Time begin = look & ~asleep;
    const Time until = get(relied_until_);
    if (until != 0 && until < now && begin <= get(relied_at_)) return {Plan::call};  // it is late
    if ((look & asleep) != 0) return at_once;
    const bool is_slow = get(is_slow_) != 0;
    const bool tells_sleep = get(tells_sleep_) != 0;
    if (!is_slow && !tells_sleep) return at_once;  // it may well sleep
    const Time turn = get(turn_);
    if (look == 0 || turn == 0) return is_slow ? Prospect{Plan::call} : at_once;

    const Time lasts = between(begin, now);
    const Time longest = get(longest_turn_);
    // In a strict order a loop whose turns were all short is not given up before an offer to it would expire.
    if (lasts > std::max(longest + longest / 8, is_strict ? usual_offer : Time{0})) return {Plan::call};
    if (is_strict) return in_turn(now, begin, longest, longest_turn);
    const Time waited = between(std::max(since, get(rare_)), now);
    if (lasts <= turn + turn / 8) {
        const Prospect next = in_turn(now, begin, turn, allowance(now, since));
        if (next.plan == Plan::offer || (tells_sleep && waited < doubted_after * longest)) return next;
    }
    // Turns may alternate. An offer that waits for the longest is dear, so it is made where few are.
    Prospect rare = in_turn(now, begin, longest, std::min(2 * longest_allowance, waited / share));
    rare.is_rare = true;
    return rare;
}

}  // namespace futon::core
