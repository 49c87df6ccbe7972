// SPDX-License-Identifier: MIT
// A loop of libuv, while memory is refused.
#include <futon/uv.hpp>

#include "allocations/adapters/hosted_loop.hpp"
#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"

namespace {

using futon::test::AllocationsMayFail;

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
    futon::test::a_loop_is_made_or_not<UvLoop, futon::uv::Loop>();
}

TEST(RefusedUv, LoopGoesOnAndTellsItsHandlerWhatIsRefused) {
    futon::test::a_loop_goes_on<UvLoop, futon::uv::Loop>([](UvLoop& host, const futon::uv::Loop&) { host.run(); });
}

}  // namespace
