// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <functional>
#include <optional>

#include <futon/core/loop/hosted_loop.hpp>

namespace futon::test {

/// What a loop of an ArbiterSimulation is like. Times are in milliseconds.
struct SimulatedLoop {
    /// How long a loop's jobs take, one after the other; none are a loop that sleeps until it is woken.
    using Turns = std::function<double()>;

    /// Of a loop of libuv, as Node's: its jobs come after the poll, as immediates and timers do, or within it, as the callbacks of
    /// sockets. A task asks for the resource when a job begins.
    struct Polls {
        bool has_jobs_within = false;
        double pause = 0;            // from the end of a job until the next is due
        bool are_jobs_first = true;  // within the poll, before what was posted
        bool answers =
            false;  // a task asks when a job ends, and the next job is due once it was served: a client and its server
    };

    Turns turns;
    int tasks = 1;
    double dead_from = 1e9;  // from here on until then it does not run
    double dead_until = 1e9;
    bool tells = true;                // when it looks and sleeps
    std::optional<Polls> polls = {};  // else it looks at what was posted between two jobs
    /// It is a HostedLoop in a loop that polls, as GLib's. Nothing runs within the poll: `has_jobs_within` tells that the host's jobs
    /// are as urgent as the HostedLoop.
    bool is_hosted = false;
};

/// What tells of a loop in another library's. Its jobs are those of the simulation: this has none.
class SimulatedHost final : public core::HostedLoop {
public:
    ~SimulatedHost() override { finish(); }
    using HostedLoop::host_sleeps;
    using HostedLoop::host_woke;
    using HostedLoop::run_ready;
    using HostedLoop::should_look;

private:
    void wake() noexcept override {}
    void set_timer(std::chrono::steady_clock::time_point) noexcept override {}
};

}  // namespace futon::test
