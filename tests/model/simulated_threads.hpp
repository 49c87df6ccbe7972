// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <futon/core.hpp>
#include <futon/core/operation/arbiter.hpp>
#include <futon/core/operation/pace.hpp>

#include "operation/keeper.hpp"
#include "simulated_time.hpp"

namespace futon::test {

/// Threads that compete for a resource of one unit, in simulated time, with what a simulation of loops needs: the library's own arbiter,
/// pace and keeper, one step after the other on one thread. Times are in milliseconds.
class SimulatedThreads : protected SimulatedTime {
public:
    /// How long a loop's jobs take, one after the other.
    using Turns = std::function<double()>;

    /// What came of a thread, or of a loop.
    struct Record {
        long acquisitions = 0;
        double longest_wait = 0;  // of those that begin once all have been seen for a second
    };

    SimulatedThreads(const SimulatedThreads&) = delete;
    SimulatedThreads& operator=(const SimulatedThreads&) = delete;

    void run_until(double end) {
        run_events(end);
        for (auto& contender : contenders_) note_wait(*contender);
    }

    /// Of all threads together.
    const Record& threads() const { return threads_; }
    const Record& loop(std::size_t index) const { return loops_[index]->record; }
    std::size_t loop_count() const { return loops_.size(); }
    long turns(std::size_t index) const { return loops_[index]->turn_count; }

protected:
    SimulatedThreads(Fairness fairness, int threads, double hold) : lock_(1, fairness), hold_(hold) {
        for (int i = 0; i < threads; ++i) {
            contenders_.push_back(std::make_unique<Contender>(*this, nullptr));
            at(1 + 0.01 * i, [this, i] { begin(*contenders_[static_cast<std::size_t>(i)]); });
        }
        tick();
    }
    virtual ~SimulatedThreads() {
        for (auto& contender : contenders_) core::process_table().dequeue(*contender, WaitResult::cancelled);
        while (core::keeper().look()) {
        }
    }

    struct Free {
        using Word = std::uint32_t;
        static bool can_serve(core::ResourceState free, std::uint64_t) noexcept { return free != 0; }
        static core::ResourceState taken(core::ResourceState, std::uint64_t) noexcept { return 0; }
        static core::ResourceState returned(core::ResourceState, std::uint64_t) noexcept { return 1; }
        static bool may_serve(core::ResourceState free) noexcept { return free != 0; }
    };
    using Lock = core::Arbiter<Free>;

    struct Locking : Lock::Request {
        using Result = bool;
        static constexpr const char* name = "simulated lock";
        explicit Locking(Lock& lock) noexcept : Request(lock, 1) {}
        bool try_spinning() noexcept { return false; }
        bool result(core::Ending) noexcept {
            end();
            return true;
        }
    };

    /// Where a task is at home: a loop, with its own pace or one that is given.
    struct Home {
        explicit Home(core::Pace* given = nullptr) : pace(given != nullptr ? *given : own_pace) {}
        virtual ~Home() = default;

        core::Pace own_pace;
        core::Pace& pace;
        Record record;
        double dead_from = never;  // from here on until then it does not run
        double dead_until = never;
        long turn_count = 0;
    };

    struct Contender final : core::Waiter {
        Contender(SimulatedThreads& of, Home* home_loop) : simulation(of), home(home_loop) {}

        core::EnqueueResult enqueue(core::WaitQueues& table, const core::WaitCheck& check,
                                    core::Place place = core::Place::tail) {
            return table.enqueue(*this, check, place);
        }
        core::Demand request() const noexcept override { return op->request(); }
        core::Pace* pace() const noexcept override { return home == nullptr ? nullptr : &home->pace; }
        core::WaiterOwner owner() const noexcept override {
            return {home == nullptr ? core::Caller::thread : core::Caller::task, home};
        }
        void deliver() noexcept override { simulation.deliver(*this); }
        bool is_here() const noexcept override { return home != nullptr && home == simulation.running_; }

        SimulatedThreads& simulation;
        Home* const home;
        std::optional<Locking> op;
        double since = 0;
        bool waits = false;
        bool was_delivered = false;
    };

    static constexpr double wake_up = 0.05;   // how long a thread or a loop takes to wake up
    static constexpr double task_hold = 0.1;  // how long a task holds the lock
    static constexpr double never = 1e9;
    static constexpr double seen_after = 1000;  // when all loops have been seen for long enough

    void tick() {
        core::keeper().look();
        at(now_ + 1, [this] { tick(); });
    }

    void note_wait(Contender& contender) {
        if (!contender.waits || now_ < seen_after) return;
        if (contender.home != nullptr && now_ >= contender.home->dead_from) return;
        Record& record = contender.home == nullptr ? threads_ : contender.home->record;
        record.longest_wait = std::max(record.longest_wait, now_ - std::max(contender.since, seen_after));
    }

    // A thread.

    void begin(Contender& thread) {
        start(thread);
        went_on(thread, core::begin<core::Caller::thread>(*thread.op, thread, Deadline::never()));
    }
    void start(Contender& contender) {
        contender.op.emplace(lock_);
        contender.since = now_;
        contender.waits = true;
    }
    void went_on(Contender& thread, core::Progress progress) {
        if (progress == core::Progress::queued) return;
        acquired(thread, threads_);
        at(now_ + hold_, [this, &thread] {
            lock_.give_back(1);
            at(now_ + 1e-4, [this, &thread] { begin(thread); });
        });
    }
    void acquired(Contender& contender, Record& record) {
        note_wait(contender);
        contender.waits = false;
        contender.op->result(core::Ending::woken);
        if (now_ >= seen_after) ++record.acquisitions;
    }

    void deliver(Contender& contender) {
        contender.was_delivered = true;
        if (contender.home == nullptr) {
            at(now_ + wake_up, [this, &contender] {
                went_on(contender, core::proceed<core::Caller::thread>(*contender.op, contender, WaitResult::ok,
                                                                       Deadline::never()));
            });
            return;
        }
        deliver_task(contender);
    }
    virtual void deliver_task(Contender& task) = 0;

    Lock lock_;
    const double hold_;
    std::vector<std::unique_ptr<Contender>> contenders_;
    std::vector<std::unique_ptr<Home>> loops_;
    const Home* running_ = nullptr;  // whose task is at it
    Record threads_;
};

}  // namespace futon::test
