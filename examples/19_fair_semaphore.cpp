// SPDX-License-Identifier: MIT
//
// A fair lock of one's own: in fair_semaphore.hpp the waker decides, under the queue's lock, which waiters get what they
// asked for. All ways of waiting come from the drivers of futon/core, as in 15_semaphore.cpp.
//
// Prints:
//     a small request does not overtake a big one, until that one gives up
//     coroutine: 2 permits, promise: 1 permit
//     select: the second semaphore
//     threads and a loop: 4 of 4 permits are left

#include <chrono>
#include <cstdio>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include <futon/core/driver/await.hpp>
#include <futon/core/driver/block.hpp>
#include <futon/core/driver/promise_of.hpp>
#include <futon/futon.hpp>

#include "fair_semaphore.hpp"

using namespace std::chrono_literals;
namespace core = futon::core;
using example::FairSemaphore;
using Permits = FairSemaphore::Permits;

namespace {

void until_queued(FairSemaphore& semaphore, std::size_t count) {
    const void* key = semaphore.acquiring().key();
    while (core::table_for(key).count(key) < count) std::this_thread::yield();
}

bool a_small_request_does_not_overtake() {
    futon::EventLoop loop(futon::CanBlock::yes);
    FairSemaphore semaphore(1);
    std::optional big = core::promise_of(semaphore.acquiring(3));
    const Permits refused =
        core::block(semaphore.acquiring(1), 1ms);  // a permit is there, but the big request is first
    std::jthread small([&] { const Permits permits = core::block(semaphore.acquiring(1)); });
    until_queued(semaphore, 2);

    big.reset();  // leaves the queue, and the small request behind it is served
    small.join();
    std::puts("a small request does not overtake a big one, until that one gives up");
    return refused == nullptr && semaphore.available() == 1;
}

futon::Promise<std::uint32_t> acquire_two(FairSemaphore& semaphore) {
    const Permits permits = co_await core::await(semaphore.acquiring(2));
    co_return permits.get_deleter().count;
}  // the permits are released

bool a_loop_waits_in_two_ways() {
    futon::EventLoop loop;
    FairSemaphore semaphore;
    auto coroutine = acquire_two(semaphore);
    futon::Promise<Permits> promise = core::promise_of(semaphore.acquiring(1), 10s);
    { auto dropped = core::promise_of(semaphore.acquiring(1)); }  // leaves the queue

    std::jthread releaser([&] { semaphore.release(2); });  // for the coroutine; when it has released, for the promise
    const std::uint32_t count = loop.run_until(coroutine);
    Permits permits = loop.run_until(std::move(promise));
    std::printf("coroutine: %u permits, promise: %u permit\n", count, permits.get_deleter().count);
    permits.reset();
    return count == 2 && semaphore.available() == 2;
}

bool the_first_of_two_is_selected() {
    FairSemaphore first;
    FairSemaphore second(1);
    auto chosen = futon::select(first.acquiring(1), second.acquiring(1), futon::timeout(10s));
    const bool is_second = chosen.index() == 1 && std::get<1>(chosen) != nullptr && second.available() == 0;
    std::printf("select: the %s semaphore\n", is_second ? "second" : "WRONG");
    first.release();  // the select has left this queue: the permit stays
    return is_second && first.available() == 1;
}

constexpr int rounds = 2'000;

/// Acquires one, two and three permits in turn, every fourth time with a deadline that may come first.
void work(FairSemaphore& semaphore, const std::stop_token& stop) {
    for (int i = 0; i < rounds; ++i) {
        const auto deadline =
            i % 4 == 0 ? futon::Deadline(std::chrono::microseconds(i % 50)) : futon::Deadline::never();
        const Permits permits =
            core::block(semaphore.acquiring(1 + static_cast<std::uint32_t>(i % 3)), {deadline, stop});
        std::this_thread::yield();
    }
}

futon::Promise<void> work_on_the_loop(FairSemaphore& semaphore) {
    for (int i = 0; i < rounds; ++i) {
        const futon::Deadline deadline(std::chrono::microseconds(10 + i % 50));
        auto chosen = co_await futon::select_async(semaphore.acquiring(2), futon::timeout(deadline));
        const Permits permits = co_await core::await(semaphore.acquiring(1), deadline);
    }
}

bool no_permit_is_lost() {
    FairSemaphore semaphore(4);
    futon::EventLoop loop;
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 3; ++i) threads.emplace_back([&](std::stop_token stop) { work(semaphore, stop); });
        loop.run_until(work_on_the_loop(semaphore));
        threads.front().request_stop();  // where it waits, it leaves the queue
    }
    std::printf("threads and a loop: %u of 4 permits are left\n", semaphore.available());
    return semaphore.available() == 4;
}

}  // namespace

int main() {
    const bool is_right = a_small_request_does_not_overtake() && a_loop_waits_in_two_ways() &&
                          the_first_of_two_is_selected() && no_permit_is_lost();
    return is_right ? 0 : 1;
}
