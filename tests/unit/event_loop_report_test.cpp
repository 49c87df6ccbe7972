// SPDX-License-Identifier: MIT
#include <optional>
#include <stdexcept>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/native_handle.hpp"
#include "support/platform.hpp"
#include "support/promises.hpp"

namespace {

using futon::EventLoop;
using futon::Promise;
using futon::test::is_readable;
using futon::test::rejected;

TEST(EventLoop, PollRethrowsAnExceptionReportedOutsideOfPoll) {
    EventLoop loop;
    static_cast<void>(rejected());

    EXPECT_THROW(loop.poll(), std::runtime_error);

    EXPECT_FALSE(loop.poll());
}

/// An idle loop that is embedded by its descriptor, and has been polled before.
class IdleEmbeddedLoop : public testing::Test {
protected:
    void SetUp() override {
        if (!futon::test::has_descriptors) GTEST_SKIP() << "this platform has no descriptors";
        descriptor = loop.native_handle();
        loop.poll();
        ASSERT_FALSE(is_readable(descriptor));
    }

    EventLoop loop;
    futon::NativeHandle descriptor{};
};

TEST_F(IdleEmbeddedLoop, IsReadableForAnExceptionReportedOutsideOfPoll) {
    static_cast<void>(rejected());

    EXPECT_TRUE(is_readable(descriptor));
    EXPECT_THROW(loop.poll(), std::runtime_error);
    EXPECT_FALSE(is_readable(descriptor));
}

TEST_F(IdleEmbeddedLoop, IsReadableOnlyOnceARejectedPromiseIsDropped) {
    std::optional<Promise<int>> promise(rejected());
    const bool readable_while_kept = is_readable(descriptor);

    promise.reset();

    EXPECT_FALSE(readable_while_kept);
    EXPECT_TRUE(is_readable(descriptor));
    EXPECT_THROW(loop.poll(), std::runtime_error);
}

TEST_F(IdleEmbeddedLoop, StaysReadableUntilTheLastExceptionIsRethrown) {
    for (int i = 0; i < 3; ++i) static_cast<void>(rejected());

    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(is_readable(descriptor));
        EXPECT_THROW(loop.poll(), std::runtime_error);
    }
    EXPECT_FALSE(is_readable(descriptor));
}

TEST_F(IdleEmbeddedLoop, BecomesReadableForAJobAfterAnExceptionWasRethrown) {
    static_cast<void>(rejected());
    EXPECT_THROW(loop.poll(), std::runtime_error);

    loop.post([] {});

    EXPECT_TRUE(is_readable(descriptor));
    EXPECT_TRUE(loop.poll());
    EXPECT_FALSE(is_readable(descriptor));
}

}  // namespace
