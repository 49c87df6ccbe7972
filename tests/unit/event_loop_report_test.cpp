// SPDX-License-Identifier: MIT
#include <optional>
#include <stdexcept>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

#include "support/native_handle.hpp"
#include "support/platform.hpp"

namespace {

using futon::EventLoop;
using futon::Promise;
using futon::test::is_readable;

Promise<void> rejected() {
    throw std::runtime_error("broken");
    co_return;
}

TEST(EventLoop, HasWorkForThePollAfterAnExceptionWasReportedOutsideOfIt) {
    EventLoop loop;
    static_cast<void>(rejected());

    EXPECT_THROW(loop.poll(), std::runtime_error);

    EXPECT_FALSE(loop.poll());
}

/// A loop that is embedded, idle, and has been polled before.
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

TEST_F(IdleEmbeddedLoop, IsReadableForAnExceptionThatIsReportedOutsideOfPoll) {
    static_cast<void>(rejected());

    EXPECT_TRUE(is_readable(descriptor));
    EXPECT_THROW(loop.poll(), std::runtime_error);
    EXPECT_FALSE(is_readable(descriptor));
}

TEST_F(IdleEmbeddedLoop, IsReadableOnlyOnceARejectedPromiseIsDropped) {
    std::optional<Promise<void>> promise(rejected());
    const bool readable_while_kept = is_readable(descriptor);

    promise.reset();

    EXPECT_FALSE(readable_while_kept);
    EXPECT_TRUE(is_readable(descriptor));
    EXPECT_THROW(loop.poll(), std::runtime_error);
}

TEST_F(IdleEmbeddedLoop, StaysReadableUntilTheLastExceptionWasTaken) {
    for (int i = 0; i < 3; ++i) static_cast<void>(rejected());

    for (int i = 0; i < 3; ++i) {
        EXPECT_TRUE(is_readable(descriptor));
        EXPECT_THROW(loop.poll(), std::runtime_error);
    }
    EXPECT_FALSE(is_readable(descriptor));
}

TEST_F(IdleEmbeddedLoop, BecomesReadableForAJobAfterAnExceptionWasTaken) {
    static_cast<void>(rejected());
    EXPECT_THROW(loop.poll(), std::runtime_error);

    loop.post([] {});

    EXPECT_TRUE(is_readable(descriptor));
    EXPECT_TRUE(loop.poll());
    EXPECT_FALSE(is_readable(descriptor));
}

}  // namespace
