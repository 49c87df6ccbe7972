// SPDX-License-Identifier: MIT
#include "exploration.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>
#include <utility>

namespace futon::explorer {

namespace {

constexpr int unlimited = std::numeric_limits<int>::max();
constexpr int most_counted = 61;  // more preemptions are as good as any number
constexpr std::uint64_t most_steps = 20'000;

}  // namespace

Exploration::Exploration(const Options& options) : options_(options), decisions_(options) {
    if (options_.strategy == Strategy::exhaustive && options_.preemptions > most_counted)
        options_.preemptions = unlimited;
}

Report Exploration::run(const std::function<void()>& program) {
    while (report_.schedules < options_.schedules) {
        run_once(program);
        ++report_.schedules;
        report_.states = seen_.size();
        if (!report_.failure.empty()) {
            report_.schedule = decisions_.to_string();
            report_.trace = trace();
            return report_;
        }
        if (!options_.replay.empty()) return report_;
        if (!decisions_.advance()) {
            report_.is_exhausted = true;
            return report_;
        }
    }
    return report_;
}

void Exploration::run_once(const std::function<void()>& program) {
    static std::uint64_t schedules = 0;
    schedule_ = ++schedules;
    decisions_.rewind();
    memory_.reset();
    causality_.reset();
    events_.clear();
    names_.clear();
    count_ = 0;
    steps_ = 0;
    is_coasting_ = false;
    preemptions_left_ = options_.strategy == Strategy::exhaustive ? options_.preemptions : unlimited;
    stale_loads_left_ = options_.stale_loads;
    clock_leaps_left_ = options_.clock_leaps;
    early_ticks_left_ = options_.early_ticks;
    allocation_failures_left_ = options_.allocation_failures;
    spurious_wakes_left_ = options_.spurious_wakes;
    clock_ = TimePoint(std::chrono::hours(1));
    if (options_.strategy == Strategy::pct) {
        change_points_.clear();
        for (int i = 0; i < options_.preemptions; ++i) change_points_.push_back(decisions_.random() % 200);
    }
    start(0, "program", 0, [this, &program] {
        for (void (*const handler)() noexcept : handlers()) handler();
        // How much there was to begin anew is the last schedule's, and no part of this one's past.
        causality_.reset();
        causality_.begin(0, 0, 0);
        events_.clear();
        program();
    });
    fibers_.switch_to(0);
    if (!report_.failure.empty()) return;
    for (int i = 1; i < count_; ++i)
        if (fiber(i).is_background && !fiber(i).has_ended) fibers_.abandon(i);
    if (options_.counts_ends && ends_.insert(mix(causality_.fingerprint(count_), 0), 0)) {
        ++report_.ends;
        report_.ends_digest += causality_.fingerprint(count_);
    }
}

void Exploration::start(int index, std::string name, int parent, std::function<void()> body) {
    std::uint64_t number = 0;
    for (const char letter : name) number = mix(number, static_cast<unsigned char>(letter));
    causality_.begin(index, number, parent);
    fiber(index) = {.name = std::move(name), .priority = decisions_.is_random() ? (decisions_.random() | 1'000) : 0};
    ++count_;
    fibers_.start(index, [this, index, body = std::move(body)] {
        causality_.step(index, nullptr, Access::none);
        is_deciding_ = false;
        body();
        is_deciding_ = true;
        return end_fiber();
    });
}

void Exploration::spawn(std::string name, std::function<void()> body) {
    if (count_ == max_fibers) fail("too many fibers");
    const int index = count_;
    start(index, std::move(name), current(), std::move(body));
    memory_.begin(index, current());
}

void Exploration::spawn_background(std::string name, std::function<void()> body) {
    const bool was_deciding = std::exchange(is_deciding_, true);  // its memory does not fail
    spawn(std::move(name), std::move(body));
    fiber(count_ - 1).is_background = true;
    is_deciding_ = was_deciding;
}

void Exploration::join() {
    await(
        "join", this,
        [](const void* place) noexcept {
            const auto& self = *static_cast<const Exploration*>(place);
            return std::all_of(self.all_.begin() + 1, self.all_.begin() + self.count_,
                               [](const Fiber& fiber) { return fiber.has_ended || fiber.is_background; });
        },
        TimePoint::max());
    causality_.decide(current(), causality_.fingerprint(count_));
    for (int i = 1; i < count_; ++i) {
        if (fiber(i).is_background) continue;
        Clock clock;
        memory_.publish(i, clock);
        memory_.acquire(0, clock);
    }
}

void Exploration::point(const char* what, const void* place, Access access) {
    is_deciding_ = true;
    record(what, place);
    if (++steps_ > most_steps) fail("no end: the schedule takes more than 20,000 steps");
    if (count_ > 1 && preemptions_left_ > 0) go_on();
    causality_.step(current(), place, access);
    is_deciding_ = false;
}

bool Exploration::await(const char* what, const void* place, Readiness* is_ready, TimePoint deadline) {
    is_deciding_ = true;
    record(what, place);
    if (++steps_ > most_steps) fail("no end: the schedule takes more than 20,000 steps");
    Fiber& self = this->self();
    self.is_ready = is_ready;
    self.place = place;
    self.deadline = deadline;
    self.has_timed_out = false;
    if (!can_go_on(self) || (count_ > 1 && preemptions_left_ > 0)) go_on();
    self.is_ready = nullptr;
    causality_.step(current(), place, Access::write);
    is_deciding_ = false;
    return !self.has_timed_out;
}

/// The fibers that could run: the current one first, if it can go on; then the others that can; then those that wait for a time, the
/// earliest first. So where a schedule says nothing no time passes before all others wait, and none is passed over for ever.
void Exploration::gather() {
    candidates_.clear();
    can_stay_ = !self().has_ended && can_go_on(self());
    if (can_stay_) candidates_.push_back(current());
    const auto add_others = [this](bool ready) {
        for (int i = 0; i < count_; ++i) {
            if (fiber(i).has_ended || (can_stay_ && i == current()) || can_go_on(fiber(i)) != ready) continue;
            if (ready || fiber(i).deadline != TimePoint::max()) candidates_.push_back(i);
        }
    };
    add_others(true);
    is_one_ready_ = !candidates_.empty();
    const auto ready = candidates_.size();
    add_others(false);
    std::ranges::stable_sort(candidates_.begin() + static_cast<std::ptrdiff_t>(ready), candidates_.end(), {},
                             [this](int i) { return fiber(i).deadline; });
    if (early_ticks_left_ == 0 && is_one_ready_)
        std::erase_if(candidates_, [this](int i) { return fiber(i).is_background && !can_go_on(fiber(i)); });
    if (candidates_.empty()) fail("deadlock: no fiber can go on, so a wake-up was lost" + waiting());
}

/// One of the candidates. It costs a preemption if the current fiber could go on.
int Exploration::decide_next() {
    ++report_.points;
    const std::size_t chosen =
        options_.strategy == Strategy::pct && decisions_.is_random() ? decide_by_priority() : decide_fairly();
    if (chosen > 0 && can_stay_ && preemptions_left_ != unlimited) --preemptions_left_;
    return candidates_[chosen];
}

/// A step that was taken before from the same state, by the same fiber, with as many preemptions and as much else left, is
/// not taken again.
std::size_t Exploration::decide_fairly() {
    if (is_coasting_ || candidates_.size() == 1) return 0;
    if (decisions_.is_random() || !options_.replay.empty() || !options_.skips_seen || !decisions_.is_new())
        return decisions_.decide(candidates_.size());

    std::uint64_t state = causality_.fingerprint(count_);
    state = mix(state, static_cast<std::uint64_t>(stale_loads_left_) << 32 | static_cast<unsigned>(clock_leaps_left_));
    state = mix(state, static_cast<std::uint64_t>(allocation_failures_left_) << 32 |
                           static_cast<unsigned>(spurious_wakes_left_));
    state = mix(state, static_cast<unsigned>(early_ticks_left_));
    std::uint32_t allowed = 0;
    for (std::size_t i = 0; i < candidates_.size(); ++i) {
        const int left =
            preemptions_left_ == unlimited ? most_counted : preemptions_left_ - (can_stay_ && i > 0 ? 1 : 0);
        if (seen_.insert(mix(state, causality_.past(candidates_[i])), left)) allowed |= 1u << i;
    }
    is_coasting_ = allowed == 0;
    return is_coasting_ ? 0 : decisions_.decide(candidates_.size(), allowed);
}

std::size_t Exploration::decide_by_priority() {
    if (std::ranges::find(change_points_, steps_) != change_points_.end())
        fiber(candidates_[0]).priority = decisions_.random() % 1'000;
    const auto highest =
        std::ranges::max_element(candidates_, {}, [this](int candidate) { return fiber(candidate).priority; });
    return decisions_.impose(static_cast<std::size_t>(highest - candidates_.begin()), candidates_.size());
}

/// Lets one of the candidates go on, which may be the current fiber.
void Exploration::go_on() {
    gather();
    if (const int next = time_out_unless_ready(decide_next()); next != current()) fibers_.switch_to(next);
}

int Exploration::time_out_unless_ready(int next) {
    Fiber& fiber = this->fiber(next);
    if (!can_go_on(fiber)) {
        if (is_one_ready_ && fiber.is_background) --early_ticks_left_;
        fiber.has_timed_out = true;
        clock_ = std::max(clock_, fiber.deadline);
        causality_.step(next, &clock_, Access::write);
    }
    return next;
}

/// Returns the fiber that goes on when the current one has ended.
int Exploration::end_fiber() {
    record("end", nullptr);
    self().has_ended = true;
    if (current() == 0) return Fibers::outside;
    gather();
    return time_out_unless_ready(decide_next());
}

void Exploration::fail(std::string what) {
    is_deciding_ = true;
    report_.failure = std::move(what);
    fibers_.switch_to(Fibers::outside);
    std::abort();
}

std::size_t Exploration::choose(std::size_t count) {
    const bool was_deciding = std::exchange(is_deciding_, true);
    ++report_.points;
    const std::size_t chosen = is_coasting_ ? 0 : decisions_.decide(count);
    causality_.decide(current(), chosen);
    is_deciding_ = was_deciding;
    return chosen;
}

bool Exploration::allocation_fails() {
    if (is_deciding_ || current() == Fibers::outside) return false;  // between schedules there is no fiber
    if (self().failing_scopes == 0 || allocation_failures_left_ == 0 || choose(2) == 0) return false;
    --allocation_failures_left_;
    return true;
}

bool Exploration::wakes_spuriously() {
    if (spurious_wakes_left_ == 0 || choose(2) == 0) return false;
    --spurious_wakes_left_;
    return true;
}

Exploration::TimePoint Exploration::now() {
    if (clock_leaps_left_ > 0 && choose(2) == 1) {
        --clock_leaps_left_;
        clock_ += std::chrono::seconds(1);
        causality_.step(current(), &clock_, Access::write);
    } else {
        causality_.step(current(), &clock_, Access::read);
    }
    return clock_;
}

std::uint64_t Exploration::load(const void* cell, std::uint64_t newest, std::memory_order order) {
    if (!is_weak()) return newest;
    std::size_t age = 0;
    if (const std::size_t count = memory_.candidates(current(), cell, newest, order);
        count > 1 && stale_loads_left_ > 0)
        age = choose(count);
    if (age > 0) {
        --stale_loads_left_;
        record("  …an older value", cell);
    }
    return memory_.load(current(), cell, age, order);
}

void Exploration::fence() {
    if (!is_weak()) return;
    point("fence", &memory_, Access::write);
    memory_.fence(current());
}

void Exploration::heavy_fence() {
    if (!is_weak()) return;
    point("heavy fence", &memory_, Access::write);
    memory_.heavy_fence(current(), count_);
    causality_.touch_all(current(), count_);
}

void Exploration::forget(const void* cell) {
    causality_.forget(cell);
    if (is_weak()) memory_.forget(cell);
}

}  // namespace futon::explorer
