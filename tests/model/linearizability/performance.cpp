// SPDX-License-Identifier: MIT
#include "performance.hpp"

#include <chrono>
#include <string>
#include <utility>

#include <futon/explorer.hpp>

#include "family_calls.hpp"
#include "platform/clock.hpp"
#include "stage.hpp"

namespace futon::test {

namespace {

using namespace std::chrono_literals;

Deadline deadline_of(const Call& call) {
    switch (call.deadline) {
        case DeadlineKind::soon:
            return Deadline(1ms);
        case DeadlineKind::passed:
            return Deadline(0ms);
        default:
            return Deadline::never();
    }
}

/// Makes an agent's calls, one after the other.
class Performer {
public:
    Performer(Stage& stage, int number) : stage_(stage), number_(number) {}

protected:
    void call_any(const Call& call);
    void call_lock(Call call);
    void unlock();
    void respond(std::size_t operation, const Answer& answer, Deadline deadline);

    Stage& stage_;
    int number_;
    bool has_lock_ = false;  // by `lock` or `try_lock`
    Mode holds_ = unlocked;  // of a SharedLock
};

class Thread : Performer {
public:
    using Performer::Performer;
    void perform(const GeneratedProgram::Agent& agent);

private:
    void wait(const Call& call);
    void lock(const Call& call);
    void wait_for_subject(const Call& call);
};

class Loop : Performer {
public:
    using Performer::Performer;
    void perform(const GeneratedProgram::Agent& agent);

private:
    void wait_async(const Call& call);
    void scoped_lock_async(const Call& call);
    Promise<void> settle(std::size_t operation, Deadline deadline, Promise<WaitResult> promise);
    Promise<void> attempt(std::size_t operation, Call call);
    void await_subject(const Call& call);
    Promise<void> attempt_subject(std::size_t operation, Call call);
    Promise<void> attempt_lock_in(std::size_t operation, Call call);
    template <class Guard>
    void unlock_guard(Guard guard, Mode mode);
};

void Performer::call_any(const Call& call) {
    // The owner of the lock does not try for it again, and other agents do not unlock it.
    const bool is_possible = call.kind == Kind::try_lock ? !has_lock_ : call.kind != Kind::unlock || has_lock_;
    if (!is_possible) return;
    if (call.kind == Kind::count_down && !stage_.may_count_down(call.operand)) return;
    if (stage_.type() == Subject::Type::shared_lock && call.is_of_family()) return call_lock(call);

    const std::size_t operation = stage_.invoke(number_, call);
    if (call.is_of_family()) return stage_.respond(operation, call_at_once(stage_.type(), call));
    std::int64_t value = 0;
    switch (call.kind) {
        case Kind::load:
            value = Stage::word(call).load();
            break;
        case Kind::store:
            Stage::word(call).store(call.operand);
            break;
        case Kind::exchange:
            value = Stage::word(call).exchange(call.operand);
            break;
        case Kind::compare_exchange:
            value = Stage::word(call).compare_exchange(call.operand, call.desired);
            break;
        case Kind::notify:
            value = static_cast<std::int64_t>(notify(Stage::word(call), call.count));
            break;
        case Kind::request_stop:
            value = stage_.stop().request_stop();
            break;
        case Kind::try_lock:
            value = has_lock_ = Stage::lock().try_lock();
            break;
        default:
            Stage::lock().unlock();
            has_lock_ = false;
            break;
    }
    stage_.respond(operation, value);
}

/// An agent holds a SharedLock once, and changes what it holds if that is possible.
void Performer::call_lock(Call call) {
    const bool is_try = call.kind == Kind::try_lock_in;
    if (is_try ? holds_ != unlocked : holds_ == unlocked) return;
    if (call.kind == Kind::try_upgrade && holds_ != upgradeable) return;
    if (call.kind == Kind::downgrade) {
        if (holds_ == shared) return;
        call.desired = holds_ == exclusive && call.desired != 0 ? upgradeable : shared;
    }
    if (!is_try) call.operand = holds_;
    const std::size_t operation = stage_.invoke(number_, call);
    const Answer answer = call_at_once(stage_.type(), call);
    stage_.respond(operation, answer);
    if (is_try && answer.value != 0) holds_ = static_cast<Mode>(call.operand);
    if (call.kind == Kind::try_upgrade && answer.value != 0) holds_ = exclusive;
    if (call.kind == Kind::downgrade) holds_ = static_cast<Mode>(call.desired);
    if (call.kind == Kind::unlock_from) holds_ = unlocked;
}

void Performer::unlock() {
    if (has_lock_) call_any({.kind = Kind::unlock});
    if (holds_ != unlocked) call_lock({.kind = Kind::unlock_from});
}

void Performer::respond(std::size_t operation, const Answer& answer, Deadline deadline) {
    stage_.respond(operation, answer);
    if (answer.result == WaitResult::timed_out)
        explorer::check(deadline.time_point() <= platform::now(), "no wait times out before the deadline");
}

void Thread::perform(const GeneratedProgram::Agent& agent) {
    for (const Call& call : agent.calls) {
        if (call.kind == Kind::wait) {
            wait(call);
        } else if (call.is_family_wait()) {
            wait_for_subject(call);
        } else if (call.kind == Kind::lock) {
            lock(call);
        } else {
            call_any(call);
        }
    }
    unlock();
    stage_.end(number_);
}

void Thread::wait(const Call& call) {
    const std::size_t operation = stage_.invoke(number_, call);
    const Deadline deadline = deadline_of(call);
    stage_.set_waiting(number_, true);
    const WaitResult result = detail::wait(stage_.check_of(call), {deadline, stage_.token(call)});
    stage_.set_waiting(number_, false);
    respond(operation, result, deadline);
}

void Thread::wait_for_subject(const Call& call) {
    if (call.is_lock_in() ? holds_ != unlocked : call.is_upgrade() && holds_ != upgradeable) return;
    const std::size_t operation = stage_.invoke(number_, call);
    const Deadline deadline = deadline_of(call);
    stage_.set_waiting(number_, true);
    const Answer answer = block_for_subject(stage_, call, deadline);
    stage_.set_waiting(number_, false);
    respond(operation, answer, deadline);
    if (answer.result != WaitResult::ok) return;
    if (call.is_lock_in()) holds_ = static_cast<Mode>(call.operand);
    if (call.is_upgrade()) holds_ = exclusive;
}

void Thread::lock(const Call& call) {
    if (has_lock_) return;
    const std::size_t operation = stage_.invoke(number_, call);
    stage_.set_waiting(number_, true);
    Stage::lock().lock();
    stage_.set_waiting(number_, false);
    has_lock_ = true;
    stage_.respond(operation, 0);
}

void Loop::perform(const GeneratedProgram::Agent& agent) {
    {
        EventLoop loop;
        for (const Call& call : agent.calls) {
            if (call.kind == Kind::wait_async) {
                wait_async(call);
            } else if (call.kind == Kind::scoped_lock_async) {
                scoped_lock_async(call);
            } else if (call.is_family_wait()) {
                await_subject(call);
            } else {
                call_any(call);
            }
            if (agent.polls) loop.poll();
        }
        unlock();
        if (agent.runs) {
            stage_.set_waiting(number_, true);
            loop.run();
        } else {
            stage_.begin_end(number_);
        }
    }
    stage_.end(number_);
}

void Loop::wait_async(const Call& call) {
    const std::size_t operation = stage_.invoke(number_, call);
    const Deadline deadline = deadline_of(call);
    WaitAsyncResult answer =
        detail::wait_async(WordWait(stage_.check_of(call)), {deadline, stage_.token(call)}, Agent::current());
    if (!answer.async()) return respond(operation, answer.value(), deadline);
    stage_.promise(operation);
    settle(operation, deadline, std::move(answer).promise());
}

Promise<void> Loop::settle(std::size_t operation, Deadline deadline, Promise<WaitResult> promise) {
    const WaitResult result = co_await promise;
    respond(operation, result, deadline);
}

void Loop::scoped_lock_async(const Call& call) {
    const std::size_t operation = stage_.invoke(number_, call);
    attempt(operation, call);
    if (!stage_.has_responded(operation)) stage_.promise(operation);
}

Promise<void> Loop::attempt(std::size_t operation, Call call) {
    const Deadline deadline = deadline_of(call);
    AsyncLock::Guard guard = co_await Stage::lock().scoped_lock_async({deadline, stage_.token(call)});
    respond(operation, guard.result(), deadline);
    if (guard.owns_lock()) {
        const std::size_t unlocking = stage_.invoke(number_, {.kind = Kind::unlock});
        guard.unlock();
        stage_.respond(unlocking, 0);
    }
}

void Loop::await_subject(const Call& call) {
    const std::size_t operation = stage_.invoke(number_, call);
    call.is_lock_in() ? attempt_lock_in(operation, call) : attempt_subject(operation, call);
    if (!stage_.has_responded(operation)) stage_.promise(operation);
}

Promise<void> Loop::attempt_subject(std::size_t operation, Call call) {
    const Deadline deadline = deadline_of(call);
    const Subject::Type type = stage_.type();
    if (call.is_acquire()) {
        const auto count = static_cast<std::uint32_t>(call.operand);
        respond(operation, co_await Stage::semaphore().acquire_async(count, {deadline, stage_.token(call)}), deadline);
    } else if (call.is_send()) {
        respond(operation,
                answer_to(co_await Stage::channel().send_async(call.operand, {deadline, stage_.token(call)})),
                deadline);
    } else if (call.is_receive()) {
        respond(operation, answer_to(co_await Stage::channel().receive_async({deadline, stage_.token(call)})),
                deadline);
    } else if (type == Subject::Type::latch) {
        respond(operation, co_await Stage::latch().wait_async({deadline, stage_.token(call)}), deadline);
    } else if (type == Subject::Type::event) {
        respond(operation, co_await Stage::event().wait_async({deadline, stage_.token(call)}), deadline);
    } else {
        respond(operation, co_await Stage::auto_reset_event().wait_async({deadline, stage_.token(call)}), deadline);
    }
}

template <class Guard>
void Loop::unlock_guard(Guard guard, Mode mode) {
    if (!guard) return;
    const std::size_t unlocking = stage_.invoke(number_, {.kind = Kind::unlock_from, .operand = mode});
    guard.unlock();
    stage_.respond(unlocking, 0);
}

/// What a task holds is a guard's, which unlocks if its loop ends.
Promise<void> Loop::attempt_lock_in(std::size_t operation, Call call) {
    SharedLock& lock = Stage::shared_lock();
    const Deadline deadline = deadline_of(call);
    if (call.operand == shared) {
        auto guard = co_await lock.scoped_lock_shared_async({deadline, stage_.token(call)});
        respond(operation, guard.result(), deadline);
        unlock_guard(std::move(guard), shared);
        co_return;
    }
    if (call.operand == exclusive) {
        auto guard = co_await lock.scoped_lock_async({deadline, stage_.token(call)});
        respond(operation, guard.result(), deadline);
        if (!guard || call.desired == 0) {
            unlock_guard(std::move(guard), exclusive);
            co_return;
        }
        const Call change{.kind = Kind::downgrade, .operand = exclusive, .desired = shared};
        const std::size_t changing = stage_.invoke(number_, change);
        auto weaker = guard.downgrade();
        stage_.respond(changing, 0);
        unlock_guard(std::move(weaker), shared);
        co_return;
    }
    auto guard = co_await lock.scoped_lock_upgradeable_async({deadline, stage_.token(call)});
    respond(operation, guard.result(), deadline);
    if (guard && call.desired != 0) {
        call.kind = Kind::upgrade_async;
        const std::size_t upgrading = stage_.invoke(number_, call);
        const Deadline end = deadline_of(call);
        auto stronger = co_await guard.upgrade_async({end, stage_.token(call)});
        respond(upgrading, stronger.result(), end);
        unlock_guard(std::move(stronger), exclusive);
    }
    unlock_guard(std::move(guard), upgradeable);
}

}  // namespace

void perform(const GeneratedProgram& program, History& history) {
    history.clear();
    Stage stage(history, program.subject);
    for (int i = 0; i < GeneratedProgram::agents; ++i) {
        const GeneratedProgram::Agent& agent = program.agent[static_cast<std::size_t>(i)];
        explorer::spawn("agent " + std::to_string(i), [&stage, &agent, i] {
            if (agent.is_loop) {
                Loop(stage, i).perform(agent);
            } else {
                Thread(stage, i).perform(agent);
            }
        });
    }
    explorer::spawn("closer", [&stage] { stage.close(); });
    explorer::join();
    stage.check_at_rest();
}

}  // namespace futon::test
