// SPDX-License-Identifier: MIT
// How a thread of JavaScript blocks.
#include "environment.hpp"

#include <algorithm>
#include <chrono>
#include <optional>

namespace futon::node {

using Clock = std::chrono::steady_clock;

/// How often a blocked thread checks whether Node is ending it, if its loop cannot be watched.
static constexpr std::chrono::milliseconds slice{20};

bool Environment::may_run_javascript() noexcept {
    const HandleScope scope(env_);
    napi_value nothing = nullptr;
    napi_value undefined = nullptr;
    napi_value result = nullptr;
    if (napi_get_reference_value(env_, nothing_, &nothing) != napi_ok ||
        napi_get_undefined(env_, &undefined) != napi_ok)
        return false;
    const napi_status status = napi_call_function(env_, undefined, nothing, 0, nullptr, &result);
    // An error tells that the stack is almost full. The end of the thread is none.
    bool is_error = false;
    return status == napi_ok ||
           (status == napi_pending_exception && napi_get_and_clear_last_exception(env_, &result) == napi_ok &&
            napi_is_error(env_, result, &is_error) == napi_ok && is_error);
}

namespace {

/// When a thread whose loop is watched asks next whether it may still run JavaScript. No message comes with the end of a time that `vm`
/// gives to a program, nor with one to a handle that has another which was not read. So it asks each time that it has slept for two fifths
/// more: it learns late what happened, by two fifths of that time at most, and hardly ever wakes up. If there is a message, no later than in
/// two seconds, for another one may be hidden behind that.
class Questions {
public:
    Clock::time_point next(bool has_messages) noexcept {
        const Clock::time_point now = Clock::now();
        if (has_messages && !has_messages_) begin_ = now - shortest;
        has_messages_ = has_messages;
        const Clock::duration pause = std::max<Clock::duration>((now - begin_) * 2 / 5, shortest);
        return now + (has_messages ? std::min<Clock::duration>(pause, longest) : pause);
    }

private:
    static constexpr std::chrono::milliseconds shortest{10};
    static constexpr std::chrono::milliseconds longest{2000};

    Clock::time_point begin_ = Clock::now() - 2 * shortest;  // it has slept for two ticks of the watcher, about
    bool has_messages_ = false;
};

}  // namespace

Environment::Wake Environment::sleep_watched(InterruptibleWaiter& waiter, Deadline deadline) noexcept {
    diagnosis_.about_to_block();
    const LoopWatch::Blocked blocked(loop_watch_, waiter);
    std::optional<Questions> questions;
    while (true) {
        Deadline until = deadline;
        if (!blocked.is_watched()) {
            until = std::min(until, Deadline(Clock::now() + slice));
        } else if (blocked.has_begun()) {
            if (!questions) questions.emplace();
            until = std::min(until, Deadline(questions->next(blocked.has_messages())));
        }
        // To set a timer takes as long as to sleep and to be woken.
        if (until.is_never() ? waiter.wait() : waiter.wait_until(until.time_point())) return Wake::delivered;
        if (deadline.is_due()) return Wake::due;
        if (!may_run_javascript()) return Wake::ended;
    }
}

std::optional<WaitResult> Environment::sleep(InterruptibleWaiter& waiter, core::WaitQueues& table,
                                             Deadline deadline) noexcept {
    note_awake();  // it computes or blocks, and does not look
    const Wake wake = sleep_watched(waiter, deadline);
    if (!waiter.drain() && wake != Wake::delivered) {
        if (wake == Wake::ended) return std::nullopt;
        if (table.dequeue(waiter, WaitResult::timed_out)) return WaitResult::timed_out;
        waiter.wait_for_delivery();  // [once] another thread dequeued it first
    }
    if (may_run_javascript()) return waiter.result();
    waiter.deliver_again();  // what it was woken for would end with the thread: the caller gives it back
    return std::nullopt;
}

Environment::Wake Environment::sleep(InterruptibleWaiter& waiter, Deadline deadline) noexcept {
    note_awake();
    const Wake wake = sleep_watched(waiter, deadline);
    return waiter.drain() ? Wake::delivered : wake;
}

}  // namespace futon::node
