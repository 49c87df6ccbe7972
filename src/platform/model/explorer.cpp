// SPDX-License-Identifier: MIT
#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>

#include "decisions.hpp"
#include "kernel.hpp"
#include "memory.hpp"
#include "model.hpp"

namespace futon::model {

namespace {

using Context = boost::context::fiber;
using TimePoint = std::chrono::steady_clock::time_point;

struct Fiber {
    enum class State : std::uint8_t { ready, blocked, finished };

    std::string name;
    std::function<void()> body;
    Context context;
    State state = State::ready;
    TimePoint deadline = TimePoint::max();
    bool has_timed_out = false;
    void* slot = nullptr;
    int held_locks = 0;
    std::uint64_t priority = 0;
};

struct Event {
    int fiber;
    const char* what;
    const void* where;
};

/// One exploration. It is left behind as it is when it fails: its fibers are stopped in the middle of functions that
/// cannot be left by an exception.
class Explorer {
public:
    explicit Explorer(const Options& options) : options_(options), decisions_(options) {}

    Report explore(const std::function<void()>& program) {
        while (report_.schedules < options_.schedules) {
            run_once(program);
            ++report_.schedules;
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

    // For the running fiber.

    void spawn(std::string name, std::function<void()> body) {
        const int fiber = static_cast<int>(count_++);
        if (fiber == max_fibers) fail("too many fibers");
        start(fiber, std::move(name), std::move(body));
        memory_.begin(fiber, current_);
    }

    void join() {
        while (std::any_of(fibers_.begin() + 1, fibers_.begin() + static_cast<std::ptrdiff_t>(count_),
                           [](const Fiber& fiber) { return fiber.state != Fiber::State::finished; }))
            block("join", nullptr, TimePoint::max());
        for (int i = 1; i < static_cast<int>(count_); ++i) {
            Clock clock;
            memory_.publish(i, clock);
            memory_.acquire(0, clock);
        }
    }

    void point(const char* what, const void* where) {
        record(what, where);
        if (++steps_ > 20'000) fail("no end: the schedule goes on for ever");
        if (count_ == 1) return;
        gather(true);
        if (options_.strategy == Strategy::exhaustive && preemptions_left_ == 0) return;
        const std::size_t chosen = decide_fiber();
        if (chosen == 0) return;
        --preemptions_left_;
        switch_to(candidates_[chosen]);
    }

    bool block(const char* what, const void* where, TimePoint deadline) {
        record(what, where);
        Fiber& self = fibers_[static_cast<std::size_t>(current_)];
        self.state = Fiber::State::blocked;
        self.deadline = deadline;
        self.has_timed_out = false;
        gather(false);
        if (candidates_.empty()) fail("deadlock: nobody can go on, so a wake-up was lost");
        switch_to(candidates_[decide_fiber()]);
        return !self.has_timed_out;
    }

    void make_ready(int fiber) {
        Fiber& other = fibers_[static_cast<std::size_t>(fiber)];
        if (other.state == Fiber::State::blocked) other.state = Fiber::State::ready;
    }

    [[noreturn]] void fail(const char* what) {
        report_.failure = what;
        leave_schedule();
        std::abort();
    }

    std::size_t choose(std::size_t count) {
        ++report_.points;
        return decisions_.decide(count);
    }

    TimePoint now() {
        if (clock_leaps_left_ > 0 && choose(2) == 1) {
            --clock_leaps_left_;
            clock_ += std::chrono::seconds(1);
        }
        return clock_;
    }

    bool is_weak() const { return options_.stale_loads > 0; }

    std::uint64_t load(const void* cell, std::uint64_t newest, std::memory_order order) {
        if (!is_weak()) return newest;
        std::size_t age = 0;
        if (const std::size_t count = memory_.candidates(current_, cell, newest, order);
            count > 1 && stale_loads_left_ > 0)
            age = choose(count);
        if (age > 0) {
            --stale_loads_left_;
            record("  …an older value", cell);
        }
        return memory_.load(current_, cell, age, order);
    }

    int current() const { return current_; }
    std::uint64_t schedule() const { return schedule_; }
    void*& slot() { return fibers_[static_cast<std::size_t>(current_)].slot; }
    int& held_locks() { return fibers_[static_cast<std::size_t>(current_)].held_locks; }
    Memory& memory() { return memory_; }

private:
    void run_once(const std::function<void()>& program) {
        static std::uint64_t schedules = 0;
        schedule_ = ++schedules;
        decisions_.rewind();
        memory_.reset();
        events_.clear();
        count_ = 1;
        current_ = 0;
        steps_ = 0;
        preemptions_left_ = options_.strategy == Strategy::exhaustive ? options_.preemptions : 1'000'000;
        stale_loads_left_ = options_.stale_loads;
        clock_leaps_left_ = options_.clock_leaps;
        clock_ = TimePoint(std::chrono::hours(1));
        if (options_.strategy == Strategy::pct) {
            change_points_.clear();
            for (int i = 0; i < options_.preemptions; ++i) change_points_.push_back(decisions_.random() % 200);
        }
        start(0, "program", program);
        root_ = std::move(fibers_[0].context).resume();
    }

    void start(int index, std::string name, std::function<void()> body) {
        Fiber& fiber = fibers_[static_cast<std::size_t>(index)];
        fiber.name = std::move(name);
        fiber.body = std::move(body);
        fiber.state = Fiber::State::ready;
        fiber.slot = nullptr;
        fiber.held_locks = 0;
        fiber.priority = decisions_.is_random() ? (decisions_.random() | 1'000) : 0;
        fiber.context = Context(std::allocator_arg, stacks_, [this, index](Context&& from) {
            arrive(std::move(from));
            Fiber& self = fibers_[static_cast<std::size_t>(index)];
            self.body();
            self.state = Fiber::State::finished;
            return finish();
        });
    }

    /// Keeps the context of whoever switched here, where the next switch to it will look.
    void arrive(Context&& from) {
        if (previous_ >= 0) {
            fibers_[static_cast<std::size_t>(previous_)].context = std::move(from);
        } else if (from) {
            root_ = std::move(from);
        }
        previous_ = -1;
    }

    void switch_to(int next) {
        wake_if_timed(next);
        if (next == current_) return;
        previous_ = current_;
        current_ = next;
        Context from = std::move(fibers_[static_cast<std::size_t>(next)].context).resume();
        arrive(std::move(from));
    }

    /// The end of a fiber: goes on with another one, or with the root when the program itself has ended.
    Context finish() {
        record("end", nullptr);
        if (current_ == 0) return std::move(root_);
        make_ready(0);
        gather(false);
        if (candidates_.empty()) fail("deadlock: nobody can go on, so a wake-up was lost");
        const int next = candidates_[decide_fiber()];
        wake_if_timed(next);
        previous_ = -1;
        current_ = next;
        return std::move(fibers_[static_cast<std::size_t>(next)].context);
    }

    void leave_schedule() {
        previous_ = current_;
        Context from = std::move(root_).resume();
        arrive(std::move(from));
    }

    void wake_if_timed(int next) {
        Fiber& fiber = fibers_[static_cast<std::size_t>(next)];
        if (fiber.state != Fiber::State::blocked) return;
        fiber.state = Fiber::State::ready;
        fiber.has_timed_out = true;
        clock_ = std::max(clock_, fiber.deadline);
    }

    /// Who could run: the current fiber first, if it can; a blocked one with a deadline can, by its time-out.
    void gather(bool with_current) {
        candidates_.clear();
        if (with_current) candidates_.push_back(current_);
        for (int i = 0; i < static_cast<int>(count_); ++i) {
            const Fiber& fiber = fibers_[static_cast<std::size_t>(i)];
            const bool can_run = fiber.state == Fiber::State::ready ||
                                 (fiber.state == Fiber::State::blocked && fiber.deadline != TimePoint::max());
            if (can_run && !(with_current && i == current_)) candidates_.push_back(i);
        }
    }

    std::size_t decide_fiber() {
        ++report_.points;
        if (options_.strategy != Strategy::pct || !decisions_.is_random()) return decisions_.decide(candidates_.size());
        if (std::ranges::find(change_points_, steps_) != change_points_.end())
            fibers_[static_cast<std::size_t>(candidates_[0])].priority = decisions_.random() % 1'000;
        const auto highest = std::ranges::max_element(
            candidates_, {}, [this](int fiber) { return fibers_[static_cast<std::size_t>(fiber)].priority; });
        return decisions_.impose(static_cast<std::size_t>(highest - candidates_.begin()), candidates_.size());
    }

    void record(const char* what, const void* where) { events_.push_back({current_, what, where}); }

    std::string trace() const {
        std::string text;
        std::map<const void*, std::size_t> numbers;
        for (const Event& event : events_) {
            text += "  " + fibers_[static_cast<std::size_t>(event.fiber)].name + ": " + event.what;
            if (event.where != nullptr)
                text += " #" + std::to_string(numbers.try_emplace(event.where, numbers.size() + 1).first->second);
            text += '\n';
        }
        return text;
    }

    Options options_;
    Decisions decisions_;
    Memory memory_;
    Report report_;

    boost::context::pooled_fixedsize_stack stacks_{256 * 1024};
    std::array<Fiber, max_fibers> fibers_;
    std::size_t count_ = 0;
    std::uint64_t schedule_ = 0;
    int current_ = 0;
    int previous_ = -1;
    Context root_;

    std::vector<int> candidates_;
    std::vector<std::uint64_t> change_points_;
    std::vector<Event> events_;
    std::uint64_t steps_ = 0;
    int preemptions_left_ = 0;
    int stale_loads_left_ = 0;
    int clock_leaps_left_ = 0;
    TimePoint clock_;
};

Explorer* explorer = nullptr;

}  // namespace

Report explore(const Options& options, const std::function<void()>& program) {
    explorer = new Explorer(options);
    Report report = explorer->explore(program);
    if (report.failure.empty()) delete explorer;
    explorer = nullptr;
    return report;
}

void spawn(std::string name, std::function<void()> body) {
    explorer->spawn(std::move(name), std::move(body));
}

void join() {
    explorer->join();
}

void check(bool claim, const char* what) {
    if (!claim) fail(what);
}

std::size_t choose(std::size_t count) {
    return explorer->choose(count);
}

void point(const char* what, const void* where) noexcept {
    if (explorer != nullptr) explorer->point(what, where);
}

bool block(const char* what, const void* where, TimePoint deadline) noexcept {
    return explorer->block(what, where, deadline);
}

int this_fiber() noexcept {
    return explorer == nullptr ? 0 : explorer->current();
}

void make_ready(int fiber) noexcept {
    explorer->make_ready(fiber);
}

void fail(const char* what) noexcept {
    if (explorer == nullptr) std::abort();
    explorer->fail(what);
}

TimePoint virtual_now() noexcept {
    return explorer == nullptr ? TimePoint(std::chrono::hours(1)) : explorer->now();
}

void*& fiber_slot() noexcept {
    static void* outside = nullptr;
    return explorer == nullptr ? outside : explorer->slot();
}

int& held_locks() noexcept {
    static int outside = 0;
    return explorer == nullptr ? outside : explorer->held_locks();
}

std::uint64_t load(const void* cell, std::uint64_t newest, std::memory_order order) noexcept {
    return explorer == nullptr ? newest : explorer->load(cell, newest, order);
}

void store(const void* cell, std::uint64_t previous, std::uint64_t value, std::memory_order order) noexcept {
    if (explorer != nullptr && explorer->is_weak())
        explorer->memory().store(this_fiber(), cell, previous, value, order);
}

void read_modify_write(const void* cell, std::uint64_t previous, std::uint64_t value,
                       std::memory_order order) noexcept {
    if (explorer != nullptr && explorer->is_weak())
        explorer->memory().modify(this_fiber(), cell, previous, value, order);
}

void read_newest(const void* cell, std::uint64_t newest, std::memory_order order) noexcept {
    if (explorer == nullptr || !explorer->is_weak()) return;
    explorer->memory().candidates(this_fiber(), cell, newest, order);
    explorer->memory().load(this_fiber(), cell, 0, order);
}

void forget(const void* cell) noexcept {
    if (explorer != nullptr && explorer->is_weak()) explorer->memory().forget(cell);
}

void fence() noexcept {
    if (explorer != nullptr && explorer->is_weak()) explorer->memory().fence(this_fiber());
}

void publish(Clock& clock) noexcept {
    if (explorer == nullptr) return;
    if (clock.schedule != explorer->schedule()) clock = {.schedule = explorer->schedule()};
    explorer->memory().publish(this_fiber(), clock);
}

void acquire(const Clock& clock) noexcept {
    if (explorer != nullptr && clock.schedule == explorer->schedule()) explorer->memory().acquire(this_fiber(), clock);
}

std::int64_t Shared::load() const {
    if (explorer != nullptr && explorer->is_weak()) {
        const int me = this_fiber();
        if (writer_ >= 0 && writer_ != me && !explorer->memory().knows(me, writer_, written_at_))
            fail("data race: a store is not ordered before this load");
        read_at_[me] = explorer->memory().tick(me);
    }
    return value_;
}

void Shared::store(std::int64_t value) {
    if (explorer != nullptr && explorer->is_weak()) {
        const int me = this_fiber();
        if (writer_ >= 0 && writer_ != me && !explorer->memory().knows(me, writer_, written_at_))
            fail("data race: a store is not ordered before this store");
        for (int other = 0; other < max_fibers; ++other)
            if (other != me && read_at_[other] != 0 && !explorer->memory().knows(me, other, read_at_[other]))
                fail("data race: a load is not ordered before this store");
        writer_ = me;
        written_at_ = explorer->memory().tick(me);
    }
    value_ = value;
}

}  // namespace futon::model
