// SPDX-License-Identifier: MIT
//
// One request, several waits, one end: all share a deadline and a stop token. The user presses "cancel" while a child waits for a
// lock and another for an answer; both leave their queues, and the request goes on when both have ended. Then the same by a deadline,
// which the retries of a loop share.
//
// Prints:
//     cancelled: the lock: cancelled, the answer: cancelled; children left: 0
//     no waiter is left in a queue
//     three retries within one deadline: timed-out

#include <atomic>
#include <cstdio>
#include <mutex>
#include <stop_token>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

namespace {

struct Outcome {
    futon::WaitResult lock = futon::WaitResult::ok;
    futon::WaitResult answer = futon::WaitResult::ok;
};

futon::Promise<void> need_lock(futon::AsyncLock& lock, futon::WaitResult& result, std::stop_token stop) {
    const auto guard = co_await lock.scoped_lock_async(stop);
    result = guard.result();
}

futon::Promise<void> need_answer(std::atomic<int>& answer, futon::WaitResult& result, std::stop_token stop) {
    result = co_await futon::wait_async(answer, 0, stop);
}

/// Both children end before it goes on, whatever ends them.
futon::Promise<Outcome> request(futon::AsyncLock& lock, std::atomic<int>& answer, std::stop_token user) {
    Outcome outcome;
    futon::Scope children(user);
    children.spawn([&](std::stop_token stop) { return need_lock(lock, outcome.lock, stop); });
    children.spawn([&](std::stop_token stop) { return need_answer(answer, outcome.answer, stop); });
    co_await children.join();
    std::printf("cancelled: the lock: %s, the answer: %s; children left: %zu\n", to_string(outcome.lock).data(),
                to_string(outcome.answer).data(), children.running());
    co_return outcome;
}

/// A deadline is a time point, so a further wait has the rest of the time, not the whole.
futon::Promise<futon::WaitResult> until_it_is_three(std::atomic<int>& word, futon::Limits limits) {
    const futon::Limits shared = limits.from_now();
    auto result = futon::WaitResult::ok;
    for (int now = word; now < 3 && result != futon::WaitResult::timed_out; now = word)
        result = co_await futon::wait_async(word, now, shared);
    co_return result;
}

}  // namespace

int main() {
    futon::EventLoop loop;
    futon::AsyncLock lock;
    std::atomic<int> answer = 0;
    std::stop_source user;

    if (!lock.try_lock()) return 1;  // held all the time, so that the child waits
    auto requested = request(lock, answer, user.get_token());
    loop.post([&] { user.request_stop(); });  // the user presses "cancel"
    const Outcome outcome = loop.run_until(requested);
    lock.unlock();
    const bool is_cancelled =
        outcome.lock == futon::WaitResult::cancelled && outcome.answer == futon::WaitResult::cancelled;

    const bool is_empty = futon::notify(answer) == 0;
    std::printf("%s\n", is_empty ? "no waiter is left in a queue" : "A WAITER IS LEFT");

    loop.post([&] {
        answer = 1;
        futon::notify(answer);
    });
    const futon::WaitResult waited = loop.run_until(until_it_is_three(answer, 20ms));
    std::printf("three retries within one deadline: %s\n", to_string(waited).data());
    return is_cancelled && is_empty && waited == futon::WaitResult::timed_out ? 0 : 1;
}
