// SPDX-License-Identifier: MIT
// What nothing else takes is told, while memory is refused.
#include <chrono>
#include <exception>
#include <functional>
#include <new>
#include <stdexcept>
#include <string>

#include <futon/futon.hpp>

#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"
#include "support/promises.hpp"
#include "support/refused_waits.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::Promise;
using futon::test::AllocationRun;
using futon::test::AllocationsMayFail;
using futon::test::NoAllocationFails;
using futon::test::refuse_each_allocation;
using futon::test::Refused;
using futon::test::run_to_the_end;
using futon::test::succeeds;

TEST(RefusedReports, OfRejectionsThatNothingTakesNeedNoMemory) {
    refuse_each_allocation([] {
        EventLoop loop;
        int reported = 0;
        EXPECT_TRUE(succeeds([&] {
            for (int i = 0; i < 3; ++i) {
                const auto promise = [] {
                    const NoAllocationFails here;
                    return futon::test::rejected();
                }();
            }
        }));
        for (bool is_over = false; !is_over;) {
            try {
                const AllocationsMayFail here;
                loop.run();
                is_over = true;
            } catch (const std::runtime_error&) {
                ++reported;
            }
        }
        EXPECT_EQ(reported, 3);
    });
}

TEST(RefusedReports, TellOfACoroutineThatWasPostedAndCannotBegin) {
    refuse_each_allocation([] {
        EventLoop loop;
        int runs = 0;
        int accepted = 0;
        const auto work = [&]() -> Promise<void> {
            co_await futon::sleep_for(0ms);
            ++runs;
        };
        accepted += succeeds([&] { loop.post(work); });
        accepted += succeeds([&] { loop.post_after(0ms, work); });
        const int reported = run_to_the_end(loop);
        EXPECT_EQ(runs + reported, accepted);
    });
}

TEST(RefusedReports, GoToTheHandler) {
    refuse_each_allocation([] {
        EventLoop loop;
        int handled = 0;
        int posted = 0;
        const std::string text(100, 'x');
        // A function that std::function has no room for within.
        const bool has_handler =
            succeeds([&] { loop.set_unhandled_handler([&handled, text](const std::exception_ptr&) { ++handled; }); });
        for (int i = 0; i < 2; ++i) posted += succeeds([&] { loop.post([] { throw 7; }); });
        int left = 0;
        for (bool is_over = false; !is_over;) {
            try {
                const AllocationsMayFail here;
                loop.run();
                is_over = true;
            } catch (int) {
                ++left;
            }
        }
        EXPECT_EQ(handled, has_handler ? posted : 0);
        EXPECT_EQ(left, has_handler ? 0 : posted);
    });
}

TEST(RefusedReports, TellThatThereWereMoreThanHaveRoom) {
    EventLoop loop;
    int told = 0;
    int refused = 0;
    loop.set_unhandled_handler([&](const std::exception_ptr& exception) {
        try {
            std::rethrow_exception(exception);
        } catch (int) {
            ++told;
        } catch (const std::bad_alloc&) {
            ++refused;
        }
    });
    const AllocationRun run(1, Refused::all_later);
    EXPECT_TRUE(succeeds([&] {
        for (int i = 0; i < 50; ++i) loop.report_unhandled(std::make_exception_ptr(i));
        loop.run();
    }));
    EXPECT_EQ(told, 16);
    EXPECT_EQ(refused, 1);
}

}  // namespace
