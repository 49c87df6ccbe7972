// SPDX-License-Identifier: MIT
//
// A lock of one's own: semaphore.hpp says in some forty lines how to try, what to check and what a wake-up means. The
// drivers of futon/core give every way of waiting for it: a blocked thread, a coroutine, a promise and a select, all in one
// queue.
//
// Prints:
//     thread: acquired
//     coroutine: acquired
//     promise: acquired
//     select: the second semaphore
//     4 threads and a loop: 2 of 2 permits are left

#include <chrono>
#include <cstdio>
#include <thread>
#include <variant>
#include <vector>

#include <futon/core/driver/await.hpp>
#include <futon/core/driver/block.hpp>
#include <futon/core/driver/promise_of.hpp>
#include <futon/futon.hpp>

#include "semaphore.hpp"

using namespace std::chrono_literals;
namespace core = futon::core;
using example::Semaphore;
using Permit = Semaphore::Permit;

namespace {

bool report(const char* who, const Permit& permit) {
    std::printf("%s: %s\n", who, permit != nullptr ? "acquired" : "timed out");
    return permit != nullptr;
}

futon::Promise<bool> coroutine(Semaphore& semaphore) {
    const Permit permit = co_await core::await(semaphore.acquiring(), 10s);
    co_return report("coroutine", permit);
}  // the permit is released

bool each_way_acquires() {
    futon::EventLoop loop;
    Semaphore semaphore(1);
    std::jthread thread([&] { report("thread", core::block(semaphore.acquiring())); });
    thread.join();

    bool is_right = loop.run_until(coroutine(semaphore));
    is_right &= report("promise", loop.run_until(core::promise_of(semaphore.acquiring(), 10s)));
    return is_right && semaphore.try_acquire();
}

bool a_select_takes_the_first_there_is() {
    Semaphore first(0);
    Semaphore second(1);
    const Permit none = core::block(first.acquiring(), 1ms);  // times out
    auto chosen = futon::select(first.acquiring(), second.acquiring(), futon::timeout(10s));
    const bool is_second = none == nullptr && chosen.index() == 1 && std::get<1>(chosen) != nullptr;
    std::printf("select: the %s semaphore\n", is_second ? "second" : "WRONG");
    return is_second && !second.try_acquire();
}

constexpr int rounds = 2'000;

futon::Promise<void> work_on_the_loop(Semaphore& semaphore) {
    for (int i = 0; i < rounds; ++i) const Permit permit = co_await core::await(semaphore.acquiring());
}

bool no_permit_is_lost() {
    Semaphore semaphore(2);
    futon::EventLoop loop;
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t)
        threads.emplace_back([&] {
            for (int i = 0; i < rounds; ++i) {
                const Permit permit =
                    core::block(semaphore.acquiring(), i % 4 == 0 ? futon::Deadline(10us) : futon::Deadline::never());
                std::this_thread::yield();
            }
        });
    loop.run_until(work_on_the_loop(semaphore));
    threads.clear();
    int left = 0;
    while (semaphore.try_acquire()) ++left;
    std::printf("4 threads and a loop: %d of 2 permits are left\n", left);
    return left == 2;
}

}  // namespace

int main() {
    return each_way_acquires() && a_select_takes_the_first_there_is() && no_permit_is_lost() ? 0 : 1;
}
