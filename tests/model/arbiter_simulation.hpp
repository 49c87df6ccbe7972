// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <futon/agent.hpp>
#include <futon/core/operation/pace.hpp>
#include <futon/core/operation/poll_pace.hpp>

#include "simulated_loop.hpp"
#include "simulated_threads.hpp"

namespace futon::test {

/// Threads and loops that compete for a resource of one unit, in simulated time.
class ArbiterSimulation : public SimulatedThreads {
public:
    using Polls = SimulatedLoop::Polls;
    using Loop = SimulatedLoop;

    ArbiterSimulation(Fairness fairness, int threads, double hold, std::vector<Loop> loops)
        : SimulatedThreads(fairness, threads, hold) {
        for (Loop& description : loops) {
            auto host = description.is_hosted ? std::make_unique<SimulatedHost>() : nullptr;
            auto owned = std::make_unique<RunningLoop>(std::move(description), std::move(host));
            RunningLoop& loop = *owned;
            loops_.push_back(std::move(owned));
            if (loop.description.tells && !loop.hosted) loop.pace.will_tell();
            for (int i = 0; i < loop.description.tasks; ++i) {
                contenders_.push_back(std::make_unique<Contender>(*this, &loop));
                (loop.description.polls ? loop.asking : loop.ready).push_back(contenders_.back().get());
            }
            at(1.3 + 0.37 * static_cast<double>(loops_.size()), [this, &loop] { begin_turn(loop); });
        }
    }

private:
    struct RunningLoop final : Home {
        RunningLoop(Loop of, std::unique_ptr<SimulatedHost> host)
            : Home(host ? &Agent::current().pace() : nullptr), description(std::move(of)), hosted(std::move(host)) {
            dead_from = description.dead_from;
            dead_until = description.dead_until;
        }

        Loop description;
        std::unique_ptr<SimulatedHost> hosted;
        std::vector<Contender*> ready;    // delivered, or to begin
        std::vector<Contender*> present;  // what this turn is to do
        bool is_asleep = false;
        bool is_waking = false;
        bool has_work = false;  // as it is hosted

        // Of one that polls.
        core::PollPace poll_pace{pace};
        std::vector<Contender*> asking;  // when the next job begins
        double job_due = 0;
        double polled = 0;  // when the last poll began
        double waited = 0;  // in all polls
        long waits = 0;     // that are over
    };

    static constexpr double iteration = 0.02;  // what a loop that polls takes beside its jobs

    void deliver_task(Contender& task) override {
        auto& loop = static_cast<RunningLoop&>(*task.home);
        loop.ready.push_back(&task);
        if (!loop.is_asleep || loop.is_waking) return;
        loop.is_waking = true;
        at(now_ + wake_up, [this, &loop] { loop.description.polls ? end_wait(loop) : look(loop); });
    }

    // A loop.

    void begin_turn(RunningLoop& loop) {
        if (!loop.description.polls) return look(loop);
        if (loop.hosted) return prepare(loop);
        poll(loop);
    }

    void look(RunningLoop& loop) {
        if (now_ >= loop.dead_from && now_ < loop.dead_until) return at(loop.dead_until, [this, &loop] { look(loop); });
        loop.is_asleep = loop.is_waking = false;
        ++loop.turn_count;
        if (loop.description.tells && loop.pace.is_wanted()) loop.pace.look(time());
        loop.present = std::exchange(loop.ready, {});
        go_on(loop);
    }

    /// The next task of this turn; then the turn's job.
    void go_on(RunningLoop& loop) {
        while (!loop.present.empty()) {
            Contender& task = *loop.present.front();
            loop.present.erase(loop.present.begin());
            core::Progress progress{};
            if (std::exchange(task.was_delivered, false)) {
                loop.pace.note_arrival();
                progress = core::proceed<core::Caller::task>(*task.op, task, WaitResult::ok, Deadline::never());
            } else {
                start(task);
                progress = core::begin<core::Caller::task>(*task.op, task, Deadline::never());
            }
            if (progress == core::Progress::queued) continue;
            acquired(task, loop.record);
            return at(now_ + task_hold, [this, &loop, &task] {
                running_ = &loop;
                lock_.give_back(1);
                running_ = nullptr;
                loop.ready.push_back(&task);  // once more, in the next turn
                go_on(loop);
            });
        }
        if (loop.description.turns) return at(now_ + loop.description.turns(), [this, &loop] { look(loop); });
        if (!loop.ready.empty()) return at(now_ + 0.001, [this, &loop] { look(loop); });
        loop.is_asleep = true;
        if (loop.description.tells && loop.pace.is_wanted()) loop.pace.fall_asleep(time());
    }

    // A loop that polls.

    /// What was posted is taken before the poll, for within it, it may come after a job.
    void poll(RunningLoop& loop) {
        if (loop.pace.is_wanted()) loop.poll_pace.look(time());
        loop.present = std::exchange(loop.ready, {});
        take_present(loop, [this, &loop] {
            const bool may_wait = loop.ready.empty() && loop.job_due > now_;
            loop.polled = now_;
            if (loop.pace.is_wanted())
                loop.poll_pace.before_poll(time(), in_nanoseconds(loop.waited), may_wait, is_queued(loop));
            if (!may_wait) return take_polled(loop);
            wait(loop);
        });
    }
    void wait(RunningLoop& loop) {
        loop.is_asleep = true;
        at(loop.job_due, [this, &loop, wait = loop.waits] {
            if (loop.is_asleep && loop.waits == wait) end_wait(loop);
        });
    }
    bool is_queued(const RunningLoop& loop) const {
        return std::any_of(contenders_.begin(), contenders_.end(),
                           [&](const auto& contender) { return contender->home == &loop && contender->waits; });
    }
    void end_wait(RunningLoop& loop) {
        if (!loop.is_asleep) return;  // the job, and what was posted
        loop.is_asleep = loop.is_waking = false;
        loop.waited += now_ - loop.polled;
        ++loop.waits;
        loop.hosted ? dispatch(loop) : take_polled(loop);
    }

    /// What the poll has found, in its order; then what comes after the poll.
    void take_polled(RunningLoop& loop) {
        const Polls& polls = *loop.description.polls;
        loop.present = std::exchange(loop.ready, {});
        if (!polls.has_jobs_within || loop.job_due > now_)
            take_present(loop, [this, &loop] { check(loop); });
        else if (polls.are_jobs_first)
            run_job(loop, [this, &loop] { take_present(loop, [this, &loop] { check(loop); }); });
        else
            take_present(loop, [this, &loop] { run_job(loop, [this, &loop] { check(loop); }); });
    }
    void check(RunningLoop& loop) {
        if (loop.poll_pace.is_polling()) loop.poll_pace.after_poll(time(), in_nanoseconds(loop.waited));
        if (loop.description.polls->has_jobs_within || loop.job_due > now_) return turn_again(loop);
        run_job(loop, [this, &loop] { turn_again(loop); });
    }
    void turn_again(RunningLoop& loop) {
        at(now_ + iteration, [this, &loop] { begin_turn(loop); });
    }

    // A hosted loop.

    void prepare(RunningLoop& loop) {
        if (std::exchange(loop.has_work, is_queued(loop)) != is_queued(loop))
            loop.has_work ? loop.hosted->work_started() : loop.hosted->work_finished();
        loop.hosted->host_sleeps();
        if (loop.ready.empty() && loop.job_due > now_) return wait(loop);
        at(now_ + iteration / 4, [this, &loop] { dispatch(loop); });
    }
    void dispatch(RunningLoop& loop) {
        loop.hosted->host_woke();
        const Polls& polls = *loop.description.polls;
        const bool takes = !loop.ready.empty() || loop.hosted->should_look();
        const bool works = loop.job_due <= now_ && (polls.has_jobs_within || !takes);
        const auto take = [this, &loop, takes](std::function<void()> then) {
            if (!takes) return then();
            loop.hosted->run_ready();
            loop.present = std::exchange(loop.ready, {});
            take_present(loop, std::move(then));
        };
        const auto work = [this, &loop, works](std::function<void()> then) {
            if (!works) return then();
            run_job(loop, std::move(then));
        };
        const auto again = [this, &loop] { turn_again(loop); };
        if (polls.are_jobs_first) return work([take, again] { take(again); });
        take([work, again] { work(again); });
    }

    void run_job(RunningLoop& loop, std::function<void()> then) {
        ++loop.turn_count;
        const Polls& polls = *loop.description.polls;
        if (!polls.answers) ask(loop);
        at(now_ + loop.description.turns(), [this, &loop, &polls, then = std::move(then)] {
            loop.job_due = polls.answers ? never : now_ + polls.pause;
            if (polls.answers) ask(loop);
            then();
        });
    }
    void ask(RunningLoop& loop) {
        for (Contender* const task : std::exchange(loop.asking, {})) {
            loop.poll_pace.wake_up(in_nanoseconds(loop.waited));
            start(*task);
            if (core::begin<core::Caller::task>(*task->op, *task, Deadline::never()) == core::Progress::queued)
                continue;
            acquired(*task, loop.record);
            give_back(loop, *task);
        }
    }
    void take_present(RunningLoop& loop, std::function<void()> then) {
        while (!loop.present.empty()) {
            Contender& task = *loop.present.front();
            loop.present.erase(loop.present.begin());
            task.was_delivered = false;
            loop.poll_pace.wake_up(in_nanoseconds(loop.waited));
            loop.pace.note_arrival();
            if (core::proceed<core::Caller::task>(*task.op, task, WaitResult::ok, Deadline::never()) ==
                core::Progress::queued)
                continue;
            acquired(task, loop.record);
            return at(now_ + task_hold, [this, &loop, &task, then = std::move(then)]() mutable {
                give_back(loop, task);
                take_present(loop, std::move(then));
            });
        }
        then();
    }
    void give_back(RunningLoop& loop, Contender& task) {
        loop.poll_pace.begin_call();
        lock_.give_back(1);
        loop.poll_pace.end_call();
        loop.asking.push_back(&task);
        if (loop.description.polls->answers) loop.job_due = now_ + loop.description.polls->pause;
    }

    static core::Pace::Time in_nanoseconds(double milliseconds) {
        return static_cast<core::Pace::Time>(milliseconds * 1e6);
    }
};

}  // namespace futon::test
