// SPDX-License-Identifier: MIT
#include <cstddef>
#include <optional>
#include <stop_token>
#include <variant>

#include <futon/futon.hpp>

#include "explore.hpp"
#include "scene.hpp"

namespace {

using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::Scope;
using futon::waiting;
using futon::WaitResult;
using futon::explorer::check;
using futon::explorer::spawn;
using futon::test::count;
using futon::test::expect_holds;
using futon::test::Scene;

/// A loop that serves with two children until it is stopped, or ends before that.
class Server {
public:
    Promise<void> serve(std::stop_token stop) {
        const auto joined = futon::with_scope(
            [this](Scope& scope) -> Promise<void> {
                for (int i = 0; i < 2; ++i) scope.spawn([this](std::stop_token token) { return wait_in(token); });
                co_return;
            },
            stop);
        co_await joined;
        check(running == 0, "all children have ended when the join goes on");
        has_joined = true;
    }

    Scene scene;
    int running = 0;
    bool has_joined = false;

private:
    Promise<void> wait_in(std::stop_token token) {
        ++running;
        count(scene, co_await futon::wait_async(scene.word(), 0, token));
        --running;
    }
};

TEST(ModelScope, AParentsStopAndANotifyEndAllChildrenBeforeTheJoin) {
    expect_holds("a scope of two children, a stopper, a notifier", {.preemptions = 3}, [] {
        Server server;
        std::stop_source stop;
        spawn("loop", [&] {
            EventLoop loop;
            loop.run_until(server.serve(stop.get_token()));
        });
        spawn("stopper", [&] { stop.request_stop(); });
        spawn("notifier", [&] { server.scene.notified += futon::notify(server.scene.word(), 1); });
        futon::explorer::join();
        check(server.has_joined, "the join goes on");
        server.scene.check_all_accounted();
    });
}

TEST(ModelScope, ALoopThatEndsDestroysTheChildrenAndTheJoin) {
    expect_holds("a loop that ends with a scope, a stopper, a notifier", {.preemptions = 3}, [] {
        Server server;
        std::stop_source stop;
        spawn("loop", [&] {
            EventLoop loop;
            static_cast<void>(server.serve(stop.get_token()));
            loop.poll();
        });
        spawn("stopper", [&] { stop.request_stop(); });
        spawn("notifier", [&] { futon::notify(server.scene.word(), 1); });
        futon::explorer::join();
        check(futon::core::process_table().count(&server.scene.cell) == 0, "no waiter is queued");
    });
}

TEST(ModelScope, ASelectOfAPromiseEndsOnceWhateverComesFirst) {
    expect_holds("a select of a promise and a word, a worker, a notifier", {.preemptions = 3}, [] {
        Scene scene;
        std::optional<futon::PromiseSource<int>> source;
        bool was_promise = false;
        EventLoop loop;
        auto [promise, its_source] = futon::make_promise<int>();
        source.emplace(std::move(its_source));
        auto selects = [&, &answer = promise]() -> Promise<void> {
            const auto chosen = co_await futon::select_async(futon::settled(answer), waiting(scene.word(), 0));
            if (chosen.index() == 0) {
                was_promise = true;
                check(std::get<0>(chosen) == 7, "the promise's value is chosen");
            } else {
                count(scene, std::get<1>(chosen));
            }
        };
        const auto selected = selects();
        spawn("worker", [&] { source->fulfil(7); });
        spawn("notifier", [&] { scene.notified += futon::notify(scene.word(), 1); });
        loop.run_until(selected);
        check(loop.run_until(promise) == 7, "the promise keeps its value");
        futon::explorer::join();
        check(was_promise || scene.ok == 1, "one of them is chosen");
        scene.check_all_accounted();
    });
}

TEST(ModelScope, ALockThatADefaultedSelectTriesIsOwnedOrLeft) {
    expect_holds("two selects of a lock with a default, an owner", {.preemptions = 4}, [] {
        AsyncLock lock;
        int inside = 0;
        auto try_it = [&] {
            const auto chosen = futon::select(lock.locking(), futon::otherwise());
            if (chosen.index() != 0) return;
            check(inside++ == 0, "one at a time");
            futon::explorer::point("inside", &lock);
            --inside;
        };
        spawn("first", try_it);
        spawn("second", try_it);
        spawn("owner", [&] {
            lock.lock();
            check(inside++ == 0, "one at a time");
            --inside;
            lock.unlock();
        });
        futon::explorer::join();
        check(lock.try_lock(), "the lock is free in the end");
    });
}

}  // namespace
