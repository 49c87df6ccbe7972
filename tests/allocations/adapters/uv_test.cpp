// SPDX-License-Identifier: MIT
// A loop of libuv, while memory is refused.
#include <chrono>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <futon/futon.hpp>
#include <futon/uv.hpp>

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
using futon::test::refuse_each_allocation;
using futon::test::succeeds;

/// A loop of libuv.
class UvLoop {
public:
    UvLoop() { uv_loop_init(&loop_); }
    UvLoop(const UvLoop&) = delete;
    UvLoop& operator=(const UvLoop&) = delete;
    ~UvLoop() {
        run();
        EXPECT_EQ(uv_loop_close(&loop_), 0) << "no handle is left";
    }

    uv_loop_t* get() noexcept { return &loop_; }
    void run() {
        const AllocationsMayFail here;
        uv_run(&loop_, UV_RUN_DEFAULT);
    }

private:
    uv_loop_t loop_;
};

TEST(RefusedUv, LoopIsMadeOrNot) {
    refuse_each_allocation([] {
        UvLoop host;
        succeeds([&] { const futon::uv::Loop loop(host.get()); });
        EXPECT_EQ(futon::Agent::current().executor(), nullptr);
    });
}

TEST(RefusedUv, LoopGoesOnAndTellsItsHandlerWhatIsRefused) {
    refuse_each_allocation([] {
        UvLoop host;
        std::optional<futon::uv::Loop> loop(host.get());
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
        host.run();

        EXPECT_EQ(ends.ok + told, begun);
        EXPECT_LE(ends.abandoned - abandoned, told);
        EXPECT_TRUE(lock.try_lock());
        EXPECT_TRUE(succeeds([&] { loop.reset(); }));
    });
}

}  // namespace
