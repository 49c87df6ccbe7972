// SPDX-License-Identifier: MIT
// One main for a page and for any other program: threads compute and block for the lock; the first thread never waits.
#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

namespace {

constexpr int threads = 2;

struct Simulation {
    futon::AsyncLock lock{futon::Fairness::strict};  // guards `steps`
    long steps = 0;
    std::atomic<int> running = threads;
};

void compute(Simulation& simulation) {
    for (int i = 0; i < 1000; ++i) {
        const std::scoped_lock hold(simulation.lock);  // blocks this thread alone
        ++simulation.steps;
    }
    --simulation.running;
    futon::notify(simulation.running);
}

futon::Promise<long> watch(Simulation& simulation) {
    for (int running; (running = simulation.running) > 0;) {
        co_await simulation.lock.execute_locked([&] { std::printf("%ld steps\n", simulation.steps); });
        co_await futon::wait_async(simulation.running, running, std::chrono::milliseconds(16));
    }
    co_return simulation.steps;
}

}  // namespace

int main() {
    static futon::EventLoop loop;  // on a page it goes on after main
    static Simulation simulation;
    for (int i = 0; i < threads; ++i) std::thread([] { compute(simulation); }).detach();

    // A page returns here at once, and the function is called in a turn of its loop. Anywhere else this runs the loop.
    loop.run_then(watch(simulation), [](long steps) { std::printf("%ld steps in all\n", steps); });
}
