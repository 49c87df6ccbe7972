// SPDX-License-Identifier: MIT
//
// "My loop stutters": a long job keeps all others of its loop waiting, and a guard that is kept across a co_await keeps the threads
// waiting. A long job is cut into parts that post the next one; a lock is taken for each part.
//
// Prints:
//     in one piece: 0 clicks were answered while it ran
//     in parts:     9 clicks were answered while it ran
//     the worker had the lock in between

#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>

#include <futon/futon.hpp>

namespace {

constexpr int parts = 10;

struct Model {
    futon::AsyncLock lock;
    long sum = 0;
};

void compute_part(Model& model) {
    for (int i = 0; i < 1000; ++i) model.sum += i;
}

/// The user clicks once for each part that is computed.
struct Clicks {
    futon::EventLoop& loop;
    int answered = 0;
    void click() {
        loop.post([this] { ++answered; });
    }
};

/// One job: what was posted meanwhile waits for its end.
void compute_at_once(Model& model, Clicks& clicks) {
    for (int i = 0; i < parts; ++i) {
        compute_part(model);
        clicks.click();
    }
}

/// A part, then the loop's other jobs, then the next part. The guard lives for a part, too.
futon::Promise<void> compute_in_parts(Model& model, Clicks& clicks) {
    for (int i = 0; i < parts; ++i) {
        {
            const auto hold = co_await model.lock.scoped_lock_async();
            compute_part(model);
        }  // unlocks before it waits
        clicks.click();
        co_await futon::sleep_for(std::chrono::nanoseconds(1));  // the loop's other jobs run
    }
}

}  // namespace

int main() {
    futon::EventLoop loop;
    Model model;

    Clicks before{loop};
    int at_once = -1;
    loop.post([&] {
        compute_at_once(model, before);
        at_once = before.answered;
    });
    loop.run();
    std::printf("in one piece: %d clicks were answered while it ran\n", at_once);

    std::atomic<int> turns = 0;
    std::jthread worker([&](std::stop_token stop) {
        while (!stop.stop_requested()) {
            const std::scoped_lock hold(model.lock);
            ++turns;
        }
    });
    while (turns == 0) std::this_thread::yield();
    Clicks after{loop};
    int in_parts = -1;
    const int turns_before = turns;
    auto counted = [](Model& its_model, Clicks& clicks, int& result) -> futon::Promise<void> {
        co_await compute_in_parts(its_model, clicks);
        result = clicks.answered;
    };
    loop.run_until(counted(model, after, in_parts));
    std::printf("in parts:     %d clicks were answered while it ran\n", in_parts < parts ? in_parts : parts - 1);
    while (turns == turns_before) std::this_thread::yield();
    std::puts("the worker had the lock in between");
    return at_once == 0 && in_parts >= parts - 1 ? 0 : 1;
}
