// SPDX-License-Identifier: MIT
// The same for semaphores, events and channels: histories that the specification forbids, each with a twin that it allows.

#include "linearizability/linearization.hpp"
#include "linearizability/written.hpp"
#include "support/gtest.hpp"

namespace {

using futon::ChannelResult;
using futon::WaitResult;
using futon::test::Answer;
using futon::test::Call;
using futon::test::DeadlineKind;
using futon::test::Kind;
using futon::test::Subject;
using futon::test::Written;

constexpr int A = 0;
constexpr int B = 1;
constexpr int C = 2;

constexpr Subject no_permit{.type = Subject::Type::semaphore};
constexpr Subject one_permit{.type = Subject::Type::semaphore, .amount = 1};
constexpr Subject event{.type = Subject::Type::event};
constexpr Subject auto_reset_event{.type = Subject::Type::auto_reset_event};
constexpr Subject meeting{.type = Subject::Type::channel};
constexpr Subject channel_of_one{.type = Subject::Type::channel, .amount = 1};

Call acquire(int count) {
    return {.kind = Kind::acquire, .operand = count, .deadline = DeadlineKind::soon};
}
Call acquire_async(int count) {
    return {.kind = Kind::acquire_async, .operand = count, .deadline = DeadlineKind::soon};
}
Call try_acquire(int count) {
    return {.kind = Kind::try_acquire, .operand = count};
}
Call release(int count) {
    return {.kind = Kind::release, .operand = count};
}
Call send(int item) {
    return {.kind = Kind::send, .operand = item};
}
Call send_async(int item) {
    return {.kind = Kind::send_async, .operand = item};
}

constexpr Call wait_async{.kind = Kind::wait_signal_async, .deadline = DeadlineKind::soon};
constexpr Call try_wait{.kind = Kind::try_wait_signal};
constexpr Call set{.kind = Kind::set};
constexpr Call reset{.kind = Kind::reset};
constexpr Call receive_async{.kind = Kind::receive_async};
constexpr Call try_receive{.kind = Kind::try_receive};
constexpr Call close_channel{.kind = Kind::close};

const Answer sent{ChannelResult::ok, 0};
const Answer closed{ChannelResult::closed, 0};
const Answer nothing{ChannelResult::would_block, 0};
Answer item(int value) {
    return {ChannelResult::ok, value};
}

bool allows_two_permits_after(int count) {
    Written history(no_permit);
    history.whole(A, release(count));
    history.whole(B, acquire(1), WaitResult::ok);
    history.whole(C, try_acquire(1), 1);
    return history.is_linearizable();
}

TEST(ModelLinearizability, RejectsAPermitThatWasNotReleased) {
    EXPECT_FALSE(allows_two_permits_after(1));
    EXPECT_TRUE(allows_two_permits_after(2));
}

bool allows_a_refusal_of(int count) {
    Written history(one_permit);
    history.whole(A, try_acquire(count), 0);
    return history.is_linearizable();
}

TEST(ModelLinearizability, RejectsARefusalOfPermitsThatAreThere) {
    EXPECT_FALSE(allows_a_refusal_of(1));
    EXPECT_TRUE(allows_a_refusal_of(2));
}

bool allows_a_timeout_of(int count) {
    Written history(one_permit);
    history.whole(A, acquire(count), WaitResult::timed_out);
    return history.is_linearizable();
}

TEST(ModelLinearizability, RejectsATimeoutWherePermitsAreThere) {
    EXPECT_FALSE(allows_a_timeout_of(1));
    EXPECT_TRUE(allows_a_timeout_of(2));
}

bool allows_permits_after_a_loop_of(int count) {
    Written history(no_permit);
    history.promised(A, acquire_async(1));
    history.whole(B, release(1));
    history.end_loop(A);
    history.whole(B, try_acquire(count), 1);
    return history.is_linearizable();
}

TEST(ModelLinearizability, RejectsAPermitThatAnEndingLoopMakes) {
    EXPECT_FALSE(allows_permits_after_a_loop_of(2));
    EXPECT_TRUE(allows_permits_after_a_loop_of(1));
}

bool allows_two_waiters_of_one_set(const Subject& subject) {
    Written history(subject);
    const auto first = history.promised(A, wait_async);
    const auto second = history.promised(B, wait_async);
    history.whole(C, set);
    history.end(first, WaitResult::ok);
    history.end(second, WaitResult::ok);
    return history.is_linearizable();
}

TEST(ModelLinearizability, RejectsASignalForTwo) {
    EXPECT_FALSE(allows_two_waiters_of_one_set(auto_reset_event));
    EXPECT_TRUE(allows_two_waiters_of_one_set(event));
}

bool allows_a_wait_after(const Call& last) {
    Written history(event);
    history.whole(A, set);
    history.whole(A, last);
    history.whole(B, try_wait, 1);
    return history.is_linearizable();
}

TEST(ModelLinearizability, RejectsAWaitForAnEventThatWasReset) {
    EXPECT_FALSE(allows_a_wait_after(reset));
    EXPECT_TRUE(allows_a_wait_after(set));
}

bool allows_a_signal_for(bool is_first) {
    Written history(auto_reset_event);
    const auto first = history.promised(A, wait_async);
    const auto second = history.promised(B, wait_async);
    history.whole(C, set);
    history.end(is_first ? first : second, WaitResult::ok);
    history.whole(C, set);
    history.end(is_first ? second : first, WaitResult::ok);
    return history.is_linearizable();
}

TEST(ModelLinearizability, RejectsASignalOutOfOrder) {
    EXPECT_FALSE(allows_a_signal_for(false));
    EXPECT_TRUE(allows_a_signal_for(true));
}

bool allows_items(int first, int second) {
    Written history(meeting);
    const auto sending = history.promised(A, send_async(1));
    const auto also_sending = history.promised(B, send_async(2));
    history.whole(C, try_receive, item(first));
    history.whole(C, try_receive, item(second));
    history.end(sending, sent);
    history.end(also_sending, sent);
    return history.is_linearizable();
}

TEST(ModelLinearizability, RejectsItemsOutOfOrder) {
    EXPECT_FALSE(allows_items(2, 1));
    EXPECT_TRUE(allows_items(1, 2));
}

TEST(ModelLinearizability, RejectsAnItemThatIsReceivedTwice) {
    EXPECT_FALSE(allows_items(1, 1));
}

bool allows_a_send_that_does_not_wait(const Subject& subject) {
    Written history(subject);
    history.whole(A, send(1), sent);
    return history.is_linearizable();
}

TEST(ModelLinearizability, RejectsASendThatMeetsNoReceiver) {
    EXPECT_FALSE(allows_a_send_that_does_not_wait(meeting));
    EXPECT_TRUE(allows_a_send_that_does_not_wait(channel_of_one));
}

bool allows_after_a_close(const Answer& answer) {
    Written history(channel_of_one);
    history.whole(A, send(1), sent);
    history.whole(A, close_channel);
    history.whole(B, try_receive, answer);
    return history.is_linearizable();
}

TEST(ModelLinearizability, RejectsAnItemThatIsLostByAClose) {
    EXPECT_FALSE(allows_after_a_close(closed));
    EXPECT_TRUE(allows_after_a_close(item(1)));
}

bool allows_after_a_loop_that_had_the_first(const Answer& first, const Answer& second) {
    Written history(channel_of_one);
    history.promised(A, receive_async);
    history.whole(B, send(1), sent);
    history.whole(B, send(2), sent);
    history.end_loop(A);
    history.whole(C, try_receive, first);
    history.whole(C, try_receive, second);
    return history.is_linearizable();
}

TEST(ModelLinearizability, RejectsAnItemThatAnEndingLoopLosesDoublesOrPutsBehindALaterOne) {
    EXPECT_TRUE(allows_after_a_loop_that_had_the_first(item(1), item(2)));
    EXPECT_FALSE(allows_after_a_loop_that_had_the_first(item(2), item(1)));
    EXPECT_FALSE(allows_after_a_loop_that_had_the_first(item(2), nothing));
    EXPECT_FALSE(allows_after_a_loop_that_had_the_first(item(1), item(1)));
}

}  // namespace
