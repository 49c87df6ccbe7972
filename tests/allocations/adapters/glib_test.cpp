// SPDX-License-Identifier: MIT
// A main context of GLib, while memory is refused.
#include <stop_token>

#include <futon/futon.hpp>
#include <futon/glib.hpp>

#include "adapters/glib/main_context.hpp"
#include "allocations/adapters/hosted_loop.hpp"
#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"

namespace {

using futon::test::MainContext;
using futon::test::refuse_each_allocation;
using futon::test::succeeds;

TEST(RefusedGLib, LoopIsMadeOrNot) {
    futon::test::a_loop_is_made_or_not<MainContext, futon::glib::Loop>();
}

TEST(RefusedGLib, LoopGoesOnAndTellsItsHandlerWhatIsRefused) {
    futon::test::a_loop_goes_on<MainContext, futon::glib::Loop>(
        [](MainContext& host, const futon::glib::Loop& loop) { host.run_until([&] { return !loop.has_work(); }); });
}

TEST(RefusedGLib, TokensAndCancellablesFollowEachOtherOrAreNotMade) {
    refuse_each_allocation([] {
        GCancellable* const cancellable = g_cancellable_new();
        std::stop_source source;
        succeeds([&] {
            const futon::glib::CancellableStop stop(cancellable);
            const futon::glib::StopCancellable follows(source.get_token());
            g_cancellable_cancel(cancellable);
            EXPECT_TRUE(stop.token().stop_requested());
            source.request_stop();
            EXPECT_TRUE(g_cancellable_is_cancelled(follows.get()));
        });
        g_object_unref(cancellable);
    });
}

}  // namespace
