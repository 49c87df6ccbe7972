// SPDX-License-Identifier: MIT
#include <atomic>
#include <barrier>
#include <memory>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "reports.hpp"

// Programs that are drawn: callers, threads and coroutines, that hold locks and want others. Each holds one lock of its own and
// some that no one else wants; then each wants one that another holds. In half of the programs the wishes of some of them make a
// circle, and nothing else does: so its deadlock must be found, once, and in the others there must be none.
namespace {

using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;
using futon::diagnostics::DeadlockFound;
using futon::diagnostics::What;

struct Program {
    int callers = 0;
    std::vector<int> wants;       // whose lock each wants; -1 for none
    std::vector<bool> is_thread;  // else a coroutine of the one loop
    int in_circle = 0;
};

/// Callers 0 to n-1, where each of the first `circle` wants the lock of the next one in the circle, and each other one wants the
/// lock of one before it, or none: so there is no other circle.
Program draw(std::mt19937& random, bool has_circle) {
    const auto below = [&](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
    Program program;
    program.callers = 2 + below(7);
    program.in_circle = has_circle ? 1 + below(program.callers) : 0;
    for (int i = 0; i < program.callers; ++i) {
        if (i < program.in_circle) {
            program.wants.push_back((i + 1) % program.in_circle);
        } else {
            program.wants.push_back(i == 0 || below(4) == 0 ? -1 : below(i));
        }
        program.is_thread.push_back(below(2) == 0);
    }
    return program;
}

class GeneratedPrograms : public futon::test::Reports {
protected:
    /// Returns how many waits ended because of a deadlock.
    static int run(const Program& program) {
        const auto count = static_cast<std::size_t>(program.callers);
        const auto locks = std::make_unique<AsyncLock[]>(count);
        std::atomic<int> found{0};
        const auto threads = std::count(program.is_thread.begin(), program.is_thread.end(), true);
        std::barrier all_hold(threads + 1);
        const auto wanted = [&](std::size_t i) -> AsyncLock* {
            return program.wants[i] < 0 ? nullptr : &locks[static_cast<std::size_t>(program.wants[i])];
        };
        const auto as_coroutine = [&](std::size_t i) -> Promise<void> {
            const AsyncLock::Guard hold = co_await locks[i].scoped_lock_async();
            co_await futon::sleep_for(std::chrono::milliseconds(0));  // until all hold theirs
            try {
                if (AsyncLock* const lock = wanted(i))
                    const AsyncLock::Guard inner = co_await lock->scoped_lock_async();
            } catch (const DeadlockFound&) {
                ++found;
            }
        };
        std::vector<std::jthread> running;
        for (std::size_t i = 0; i < count; ++i) {
            if (!program.is_thread[i]) continue;
            running.emplace_back([&, i] {
                const std::scoped_lock hold(locks[i]);
                all_hold.arrive_and_wait();
                try {
                    if (AsyncLock* const lock = wanted(i)) const std::scoped_lock inner(*lock);
                } catch (const DeadlockFound&) {
                    ++found;
                }
            });
        }
        EventLoop loop;
        std::vector<Promise<void>> promises;
        for (std::size_t i = 0; i < count; ++i)
            if (!program.is_thread[i]) promises.push_back(as_coroutine(i));
        all_hold.arrive_and_wait();
        loop.run();
        running.clear();
        return found;
    }
};

TEST_F(GeneratedPrograms, EachCircleIsFoundOnceAndNoneIsInvented) {
    std::mt19937 random(20261128);
    for (int i = 0; i < 400; ++i) {
        const bool has_circle = i % 2 == 0;
        const Program program = draw(random, has_circle);
        const std::size_t before = count(What::deadlock);

        const int found = run(program);

        ASSERT_EQ(found, has_circle ? 1 : 0) << "program " << i << " of " << program.callers << " callers\n" << text();
        ASSERT_EQ(count(What::deadlock), before + static_cast<std::size_t>(found)) << "program " << i;
    }
}

}  // namespace
