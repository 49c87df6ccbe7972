// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "loop/engine_pace.hpp"
#include "simulated_threads.hpp"

namespace futon::test {

/// A page of an engine: frames that compute, and turns of a loop of the library between them; beside threads, in simulated time. In each
/// frame a task asks for the resource, unless it waits for it.
class PageSimulation : public SimulatedThreads {
public:
    struct Frames {
        Turns lengths;
        double period = 0;     // frames begin at multiples of this; where it is zero, one after the other
        bool is_turn = false;  // of the loop: a job of it computes, not a function of the page
        double stops = never;  // from here on there is one frame that does not end
        double begins_at = 0;  // before, the page does nothing
        bool asks_once = false;
    };

    PageSimulation(Fairness fairness, int threads, double hold, Frames frames)
        : SimulatedThreads(fairness, threads, hold) {
        auto owned = std::make_unique<Page>();
        page_ = owned.get();
        loops_.push_back(std::move(owned));
        page_->frames = std::move(frames);
        page_->dead_from = page_->frames.stops;
        contenders_.push_back(std::make_unique<Contender>(*this, page_));
        task_ = contenders_.back().get();
        post(std::max(1.67, page_->frames.begins_at), [this] { frame(); });
    }

    /// How often the engine has called the loop.
    long calls() const { return page_->calls; }

private:
    using Action = std::function<void()>;

    struct Page final : Home {
        Frames frames;
        detail::EnginePace engine_pace{pace};
        std::multimap<double, Action> jobs;  // of the engine, by when they are ready
        bool is_busy = false;
        long calls = 0;

        // Of the loop.
        bool is_delivered = false;
        bool is_frame_due = false;
        bool is_called = false;  // in a job of its own, soon
        bool has_rung = false;
        double alarm = never;
        std::uint64_t alarms = 0;
    };

    // The engine. Each job ends with `end_job`.

    void post(double time, Action job) {
        page_->jobs.emplace(time, std::move(job));
        at(time, [this] { pump(); });
    }
    void pump() {
        if (page_->is_busy || page_->jobs.empty() || page_->jobs.begin()->first > now_) return;
        page_->is_busy = true;
        const Action job = std::move(page_->jobs.begin()->second);
        page_->jobs.erase(page_->jobs.begin());
        job();
    }
    void end_job() {
        page_->is_busy = false;
        pump();
    }

    void frame() {
        ++page_->turn_count;
        const double begun = now_;
        const auto next = [this, begun] {
            const double period = page_->frames.period;
            const double time = period == 0 ? now_ + 0.1 : begun + period * std::ceil((now_ - begun + 0.2) / period);
            post(time, [this] { frame(); });
            end_job();
        };
        if (page_->frames.is_turn) {
            page_->is_frame_due = true;
            frame_ends_ = next;
            call();
            return end_job();
        }
        ask([this, next] { compute(next); });
    }
    void compute(Action then) {
        if (now_ >= page_->frames.stops) return;
        at(now_ + page_->frames.lengths(), std::move(then));
    }

    // The loop, and the library's part of it.

    void ask(Action then) {
        if (task_->waits || (page_->frames.asks_once && page_->record.acquisitions > 0)) return then();
        start(*task_);
        if (core::begin<core::Caller::task>(*task_->op, *task_, Deadline::never()) != core::Progress::queued)
            return hold(std::move(then));
        if (!is_turn_ && page_->pace.is_wanted()) {
            page_->engine_pace.enter(time());
            call();
        }
        then();
    }
    void hold(Action then) {
        acquired(*task_, page_->record);
        at(now_ + task_hold, [this, then = std::move(then)] {
            running_ = page_;
            lock_.give_back(1);
            running_ = nullptr;
            then();
        });
    }

    void deliver_task(Contender&) override {
        page_->is_delivered = true;
        if (std::exchange(page_->has_rung, true)) return;
        ++page_->alarms;
        page_->alarm = never;
        post(now_ + wake_up, [this] { turn(); });
    }
    /// The engine calls the loop in a job of its own.
    void call() {
        if (!std::exchange(page_->is_called, true))
            post(now_ + 0.02, [this] {
                page_->is_called = false;
                turn();
            });
    }

    void turn() {
        ++page_->calls;
        page_->has_rung = false;
        is_turn_ = true;
        if (page_->pace.is_wanted()) page_->engine_pace.begin_turn(time());
        take([this] {
            if (!std::exchange(page_->is_frame_due, false)) return end_turn([this] { end_job(); });
            ask([this] { compute([this] { end_turn(frame_ends_); }); });
        });
    }
    void take(Action then) {
        if (!std::exchange(page_->is_delivered, false)) return then();
        page_->pace.note_arrival();
        if (core::proceed<core::Caller::task>(*task_->op, *task_, WaitResult::ok, Deadline::never()) ==
            core::Progress::queued)
            return then();
        hold(std::move(then));
    }
    void end_turn(const Action& then) {
        is_turn_ = false;
        if (!page_->pace.is_wanted()) {
            page_->engine_pace.forget();
            return then();
        }
        const core::Pace::Time delay = page_->engine_pace.end_turn(time(), task_->waits);
        if (delay != detail::EnginePace::never) set_alarm(now_ + static_cast<double>(delay) / 1e6);
        then();
    }
    void set_alarm(double time) {
        if (page_->has_rung || time >= page_->alarm) return;
        page_->alarm = time;
        at(time, [this, number = ++page_->alarms] {
            if (number != page_->alarms) return;
            page_->alarm = never;
            post(now_, [this] { turn(); });
        });
    }

    Page* page_ = nullptr;
    Contender* task_ = nullptr;
    Action frame_ends_;
    bool is_turn_ = false;
};

}  // namespace futon::test
