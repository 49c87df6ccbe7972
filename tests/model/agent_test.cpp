// SPDX-License-Identifier: MIT
// Threads that may not block although they have made no agent, as the main thread of a page.
#include <futon/futon.hpp>

#include "explore.hpp"
#include "scene.hpp"

namespace {

using futon::explorer::check;
using futon::explorer::forbid_blocking;
using futon::explorer::spawn;
using futon::test::count;
using futon::test::expect_holds;
using futon::test::Scene;

template <class F>
bool is_forbidden(F f) {
    try {
        f();
        return false;
    } catch (const futon::BlockingForbidden&) {
        return true;
    }
}

TEST(ModelAgent, WaitAndLockThrowOnAPlainThreadThatMayNotBlock) {
    expect_holds("a main thread that may not block", {}, [] {
        Scene scene;
        futon::AsyncLock lock;
        spawn("main", [&] {
            forbid_blocking();
            check(!futon::Agent::current().can_block(), "its agent may not block");
            check(is_forbidden([&] { futon::wait(scene.word(), 0); }), "wait is forbidden");
            check(is_forbidden([&] { lock.lock(); }), "lock is forbidden");
            check(lock.try_lock(), "the lock is still free");
            lock.unlock();
        });
        futon::explorer::join();
    });
}

TEST(ModelAgent, OtherThreadsMayBlockBesideOneThatMayNot) {
    expect_holds("a main thread that may not block, a waiter", {}, [] {
        Scene scene;
        spawn("main", [&] {
            forbid_blocking();
            check(!futon::Agent::current().can_block(), "the main thread may not block");
            scene.word().store(1);
            scene.notified += futon::notify(scene.word());
        });
        spawn("waiter", [&] {
            check(futon::Agent::current().can_block(), "the other thread may block");
            count(scene, futon::wait(scene.word(), 0));
        });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

TEST(ModelAgent, AnAgentOverridesThePlatformsAnswer) {
    expect_holds("an agent on a main thread", {}, [] {
        Scene scene;
        spawn("main", [&] {
            forbid_blocking();
            const futon::Agent agent(futon::CanBlock::yes);
            count(scene, futon::wait(scene.word(), 0));
        });
        spawn("notifier", [&] {
            scene.word().store(1);
            scene.notified += futon::notify(scene.word());
        });
        futon::explorer::join();
        scene.check_all_accounted();
    });
}

}  // namespace
