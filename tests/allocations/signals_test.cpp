// SPDX-License-Identifier: MIT
// What lets tasks pass, while memory is refused: each wait that began ends, and what one lets pass that never began passes
// another.
#include <chrono>
#include <cstddef>
#include <optional>
#include <stop_token>

#include <futon/futon.hpp>

#include "support/failing_allocations.hpp"
#include "support/gtest.hpp"
#include "support/refused_waits.hpp"
#include "support/wait_subjects.hpp"
#include "support/waiting.hpp"

namespace {

using namespace std::chrono_literals;
using futon::EventLoop;
using futon::test::begin_some;
using futon::test::Ends;
using futon::test::in_each_way;
using futon::test::run_to_the_end;
using futon::test::succeeds;
using futon::test::waiting_at;

template <class Subject>
class RefusedSignals : public testing::Test {
protected:
    static constexpr int count = 3;

    /// That so many more pass, and no more where that is used up.
    static void expect_left(Subject& subject, int left) {
        EXPECT_EQ(waiting_at(subject), 0u);
        for (int i = 0; i < left; ++i) EXPECT_TRUE(subject.try_wait());
        EXPECT_EQ(subject.try_wait(), !Subject::is_used_up);
    }
};

using Subjects = testing::Types<futon::test::AnEvent, futon::test::AnAutoResetEvent, futon::test::ALatch,
                                futon::test::APhase, futon::test::APermit>;
TYPED_TEST_SUITE(RefusedSignals, Subjects);

TYPED_TEST(RefusedSignals, WaitsPassOrAreRefused) {
    in_each_way<TypeParam>([&](auto begin) {
        TypeParam subject;
        Ends ends;
        EventLoop loop;
        const int begun = begin_some(begin, this->count, subject, {1h, std::stop_source().get_token()}, ends);
        const int waiting = begun - ends.refused;
        EXPECT_EQ(waiting_at(subject), static_cast<std::size_t>(waiting));

        EXPECT_TRUE(succeeds([&] { subject.let_pass(static_cast<std::size_t>(waiting) + 1); }));
        run_to_the_end(loop);

        EXPECT_EQ(ends.ok, waiting);
        EXPECT_EQ(ends.all(), begun);
        this->expect_left(subject, 1);
    });
}

TYPED_TEST(RefusedSignals, WaitsThatAreStoppedEnd) {
    in_each_way<TypeParam>([&](auto begin) {
        TypeParam subject;
        Ends ends;
        EventLoop loop;
        std::stop_source stop;
        const int begun = begin_some(begin, this->count, subject, {1h, stop.get_token()}, ends);

        EXPECT_TRUE(succeeds([&] { stop.request_stop(); }));
        run_to_the_end(loop);

        EXPECT_EQ(ends.others + ends.refused, begun);
        subject.let_pass(1);
        this->expect_left(subject, 1);
    });
}

TYPED_TEST(RefusedSignals, WaitsWhoseDeadlineComesEnd) {
    in_each_way<TypeParam>([&](auto begin) {
        TypeParam subject;
        Ends ends;
        EventLoop loop;
        const int begun = begin_some(begin, this->count, subject, {1ms, {}}, ends);

        run_to_the_end(loop);

        EXPECT_EQ(ends.others + ends.refused, begun);
        subject.let_pass(1);
        this->expect_left(subject, 1);
    });
}

TYPED_TEST(RefusedSignals, WaitsWhoseLoopEndsPassOnWhatTheyHadGot) {
    in_each_way<TypeParam>([&](auto begin) {
        TypeParam subject;
        Ends ends;
        std::optional<EventLoop> loop(std::in_place);
        const int begun = begin_some(begin, this->count, subject, {}, ends);
        EXPECT_TRUE(succeeds([&] { subject.let_pass(1); }));

        EXPECT_TRUE(succeeds([&] { loop.reset(); }));

        EXPECT_EQ(ends.abandoned + ends.refused, begun);
        this->expect_left(subject, 1);
    });
}

TYPED_TEST(RefusedSignals, WhatIsThereIsTakenOrStays) {
    in_each_way<TypeParam>([&](auto begin) {
        TypeParam subject;
        Ends ends;
        EventLoop loop;
        subject.let_pass(1);

        const int begun = begin_some(begin, 1, subject, {}, ends);
        run_to_the_end(loop);

        EXPECT_EQ(ends.ok + ends.refused, begun);
        this->expect_left(subject, 1 - ends.ok);
    });
}

}  // namespace
