// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <exception>
#include <optional>

#include <futon/core/driver/call_back.hpp>
#include <futon/futon.hpp>

#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"
#include "support/refused_waits.hpp"

// What a loop that a host runs does where memory is refused, whatever the host. `Host` has `get()`, which `Loop` is made of.
namespace futon::test {

template <class Host, class Loop>
void a_loop_is_made_or_not() {
    refuse_each_allocation([] {
        Host host;
        succeeds([&] { const Loop loop(host.get()); });
        EXPECT_EQ(Agent::current().executor(), nullptr);
    });
}

/// `run(host, loop)` runs the host until the loop has no work.
template <class Host, class Loop, class Run>
void a_loop_goes_on(Run run) {
    using namespace std::chrono_literals;
    refuse_each_allocation([run] {
        Host host;
        std::optional<Loop> loop(host.get());
        AsyncLock lock;
        Ends ends;
        int told = 0;
        loop->set_unhandled_handler([&](const std::exception_ptr&) { ++told; });
        const auto wait = [&]() -> Promise<void> {
            End end(ends);
            const auto guard = co_await lock.scoped_lock_async(1h);
            co_await sleep_for(0ms);
            end.note(guard.result());
        };
        int begun = 0;
        EXPECT_TRUE(lock.try_lock());
        for (int i = 0; i < 2; ++i) begun += succeeds([&] { static_cast<void>(wait()); });
        begun += succeeds([&] {
            call_back(lock.locking(), [end = End(ends)](AsyncLock::Guard guard) mutable { end.note(guard.result()); });
        });
        begun += succeeds([&] { loop->post(wait); });
        begun += succeeds([&] { loop->post_after(1ms, wait); });
        const int abandoned = ends.abandoned;  // functions of calls that were refused
        EXPECT_TRUE(succeeds([&] { lock.unlock(); }));
        {
            const AllocationsMayFail here;
            run(host, *loop);
        }

        EXPECT_EQ(ends.ok + told, begun);
        EXPECT_LE(ends.abandoned - abandoned, told);
        EXPECT_TRUE(lock.try_lock());
        EXPECT_TRUE(succeeds([&] { loop.reset(); }));
    });
}

}  // namespace futon::test
