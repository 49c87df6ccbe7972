// SPDX-License-Identifier: MIT
// A main context of GLib, while memory is refused.
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>

#include <futon/futon.hpp>
#include <futon/glib.hpp>

#include "adapters/glib/main_context.hpp"
#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"
#include "support/refused_waits.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Promise;
using futon::test::AllocationsMayFail;
using futon::test::End;
using futon::test::Ends;
using futon::test::MainContext;
using futon::test::refuse_each_allocation;
using futon::test::succeeds;

TEST(RefusedGLib, LoopIsMadeOrNot) {
    refuse_each_allocation([] {
        MainContext host;
        succeeds([&] { const futon::glib::Loop loop(host.get()); });
        EXPECT_EQ(futon::Agent::current().executor(), nullptr);
    });
}

TEST(RefusedGLib, LoopGoesOnAndTellsItsHandlerWhatIsRefused) {
    refuse_each_allocation([] {
        MainContext host;
        std::optional<futon::glib::Loop> loop(host.get());
        AsyncLock lock;
        Ends ends;
        int told = 0;
        loop->set_unhandled_handler([&](const std::exception_ptr&) { ++told; });
        const auto wait = [&]() -> Promise<void> {
            End end(ends);
            const auto guard = co_await lock.scoped_lock_async(1h);
            co_await futon::sleep_for(0ms);
            end.note(guard.result());
        };
        int begun = 0;
        EXPECT_TRUE(lock.try_lock());
        for (int i = 0; i < 2; ++i) begun += succeeds([&] { static_cast<void>(wait()); });
        begun += succeeds([&] {
            futon::call_back(lock.locking(),
                             [end = End(ends)](AsyncLock::Guard guard) mutable { end.note(guard.result()); });
        });
        begun += succeeds([&] { loop->post(wait); });
        begun += succeeds([&] { loop->post_after(1ms, wait); });
        const int abandoned = ends.abandoned;  // functions of calls that were refused
        EXPECT_TRUE(succeeds([&] { lock.unlock(); }));
        {
            const AllocationsMayFail here;
            host.run_until([&] { return !loop->has_work(); });
        }

        EXPECT_EQ(ends.ok + told, begun);
        EXPECT_LE(ends.abandoned - abandoned, told);
        EXPECT_TRUE(lock.try_lock());
        EXPECT_TRUE(succeeds([&] { loop.reset(); }));
    });
}

TEST(RefusedGLib, TokensAndCancellablesFollowEachOtherOrAreNotMade) {
    refuse_each_allocation([] {
        GCancellable* const cancellable = g_cancellable_new();
        std::stop_source source;
        succeeds([&] {
            const futon::glib::CancellableStop stop(cancellable);
            const futon::glib::StopCancellable follows(source.get_token());
            g_cancellable_cancel(cancellable);
            EXPECT_TRUE(stop.token().stop_requested());
            source.request_stop();
            EXPECT_TRUE(g_cancellable_is_cancelled(follows.get()));
        });
        g_object_unref(cancellable);
    });
}

}  // namespace
