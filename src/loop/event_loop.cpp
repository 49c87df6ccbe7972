// SPDX-License-Identifier: MIT
#include <futon/event_loop.hpp>

#include <cerrno>
#include <string>
#include <system_error>

#include <futon/detail/atomic.hpp>
#include <futon/detail/loop/promise_state.hpp>

#include "base/error.hpp"
#include "loop/loop_core.hpp"
#include "platform/host.hpp"

namespace futon {

/// The wake-up message of `stop`: a job that does nothing. Posting it is the last touch of `stop`. [last-touch]
///
/// A signal handler may stop a loop at any point of what the loop's own thread does with it. So `stop` touches nothing
/// but `is_requested`, the queue for all threads, and the bell.
///
///     is_requested  set by the first `stop`, which posts the message; cleared by the loop, which has the message back then
///     has_arrived   the message has run, or was discarded, and need not be retracted
struct FUTON_LOCAL EventLoop::Stop final : Job {
    void run() noexcept override { has_arrived = true; }
    void discard() noexcept override { has_arrived = true; }

    detail::Atomic<bool> is_requested{false};
    bool has_arrived = false;  // for the loop's own thread
};

namespace {

/// Learns that a promise has settled, in its place among its reactions.
class SettledListener final : public detail::Reaction {
public:
    SettledListener(Agent& agent, detail::PromiseStateBase& promise) : Reaction(agent), promise_(promise) {
        promise.add_reaction(*this);
    }
    ~SettledListener() override { detail::PromiseStateBase::remove_reaction(*this); }

    bool is_over() const noexcept { return has_settled_ || promise_->is_abandoned(); }

private:
    void run() noexcept override {
        detail::PromiseStateBase::mark_delivered(*this);
        has_settled_ = true;
    }
    void discard() noexcept override { detail::PromiseStateBase::mark_delivered(*this); }

    detail::StateRef<detail::PromiseStateBase> promise_;
    bool has_settled_ = false;
};

}  // namespace

EventLoop::EventLoop(CanBlock can_block)
    : LoopBase(allowed(can_block), "futon::EventLoop", nullptr), stop_(std::make_unique<Stop>()) {
    if (platform::Host::runs_thread()) start();
}

/// Before the loop becomes the thread's agent.
CanBlock EventLoop::allowed(CanBlock can_block) {
    if (can_block == CanBlock::yes && platform::Host::runs_thread())
        throw BlockingForbidden(
            "futon::EventLoop: this thread may not block (CanBlock::yes); the thread's own loop runs an "
            "event loop of CanBlock::no, see EventLoop::start");
    return can_block;
}

EventLoop::~EventLoop() {
    take_stop();
    // An object that the loop's end destroys may stop it once more, so the message lives until then.
    loop().tear_down();
    take_stop();
}

void EventLoop::start() {
    loop().require_home("start");
    take_stop();
    if (!loop().is_hosted()) loop().enter_host(&EventLoop::take_turn, this);
}

bool EventLoop::is_started() const {
    return is_started_for("is_started");
}
bool EventLoop::is_started_for(const char* function) const {
    loop().require_home(function);
    return loop().is_hosted();
}

void EventLoop::take_turn(void* self) noexcept {
    auto& loop = *static_cast<EventLoop*>(self);
    try {
        if (!loop.loop().run_turn([&] { return loop.take_stop(); })) loop.loop().leave_host();
    } catch (...) {
        platform::Host::report(std::current_exception());
    }
}

/// Throws if another loop runs this one: that loop would be kept waiting.
void EventLoop::require_may_run(const char* function) const {
    loop().require_home(function);
    if (loop().is_hosted() || platform::Host::runs_thread())
        throw BlockingForbidden(std::string("futon::EventLoop::") + function +
                                ": the thread's own loop runs this one, by futon::EventLoop::start; call "
                                "futon::EventLoop::run_then, or co_await");
}

void EventLoop::run() {
    require_may_run("run");
    loop().run(
        "run", [] { return false; }, [this] { return take_stop(); }, true);
}

bool EventLoop::poll() {
    return loop().poll("poll");
}
bool EventLoop::poll(std::chrono::nanoseconds budget) {
    return loop().poll("poll", budget);
}
bool EventLoop::poll_one() {
    return loop().poll("poll_one", std::chrono::nanoseconds::zero());
}

void EventLoop::run_until_settled(detail::PromiseStateBase& promise) {
    require_may_run("run_until");
    const SettledListener listener(loop().agent(), promise);
    const bool was_stopped = !loop().run(
        "run_until", [&] { return listener.is_over(); }, [this] { return take_stop(); }, false);
    if (was_stopped && !promise.is_settled())
        detail::throw_error(std::errc::operation_canceled,
                            "futon::EventLoop::run_until: the loop was stopped before the promise settled");
}

void EventLoop::stop() noexcept {
    const int error = errno;
    if (!stop_->is_requested.exchange(true)) loop().post_from_anywhere(*stop_);
    errno = error;
}

/// Takes a stop, if there is one. The thread that stops the loop sets the flag and then posts the message, which must
/// have arrived before the loop may end.
bool EventLoop::take_stop() noexcept {
    if (!stop_->is_requested.load()) return false;
    if (!stop_->has_arrived) retract(*stop_);
    stop_->has_arrived = false;
    stop_->is_requested.store(false);
    return true;
}

NativeHandle EventLoop::native_handle() {
    loop().require_home("native_handle");
    return loop().native_handle();
}

}  // namespace futon
