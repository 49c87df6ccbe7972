// SPDX-License-Identifier: MIT
// The mutex and the parker of platforms that can sleep on an address, which may wake for no reason.
#include <algorithm>
#include <cstring>
#include <new>

#include "../explore.hpp"
#include "platform/mutex.hpp"
#include "platform/parker.hpp"

namespace {

using namespace std::chrono_literals;
using futon::explorer::check;
using futon::explorer::Shared;
using futon::explorer::spawn;
using futon::platform::Mutex;
using futon::platform::Parker;
using futon::test::expect_holds;

/// Fibers of one name lock the mutex, each `times`.
void exclude_each_other(const char* name, futon::explorer::Options options, int fibers, int times) {
    expect_holds(name, options, [fibers, times] {
        Mutex mutex;
        Shared sum;
        int inside = 0;
        for (int i = 0; i < fibers; ++i)
            spawn("thread", [&] {
                for (int time = 0; time < times; ++time) {
                    mutex.lock();
                    check(inside++ == 0, "one at a time");
                    sum.store(sum.load() + 1);
                    futon::explorer::point("inside", &inside);
                    --inside;
                    mutex.unlock();
                }
            });
        futon::explorer::join();
        check(sum.load() == fibers * times, "no increment was lost");
    });
}

TEST(ModelFutex, ThreeThreadsExcludeEachOtherByAMutex) {
    exclude_each_other("mutex, three threads", {.preemptions = 6, .spurious_wakes = 1}, 3, 1);
}

TEST(ModelFutex, TwoThreadsExcludeEachOtherByAMutexOnAWeakMemory) {
    exclude_each_other("mutex, two threads twice, weak", {.preemptions = 6, .stale_loads = 2, .spurious_wakes = 2}, 2,
                       2);
}

/// The fence of one sleeper is for another that sleeps by its mark, too.
TEST(ModelFutex, ThreeThreadsExcludeEachOtherByAMutexOnAWeakMemory) {
    exclude_each_other("mutex, three threads, weak", {.preemptions = 5, .stale_loads = 2}, 3, 1);
}

/// A parker whose memory is written over as soon as it ends.
class ShortLivedParker {
public:
    ShortLivedParker() { new (storage_) Parker; }
    Parker& operator*() { return *std::launder(reinterpret_cast<Parker*>(storage_)); }

    void end() { std::memset(storage_, 0xdd, sizeof storage_); }
    bool is_untouched() const {
        return std::ranges::all_of(storage_, [](unsigned char byte) { return byte == 0xdd; });
    }

private:
    alignas(Parker) unsigned char storage_[sizeof(Parker)];
};

/// One fiber parks, another sends its only token.
void park_and_unpark(const char* name, futon::explorer::Options options, bool has_deadline) {
    expect_holds(name, options, [has_deadline] {
        ShortLivedParker parker;
        Shared message;
        spawn("sleeper", [&] {
            // As a wait does it: after a time-out the token is known to be under way.
            if (has_deadline && !(*parker).park_until(std::chrono::steady_clock::time_point(1h) + 1ms))
                (*parker).park();
            else if (!has_deadline)
                (*parker).park();
            check(message.load() == 7, "what came before the token is seen");
            parker.end();
        });
        spawn("waker", [&] {
            message.store(7);
            (*parker).unpark();
        });
        futon::explorer::join();
        check(parker.is_untouched(), "[last-touch] no unpark touches a parker after its end");
    });
}

TEST(ModelFutex, ATokenIsNeverLostOnAWeakMemory) {
    park_and_unpark("park, unpark, weak", {.stale_loads = 3, .spurious_wakes = 2}, false);
}

TEST(ModelFutex, ATokenIsNotLostByATimeoutOnAWeakMemory) {
    park_and_unpark("park until, unpark, weak", {.stale_loads = 3, .clock_leaps = 1, .spurious_wakes = 2}, true);
}

TEST(ModelFutex, AParkerMayBeUsedAgain) {
    expect_holds("park and unpark alternately", {.stale_loads = 1, .spurious_wakes = 1}, [] {
        Parker ping, pong;
        Shared ball;
        spawn("server", [&] {
            for (int i = 0; i < 2; ++i) {
                ball.store(ball.load() + 1);
                ping.unpark();
                pong.park();
            }
        });
        spawn("returner", [&] {
            for (int i = 0; i < 2; ++i) {
                ping.park();
                ball.store(ball.load() + 1);
                pong.unpark();
            }
        });
        futon::explorer::join();
        check(ball.load() == 4, "the ball came back each time");
    });
}

}  // namespace
