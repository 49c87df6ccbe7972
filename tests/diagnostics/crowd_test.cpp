// SPDX-License-Identifier: MIT
#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <random>
#include <shared_mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "reports.hpp"

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::EventLoop;
using futon::Promise;

using Crowd = futon::test::Reports;

/// Sixteen threads and the coroutines of one loop lock, read and acquire as fast as they can while others look at them.
TEST_F(Crowd, IsSeenWhileItRuns) {
    constexpr int threads = 16;
    constexpr int rounds = 2000;
    AsyncLock locks[4];
    futon::SharedLock shared;
    futon::Semaphore permits(3);
    futon::diagnostics::trace(10'000);
    futon::diagnostics::watch({.hold = 1h, .wait = 1h, .job = 1h});
    std::atomic<int> running{threads};
    std::vector<std::jthread> crowd;
    for (int i = 0; i < threads; ++i)
        crowd.emplace_back([&, i] {
            std::minstd_rand random(static_cast<unsigned>(i) + 1);
            for (int round = 0; round < rounds; ++round) {
                const std::scoped_lock hold(locks[random() % 4]);
                if (random() % 2 == 0) {
                    const std::shared_lock read(shared);
                } else {
                    const auto some = permits.scoped_acquire(1 + random() % 3);
                }
            }
            --running;
        });

    std::size_t longest = 0;
    EventLoop loop;
    const auto join_in = [&]() -> Promise<void> {
        while (running > 0) {
            {
                const AsyncLock::Guard guard = co_await locks[0].scoped_lock_async();
                std::ostringstream out;
                futon::diagnostics::dump(out);
                futon::diagnostics::dump_json(out);
                futon::diagnostics::metrics(out);
                longest = std::max(longest, out.str().size());
            }
            co_await futon::sleep_for(0ms);
        }
    };
    const Promise<void> promise = join_in();
    loop.run();
    crowd.clear();
    futon::diagnostics::trace(0);

    EXPECT_GT(longest, 100U);
    EXPECT_TRUE(reports().empty()) << text();
    std::ostringstream after;
    futon::diagnostics::dump(after);
    EXPECT_EQ(after.str().find("held by"), std::string::npos) << after.str();
    EXPECT_EQ(after.str().find("waited for"), std::string::npos) << after.str();
}

}  // namespace
