// SPDX-License-Identifier: MIT
#include <optional>
#include <stdexcept>

#include <futon/futon.hpp>

#include "buried.hpp"
#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::Once;
using futon::WaitResult;
using futon::core::process_table;
using futon::explorer::check;
using futon::explorer::Shared;
using futon::explorer::spawn;
using futon::test::Buried;
using futon::test::expect_holds;

/// A Once, and an initialiser that fails for the first `failures` times.
struct OnceScene {
    explicit OnceScene(int number) : failures(number) {}

    void initialise() {
        check(inside++ == 0, "one at a time");
        futon::explorer::point("inside", this);
        --inside;
        tries.store(tries.load() + 1);
        if (tries.load() <= failures) throw std::runtime_error("broken");
    }

    /// Returns whether it is initialised; false where this one's initialiser has failed.
    bool call() {
        try {
            check(once.call([&] { initialise(); }) == WaitResult::ok, "it is initialised");
        } catch (const std::runtime_error&) {
            return false;
        }
        check_seen();
        return true;
    }

    void check_seen() {
        check(once.is_done(), "it is done");
        check(tries.load() == failures + 1, "what was initialised is seen");
    }

    void check_at_rest() {
        futon::explorer::join();
        check_seen();
        check(process_table().count(&once) == 0, "no waiter is queued");
    }

    Once once;
    Shared tries;
    int inside = 0;
    const int failures;
};

TEST(ModelOnce, IsInitialisedByOneOfThreeOnAWeakMemory) {
    expect_holds("once, three threads, weak", {.preemptions = 3, .stale_loads = 1}, [] {
        OnceScene scene(0);
        for (int i = 0; i < 3; ++i) spawn("caller", [&] { scene.call(); });
        scene.check_at_rest();
    });
}

TEST(ModelOnce, IsTriedByTheNextWhereAnInitialiserFailsOnAWeakMemory) {
    expect_holds("once, three threads, a failure, weak", {.preemptions = 3, .stale_loads = 1}, [] {
        OnceScene scene(1);
        int failed = 0;
        for (int i = 0; i < 3; ++i) spawn("caller", [&] { failed += scene.call() ? 0 : 1; });
        scene.check_at_rest();
        check(failed == 1, "the failure is told to its caller");
    });
}

TEST(ModelOnce, IsShownToAPollOnAWeakMemory) {
    expect_holds("once, a thread, a poll, weak", {.stale_loads = 2}, [] {
        OnceScene scene(0);
        spawn("caller", [&] { scene.call(); });
        spawn("poll", [&] {
            if (scene.once.is_done()) scene.check_seen();
        });
        scene.check_at_rest();
    });
}

TEST(ModelOnce, IsShownToATryAndToAWaiterOnAWeakMemory) {
    expect_holds("once, a thread, a try, a waiter, weak", {.stale_loads = 2}, [] {
        OnceScene scene(0);
        std::optional<Once::Attempt> attempt = scene.once.try_begin();
        spawn("initialiser", [&] {
            scene.tries.store(1);
            attempt->complete();
        });
        spawn("try", [&] {
            const auto tried = scene.once.try_begin();
            if (tried) check(tried->is_done() && scene.tries.load() == 1, "what was initialised is seen");
        });
        spawn("waiter", [&] {
            const Once::Attempt served = futon::block(scene.once.beginning());  // asks nothing before it
            check(served.is_done() && scene.tries.load() == 1, "what was initialised is seen");
        });
        scene.check_at_rest();
    });
}

TEST(ModelOnce, WaitsForNoLoopThatDoesNotRun) {
    expect_holds("once, a failure, a loop that does not run, a thread", {.preemptions = 3}, [] {
        OnceScene scene(1);
        futon::Latch is_done(1);
        std::optional<Once::Attempt> attempt = scene.once.try_begin();
        scene.tries.store(1);
        spawn("fails", [&] { attempt.reset(); });
        spawn("loop", [&] {
            futon::EventLoop loop(futon::CanBlock::yes);
            auto call = [&]() -> futon::Promise<void> {
                const Once::Attempt next = co_await scene.once.begin_async();
                // Where nothing was begun when it came, it is to initialise itself.
                if (next.is_mine()) co_return;
                scene.check_seen();
            };
            const auto promise = call();
            if (!promise.is_settled()) check(is_done.wait() == WaitResult::ok, "the thread goes on");
            loop.run_until(promise);
        });
        spawn("thread", [&] {
            scene.call();
            is_done.count_down();
        });
        scene.check_at_rest();
    });
}

TEST(ModelOnce, LosesNoWakeUpToAWaiterThatLeaves) {
    expect_holds("once, a failure, a deadline, a thread", {.preemptions = 4}, [] {
        OnceScene scene(1);
        std::optional<Once::Attempt> attempt = scene.once.try_begin();
        scene.tries.store(1);
        spawn("fails", [&] { attempt.reset(); });
        spawn("hasty", [&] { static_cast<void>(scene.once.begin(1us)); });  // an attempt of its own fails, too
        spawn("thread", [&] { scene.call(); });
        scene.check_at_rest();
    });
}

TEST(ModelOnce, LosesNoWakeUpToALoopThatEnds) {
    expect_holds("once, a failure, a loop that ends, a thread", {.preemptions = 3}, [] {
        OnceScene scene(1);
        std::optional<Once::Attempt> attempt = scene.once.try_begin();
        scene.tries.store(1);
        spawn("fails", [&] { attempt.reset(); });
        spawn("loop", [&] {
            futon::EventLoop loop;
            auto begin = [&]() -> futon::Promise<void> {
                static_cast<void>(co_await scene.once.begin_async());  // an attempt of its own fails
            };
            const auto first = begin();
            const auto second = begin();
        });
        spawn("thread", [&] { scene.call(); });
        scene.check_at_rest();
    });
}

TEST(ModelOnce, GivesBackWhatASelectBeganThatIsOver) {
    expect_holds("once, a select that has begun another, a thread", {.preemptions = 3}, [] {
        OnceScene scene(1);
        Once other;
        std::optional<Once::Attempt> attempt = scene.once.try_begin();
        std::optional<Once::Attempt> of_other = other.try_begin();
        scene.tries.store(1);
        spawn("fails", [&] { attempt.reset(); });
        spawn("fails too", [&] { of_other.reset(); });
        spawn("select", [&] { static_cast<void>(futon::select(scene.once.beginning(), other.beginning())); });
        spawn("thread", [&] { scene.call(); });
        scene.check_at_rest();
        check(other.try_begin().has_value(), "nothing is begun for ever");
    });
}

TEST(ModelOnce, MayBeDestroyedByOneThatSeesItDone) {
    expect_holds("once, its waiter destroys it", {}, [] {
        Buried<Once> once;
        std::optional<Once::Attempt> attempt = once->try_begin();
        spawn("initialiser", [&] { attempt->complete(); });
        spawn("owner", [&] {
            if (!once->begin(1us).is_done()) check(once->begin().is_done(), "it is done");
            once.bury();
        });
        futon::explorer::join();
        once.check_untouched();
    });
}

TEST(ModelLazy, IsMadeByOneOfAThreadAndALoopOnAWeakMemory) {
    expect_holds("lazy, a thread, a loop", {.preemptions = 3, .stale_loads = 1}, [] {
        futon::Lazy<int> lazy;
        int made = 0;
        spawn("thread", [&] { check(lazy.get([&] { return ++made; }) == 1, "made once"); });
        spawn("loop", [&] {
            futon::EventLoop loop;
            check(*loop.run_until(lazy.get_async([&] { return ++made; })) == 1, "made once");
        });
        futon::explorer::join();
        check(*lazy.try_get() == 1, "it is there");
    });
}

}  // namespace
