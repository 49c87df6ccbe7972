// SPDX-License-Identifier: MIT
#include <atomic>
#include <memory>
#include <optional>
#include <thread>

#include <futon/core/driver/call_back.hpp>
#include <futon/futon.hpp>
#include <futon/glib.hpp>

#include "main_context.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace {

using futon::WaitResult;
using futon::glib::CancellableStop;
using futon::glib::Loop;
using futon::glib::StopCancellable;
using futon::test::MainContext;

struct Cancellable {
    GCancellable* const get = g_cancellable_new();
    Cancellable() = default;
    Cancellable(const Cancellable&) = delete;
    Cancellable& operator=(const Cancellable&) = delete;
    ~Cancellable() { g_object_unref(get); }
};

TEST(CancellableStop, CancelsAWaitFromAnotherThread) {
    MainContext context;
    Loop loop(context.get());
    Cancellable cancellable;
    const CancellableStop stop(cancellable.get);
    std::atomic<int> word{0};
    std::optional<WaitResult> result;
    futon::call_back(futon::waiting(word, 0), stop.token(), [&](WaitResult r) {
        result = r;
        context.quit();
    });

    std::jthread canceller([&] { g_cancellable_cancel(cancellable.get); });
    context.run();

    EXPECT_EQ(result, WaitResult::cancelled);
    EXPECT_EQ(futon::test::waiting_at(word), 0u);
}

TEST(CancellableStop, CancelsAThreadThatBlocks) {
    Cancellable cancellable;
    const CancellableStop stop(cancellable.get);
    std::atomic<int> word{0};

    std::jthread canceller([&] {
        futon::test::until_waiting(word, 1);
        g_cancellable_cancel(cancellable.get);
    });

    EXPECT_EQ(futon::wait(word, 0, stop.token()), WaitResult::cancelled);
}

TEST(CancellableStop, IsStoppedAtOnceByACancelledOne) {
    Cancellable cancellable;
    g_cancellable_cancel(cancellable.get);

    EXPECT_TRUE(CancellableStop(cancellable.get).token().stop_requested());
}

TEST(CancellableStop, IsNeverStoppedByNull) {
    EXPECT_FALSE(CancellableStop(nullptr).token().stop_requested());
}

TEST(CancellableStop, IsStoppedNoMoreOnceItIsDestroyed) {
    Cancellable cancellable;
    auto stop = std::make_unique<CancellableStop>(cancellable.get);
    const std::stop_token token = stop->token();

    stop.reset();
    g_cancellable_cancel(cancellable.get);

    EXPECT_FALSE(token.stop_requested());
}

TEST(CancellableStop, AHandlerOfTheCancellableMayDestroyIt) {
    Cancellable cancellable;
    auto stop = std::make_unique<CancellableStop>(cancellable.get);
    const std::stop_token token = stop->token();
    const std::stop_callback on_stop(token, [&] { stop.reset(); });

    g_cancellable_cancel(cancellable.get);

    EXPECT_TRUE(token.stop_requested());
    EXPECT_EQ(stop, nullptr);
}

TEST(CancellableStop, MayBeDestroyedWhileAnotherThreadCancels) {
    for (int i = 0; i < 200; ++i) {
        Cancellable cancellable;
        auto stop = std::make_unique<CancellableStop>(cancellable.get);
        std::jthread canceller([&] { g_cancellable_cancel(cancellable.get); });
        stop.reset();
    }
}

TEST(StopCancellable, IsCancelledByAStop) {
    std::stop_source source;
    const StopCancellable cancellable(source.get_token());
    EXPECT_FALSE(g_cancellable_is_cancelled(cancellable.get()));

    source.request_stop();

    EXPECT_TRUE(g_cancellable_is_cancelled(cancellable.get()));
}

TEST(StopCancellable, IsCancelledAtOnceByATokenThatIsStopped) {
    std::stop_source source;
    source.request_stop();

    EXPECT_TRUE(g_cancellable_is_cancelled(StopCancellable(source.get_token()).get()));
}

TEST(StopCancellable, IsCancelledNoMoreOnceItIsDestroyed) {
    std::stop_source source;
    std::optional<StopCancellable> cancellable(source.get_token());
    GCancellable* const kept = cancellable->get();
    g_object_ref(kept);

    cancellable.reset();
    source.request_stop();

    EXPECT_FALSE(g_cancellable_is_cancelled(kept));
    g_object_unref(kept);
}

}  // namespace
