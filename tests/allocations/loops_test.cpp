// SPDX-License-Identifier: MIT
// Loops and scopes, while memory is refused.
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <utility>
#include <vector>

#include <futon/core.hpp>
#include <futon/futon.hpp>

#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"
#include "support/platform.hpp"
#include "support/queue_executor.hpp"
#include "support/refused_waits.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::Promise;
using futon::test::AllocationsMayFail;
using futon::test::End;
using futon::test::Ends;
using futon::test::refuse_each_allocation;
using futon::test::run_to_the_end;
using futon::test::succeeds;
using futon::test::waiting_at;

TEST(RefusedLoops, AreMadeOrNot) {
    refuse_each_allocation([] {
        succeeds([] {
            EventLoop loop;
            EXPECT_EQ(&loop, futon::Agent::current().executor());
        });
        succeeds([] { futon::core::LoopExecutor executor([]() noexcept {}); });
        EXPECT_EQ(futon::Agent::current().executor(), nullptr);
    });
}

TEST(RefusedLoops, RunWhatTheyHaveAccepted) {
    refuse_each_allocation([] {
        EventLoop loop;
        int runs = 0;
        int accepted = 0;
        const std::string text(100, 'x');
        for (int i = 0; i < 2; ++i) {
            accepted += succeeds([&] { loop.post([&runs, text] { ++runs; }); });
            accepted += succeeds([&] { loop.post_after(i * 1ms, [&runs, text] { ++runs; }); });
        }
        std::thread([&] { accepted += succeeds([&] { loop.post([&] { ++runs; }); }); }).join();
        run_to_the_end(loop);
        EXPECT_EQ(runs, accepted);
    });
}

TEST(RefusedLoops, EndTheirWorkGuardsAndCancelTheirTimers) {
    refuse_each_allocation([] {
        EventLoop loop;
        bool has_run = false;
        std::optional<futon::WorkGuard> guard;
        futon::TimerHandle timer;
        succeeds([&] { guard.emplace(loop.keep_running()); });
        succeeds([&] { timer = loop.post_after(1h, [&] { has_run = true; }); });
        std::thread([&] { EXPECT_TRUE(succeeds([&] { guard.reset(); })); }).join();
        EXPECT_TRUE(succeeds([&] { timer.cancel(); }));
        run_to_the_end(loop);
        EXPECT_FALSE(has_run);
    });
}

TEST(RefusedLoops, DiscardWhatTheyWereToRun) {
    refuse_each_allocation([] {
        std::optional<EventLoop> loop(std::in_place);
        std::atomic<int> word{0};
        const auto wait = [&]() -> Promise<void> {
            co_await futon::wait_async(word, 0);
            ADD_FAILURE();
        };
        for (int i = 0; i < 2; ++i) succeeds([&] { static_cast<void>(wait()); });
        futon::notify(word, 1);
        succeeds([&] { loop->post([kept = std::make_unique<int>()] { ADD_FAILURE(); }); });
        EXPECT_TRUE(succeeds([&] { loop->close(); }));
        EXPECT_TRUE(succeeds([&] { loop.reset(); }));
        EXPECT_EQ(waiting_at(word), 0u);
    });
}

TEST(RefusedLoops, TakeBackOneOfManyJobs) {
    refuse_each_allocation([] {
        std::atomic<int> word{0};
        EventLoop loop;
        std::vector<Promise<futon::WaitResult>> promises;
        for (int i = 0; i < 100; ++i) promises.push_back(futon::wait_async(word, 0).promise());
        futon::notify(word);
        EXPECT_TRUE(succeeds([&] {
            while (promises.size() > 2) promises.pop_back();
            loop.poll();
        }));
        EXPECT_TRUE(promises[0].is_settled() && promises[1].is_settled());
    });
}

TEST(RefusedLoops, RunUntilAPromiseSettles) {
    refuse_each_allocation([] {
        EventLoop loop;
        auto [promise, made] = futon::make_promise<int>();
        auto source = std::move(made);  // clang captures no structured binding
        const bool is_posted = succeeds([&] { loop.post([taken = std::move(source)]() mutable { taken.fulfil(7); }); });
        try {
            const AllocationsMayFail here;
            EXPECT_EQ(loop.run_until(promise), 7);
            EXPECT_TRUE(is_posted);
        } catch (const futon::BrokenPromise&) {
            EXPECT_FALSE(is_posted);
        } catch (const std::bad_alloc&) {
            EXPECT_FALSE(is_posted);
        }
    });
}

TEST(RefusedLoops, GiveAHandleOrNot) {
    if (!futon::test::has_descriptors) GTEST_SKIP();
    refuse_each_allocation([] {
        EventLoop loop;
        succeeds([&] { loop.native_handle(); });
    });
}

TEST(RefusedLoops, CallBackOnceUnlessTheyAreCancelled) {
    refuse_each_allocation([] {
        EventLoop loop;
        futon::Event event;
        int calls = 0;
        int begun = 0;
        futon::CallHandle handles[2];
        for (futon::CallHandle& handle : handles) {
            begun += succeeds([&] {
                handle = futon::call_back(event.waiting(), {1h, std::stop_source().get_token()},
                                          [&, kept = std::make_unique<int>()](futon::WaitResult) { ++calls; });
            });
        }
        EXPECT_EQ(waiting_at(event), static_cast<std::size_t>(begun));
        bool is_cancelled = false;
        EXPECT_TRUE(succeeds([&] { is_cancelled = handles[0].cancel(); }));
        event.set();
        run_to_the_end(loop);
        EXPECT_EQ(calls + is_cancelled, begun);
    });
}

TEST(RefusedLoops, ThatAHostRunsGoOn) {
    refuse_each_allocation([] {
        int wakes = 0;
        futon::core::LoopExecutor executor([&]() noexcept { ++wakes; });
        std::atomic<int> word{0};
        Ends ends;
        const auto wait = [&]() -> Promise<void> {
            End end(ends);
            end.note(co_await futon::wait_async(word, 0, 1ms));
        };
        int begun = 0;
        int told = 0;
        for (int i = 0; i < 2; ++i) begun += succeeds([&] { static_cast<void>(wait()); });
        begun += succeeds([&] { executor.post([end = End(ends)]() mutable { end.note(futon::WaitResult::ok); }); });
        while (executor.has_work()) told += !succeeds([&] { executor.poll(); });
        EXPECT_LE(ends.others + ends.ok, begun);
        EXPECT_GE(ends.others + ends.ok + told, begun);
    });
}

TEST(RefusedLoops, ThatAreOnlyExecutorsGoOn) {
    refuse_each_allocation([] {
        futon::test::QueueExecutor executor;
        std::optional<futon::Agent> agent(std::in_place, executor);
        futon::AsyncLock lock;
        Ends ends;
        int begun = 0;
        static_cast<void>(lock.try_lock());
        const auto wait = [&]() -> Promise<void> {
            End end(ends);
            const auto guard = co_await lock.scoped_lock_async();
            end.note(guard.result());
        };
        for (int i = 0; i < 2; ++i) begun += succeeds([&] { static_cast<void>(wait()); });
        lock.unlock();
        executor.run_all();
        EXPECT_EQ(ends.ok, begun);
        EXPECT_TRUE(succeeds([&] { agent.reset(); }));
        EXPECT_TRUE(lock.try_lock());
    });
}

/// A scope whose children count how they ended.
struct Family {
    std::atomic<int> word{0};
    int begun = 0;
    int ended = 0;

    Promise<void> child(std::stop_token stop) {
        struct Count {
            Family& family;
            explicit Count(Family& of) noexcept : family(of) { ++family.begun; }
            ~Count() { ++family.ended; }
        };
        const Count count(*this);
        co_await futon::wait_async(word, 0, std::move(stop));
    }
};

TEST(RefusedScopes, EndAfterTheirChildren) {
    refuse_each_allocation([] {
        EventLoop loop;
        Family family;
        int outcomes = 0;
        const auto parent = [&]() -> Promise<void> {
            try {
                futon::Scope scope;
                try {
                    for (int i = 0; i < 3; ++i) scope.spawn([&](std::stop_token stop) { return family.child(stop); });
                } catch (const std::bad_alloc&) {
                    scope.request_stop();
                }
                co_await scope.join(1h);
            } catch (const std::bad_alloc&) {
            }
            EXPECT_EQ(family.begun, family.ended);
            ++outcomes;
        };
        const bool is_begun = succeeds([&] { static_cast<void>(parent()); });
        family.word = 1;
        futon::notify(family.word);
        run_to_the_end(loop);

        EXPECT_EQ(outcomes, is_begun ? 1 : 0);
    });
}

TEST(RefusedScopes, WithScopeEndsAfterItsChildrenAndIsToldOfTheirExceptions) {
    refuse_each_allocation([] {
        EventLoop loop;
        Family family;
        int outcomes = 0;
        std::stop_source parent_stop;
        const auto parent = [&]() -> Promise<void> {
            try {
                co_await futon::with_scope(
                    [&](futon::Scope& scope) -> Promise<void> {
                        for (int i = 0; i < 2; ++i)
                            scope.spawn([&](std::stop_token stop) { return family.child(stop); });
                        co_await futon::sleep_for(0ms);
                    },
                    parent_stop.get_token());
            } catch (const std::bad_alloc&) {
            }
            EXPECT_EQ(family.begun, family.ended);
            ++outcomes;
        };
        const bool is_begun = succeeds([&] { static_cast<void>(parent()); });
        EXPECT_TRUE(succeeds([&] { parent_stop.request_stop(); }));
        run_to_the_end(loop);

        EXPECT_EQ(outcomes, is_begun ? 1 : 0);
    });
}

TEST(RefusedScopes, JoinWhatTheyHaveAdopted) {
    refuse_each_allocation([] {
        EventLoop loop;
        Family family;
        int outcomes = 0;
        const auto parent = [&]() -> Promise<void> {
            try {
                futon::Scope scope;
                std::optional<Promise<void>> child(family.child(scope.stop_token()));
                bool is_adopted = true;
                try {
                    scope.spawn(*std::move(child));
                } catch (const std::bad_alloc&) {
                    is_adopted = false;
                }
                scope.request_stop();
                co_await scope.join();
                EXPECT_TRUE(!is_adopted || family.begun == family.ended);
            } catch (const std::bad_alloc&) {
            }
            ++outcomes;
        };
        const bool is_begun = succeeds([&] { static_cast<void>(parent()); });
        run_to_the_end(loop);

        EXPECT_EQ(outcomes, is_begun ? 1 : 0);
        EXPECT_EQ(family.begun, family.ended);
    });
}

TEST(RefusedScopes, AreEndedWithTheirLoop) {
    refuse_each_allocation([] {
        std::optional<EventLoop> loop(std::in_place);
        Family family;
        succeeds([&] {
            static_cast<void>(futon::with_scope([&](futon::Scope& scope) -> Promise<void> {
                scope.spawn([&](std::stop_token stop) { return family.child(stop); });
                co_await futon::sleep_for(1h);
            }));
        });
        EXPECT_TRUE(succeeds([&] { loop.reset(); }));
        EXPECT_EQ(family.begun, family.ended);
    });
}

}  // namespace
