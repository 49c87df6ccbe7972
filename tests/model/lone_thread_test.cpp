// SPDX-License-Identifier: MIT
// What a thread does that alone takes and releases, again and again, while the thread that it woke does not run. The clock stands still
// but where a test moves it.
#include <algorithm>
#include <chrono>
#include <deque>
#include <optional>

#include <futon/explorer/kernel.hpp>
#include <futon/futon.hpp>

#include "../support/lock_waiter.hpp"
#include "explore.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Semaphore;
using futon::SharedLock;
using futon::core::WakeToken;
using futon::explorer::check;
using futon::explorer::sleep_until;
using futon::explorer::virtual_now;
using futon::test::expect_holds;
using std::chrono::nanoseconds;

/// A semaphore of one permit, used as a lock.
struct LockOfPermits {
    using Locking = Semaphore::Acquiring;
    void lock() { check(permits.try_acquire(), "the permit is free"); }
    bool try_lock() { return permits.try_acquire(); }
    void unlock() { permits.release(); }
    Locking locking() { return permits.acquiring(); }

    Semaphore permits{1};
};

constexpr futon::explorer::Options beside_the_keeper{.preemptions = 1};
constexpr nanoseconds before_a_handoff =
    AsyncLock::handoff_threshold;  // and a quarter more, while a thread is on its way
constexpr nanoseconds several_wakes = 400us;
constexpr nanoseconds wake = 65us;  // at least: what all wakes take

/// Two threads wait. The first has been woken, and does not run.
template <class Lock>
struct LoneScene {
    using Waiter = futon::test::WaiterForLock<Lock>;

    explicit LoneScene(typename Waiter::Kind kind = Waiter::Kind::thread) : next(lock, kind) {
        lock.lock();
        check(late.enqueue() && next.enqueue(), "both wait");
        lock.unlock();
        check(late.given() == WakeToken::none && !next.given(), "the first is woken");
        begun = virtual_now();
    }

    bool is_over() const { return next.given() || virtual_now() - begun >= span; }

    void hold(nanoseconds time) { check(try_hold(time), "it is there for those who pass by"); }

    bool try_hold(nanoseconds time) {
        if (!lock.try_lock()) return false;
        sleep_until("it holds", virtual_now() + time);
        lock.unlock();
        return true;
    }

    Lock lock;
    Waiter late{lock, Waiter::Kind::thread};
    Waiter next;
    std::chrono::steady_clock::time_point begun;
    nanoseconds span = before_a_handoff;
};

/// When the next is woken, since the first was; if it is before a handoff is due. Short times are watched for less long.
template <class Lock>
std::optional<nanoseconds> wakes_next(nanoseconds work, nanoseconds hold) {
    LoneScene<Lock> scene;
    if (work + hold < 1us) scene.span = several_wakes;
    while (!scene.is_over()) {
        sleep_until("it works", virtual_now() + work);
        scene.hold(hold);
    }
    if (!scene.next.given()) return std::nullopt;
    check(scene.next.given() == WakeToken::none, "[woken] it may take it, as who passes by may");
    return virtual_now() - scene.begun;
}

template <class Lock>
void expect_woken(nanoseconds work, nanoseconds hold) {
    expect_holds("a thread with other work, two that wait", beside_the_keeper, [=] {
        const auto woken = wakes_next<Lock>(work, hold);
        check(woken.has_value(), "[woken] another thread would work beside this one");
        check(*woken >= wake, "a wake has its time");
    });
}

template <class Lock>
void expect_not_woken(nanoseconds work, nanoseconds hold) {
    expect_holds("a thread with little other work, two that wait", beside_the_keeper,
                 [=] { check(!wakes_next<Lock>(work, hold), "[woken] another thread would only wait"); });
}

template <class Lock>
class ModelLoneThread : public testing::Test {};
using Locks = testing::Types<AsyncLock, SharedLock, LockOfPermits>;
TYPED_TEST_SUITE(ModelLoneThread, Locks);

TYPED_TEST(ModelLoneThread, WakesAnotherWhereItHasOtherWork) {
    for (const nanoseconds time : {1us, 3us, 10us}) expect_woken<TypeParam>(time, time);
    expect_woken<TypeParam>(1us, 100ns);
    expect_woken<TypeParam>(10us, 20us);
}

TYPED_TEST(ModelLoneThread, WakesNoOtherWhereItHoldsMostOfTheTime) {
    expect_not_woken<TypeParam>(0ns, 10us);
    expect_not_woken<TypeParam>(1us, 10us);
    expect_not_woken<TypeParam>(0ns, 1us);
}

TYPED_TEST(ModelLoneThread, WakesNoOtherWhereItsWorkIsAsShortAsATransferOfTheLock) {
    expect_not_woken<TypeParam>(100ns, 100ns);
    expect_not_woken<TypeParam>(400ns, 100ns);
}

TYPED_TEST(ModelLoneThread, WakesNoOtherIfItLostItsProcessorOnce) {
    for (int first = 0; first < 16; ++first)
        expect_holds("a thread that is preempted", beside_the_keeper, [=] {
            LoneScene<TypeParam> scene;
            scene.span = several_wakes;
            for (int times = 0; !scene.is_over(); ++times) {
                sleep_until("it works", virtual_now() + (times == first ? 200us : 100ns));
                scene.hold(2us);
            }
            check(!scene.next.given(), "[woken] its work is short");
        });
}

TYPED_TEST(ModelLoneThread, HandsNothingOffAndOffersNothingBeforeThatIsDue) {
    expect_holds("a thread with other work, two that wait", beside_the_keeper, [] {
        LoneScene<TypeParam> scene;
        scene.span = before_a_handoff + before_a_handoff / 5;  // the rest of the quarter is for a cycle
        while (!scene.is_over()) {
            sleep_until("it works", virtual_now() + 45us);  // so that it wakes another when it is about to hand off
            scene.hold(45us);
        }
        check(virtual_now() - scene.begun > before_a_handoff, "a handoff would be due, were no thread on its way");
        check(scene.next.given() == WakeToken::none, "[woken] the first is handed it, once it is queued again");
    });
    expect_holds("a thread with other work, a thread and a task that wait", beside_the_keeper, [] {
        TypeParam lock;
        using Waiter = futon::test::WaiterForLock<TypeParam>;
        Waiter late{lock, Waiter::Kind::thread};
        Waiter task{lock, Waiter::Kind::task};
        lock.lock();
        check(late.enqueue() && task.enqueue(), "both wait");
        lock.unlock();
        for (const auto end = virtual_now() + before_a_handoff; virtual_now() < end;) {
            sleep_until("it works", virtual_now() + 10us);
            check(lock.try_lock(), "it is there for those who pass by");
            sleep_until("it holds", virtual_now() + 10us);
            lock.unlock();
        }
        check(!task.given(), "[offer] nothing is kept for the task before that is due");
    });
}

TYPED_TEST(ModelLoneThread, WakesFewWhereThatIsInVain) {
    expect_holds("a thread with other work, many that wait", beside_the_keeper, [] {
        using Waiter = futon::test::WaiterForLock<TypeParam>;
        TypeParam lock;
        std::deque<Waiter> waiters;
        lock.lock();
        for (int i = 0; i < 8; ++i) check(waiters.emplace_back(lock, Waiter::Kind::thread).enqueue(), "it waits");
        lock.unlock();
        for (const auto end = virtual_now() + before_a_handoff; virtual_now() < end;) {
            sleep_until("it works", virtual_now() + 2us);
            check(lock.try_lock(), "it is there for those who pass by");
            sleep_until("it holds", virtual_now() + 2us);
            lock.unlock();
        }
        const auto woken =
            std::ranges::count_if(waiters, [](const Waiter& waiter) { return waiter.given().has_value(); });
        check(woken >= 3 && woken <= 4, "[woken] each wake in vain doubles the time until the next");
    });
}

TYPED_TEST(ModelLoneThread, ReliesOnNoneThatLeaves) {
    static constexpr nanoseconds time = 10us;
    std::optional<nanoseconds> when;
    expect_holds("a thread with other work, two that wait", beside_the_keeper,
                 [&when] { when = wakes_next<TypeParam>(time, time); });
    ASSERT_TRUE(when.has_value());
    for (const auto kind : {futon::core::WaiterDescription::Kind::task, futon::core::WaiterDescription::Kind::thread})
        expect_holds("it would wake another when the one that was woken leaves", beside_the_keeper, [=] {
            LoneScene<TypeParam> scene(kind);
            futon::explorer::spawn("the late one", [&] {
                sleep_until("it is late", scene.begun + *when);
                scene.late.operation().give_back(WakeToken::none);
            });
            bool is_there = true;  // else it was offered to the task, or handed to the thread
            while (is_there && virtual_now() - scene.begun < *when) {
                sleep_until("it works", virtual_now() + time);
                is_there = scene.try_hold(time);
            }
            futon::explorer::join();
            check(scene.next.given().has_value(), "[served] the resource is free, and a waiter is queued");
        });
}

/// Lets two fibers go on in turn.
class Turns {
public:
    void await(int fiber) {
        futon::explorer::await("its turn", &next_[fiber],
                               [](const void* place) noexcept { return *static_cast<const bool*>(place); });
    }
    void end(int fiber) {
        next_[fiber] = false;
        next_[1 - fiber] = true;
    }

private:
    bool next_[2] = {true, false};
};

TYPED_TEST(ModelLoneThread, WakesNoOtherIfItIsNotAlone) {
    for (const int burst : {1, 4})  // four look as if there were none, for the word counts modulo four
        for (const nanoseconds time : {2us, 10us})
            expect_holds("two threads in turn, two that wait", beside_the_keeper, [=] {
                LoneScene<TypeParam> scene;
                scene.span = several_wakes;
                Turns turns;
                const auto take_turns = [&](int fiber) {
                    for (bool is_over = false; !is_over; turns.end(fiber)) {
                        turns.await(fiber);
                        for (int i = 0; i < burst && !scene.is_over(); ++i) scene.hold(time);
                        is_over = scene.is_over();
                    }
                };
                futon::explorer::spawn("another", [&] { take_turns(1); });
                take_turns(0);
                futon::explorer::join();
                check(!scene.next.given(), "[woken] both processors are busy");
            });
}

TEST(ModelLoneReader, WakesAnotherWhereItReadsAndWrites) {
    expect_holds("a thread that reads and writes, two that wait", beside_the_keeper, [] {
        LoneScene<SharedLock> scene;
        for (int times = 0; !scene.is_over(); ++times) {
            sleep_until("it works", virtual_now() + 10us);
            if (times % 2 == 0) {
                check(scene.lock.try_lock_shared(), "it is there for those who pass by");
                sleep_until("it reads", virtual_now() + 10us);
                scene.lock.unlock_shared();
            } else {
                scene.hold(10us);
            }
        }
        check(scene.next.given() == WakeToken::none, "[woken] another thread would work beside this one");
    });
}

}  // namespace
