// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <functional>

#include <futon/core/loop/hosted_loop.hpp>

namespace futon::test {

/// What a host keeps of a loop: it is called back by `turn`, as a host's loop does.
struct ScriptedHost {
    using Clock = std::chrono::steady_clock;
    static constexpr Clock::time_point unarmed = Clock::time_point::max();

    /// A turn of the host's loop: also within a job, where it is a loop within a loop.
    void turn() {
        if (is_woken.exchange(false)) {
            ready();
        } else if (timer <= Clock::now()) {
            timer = unarmed;
            fired();
        }
    }
    void run() {
        while (is_alive || is_woken) turn();
    }

    std::atomic<bool> is_woken{false};
    Clock::time_point timer = unarmed;
    int timers_set = 0;
    int wakes = 0;
    bool is_alive = false;
    bool is_gone = false;
    std::function<void()> ready = [] {};
    std::function<void()> fired = [] {};
};

class LoopOfHost final : public core::HostedLoop {
public:
    explicit LoopOfHost(ScriptedHost& host) : host_(host) {
        host.ready = [this] { run_ready(); };
        host.fired = [this] { timer_fired(); };
    }
    using HostedLoop::host_sleeps;
    using HostedLoop::host_woke;
    using HostedLoop::run_ready;
    using HostedLoop::should_look;

    ~LoopOfHost() override {
        finish();
        host_.ready = host_.fired = [] {};
        host_.is_gone = true;
    }

private:
    void wake() noexcept override { host_.is_woken = true; }
    void set_timer(ScriptedHost::Clock::time_point time) noexcept override {
        host_.timer = time;
        ++host_.timers_set;
    }
    void keep_alive(bool is_alive) noexcept override { host_.is_alive = is_alive; }

    ScriptedHost& host_;
};

}  // namespace futon::test
