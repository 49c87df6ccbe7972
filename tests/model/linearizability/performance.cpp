// SPDX-License-Identifier: MIT
#include "performance.hpp"

#include <chrono>
#include <string>
#include <utility>

#include <futon/explorer.hpp>

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
    void unlock();
    void respond(std::size_t operation, WaitResult result, Deadline deadline);

    Stage& stage_;
    int number_;
    bool has_lock_ = false;  // by `lock` or `try_lock`
};

class Thread : Performer {
public:
    using Performer::Performer;
    void perform(const GeneratedProgram::Agent& agent);

private:
    void wait(const Call& call);
    void lock(const Call& call);
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
};

void Performer::call_any(const Call& call) {
    // The owner of the lock does not try for it again, and other agents do not unlock it.
    const bool is_possible = call.kind == Kind::try_lock ? !has_lock_ : call.kind != Kind::unlock || has_lock_;
    if (!is_possible) return;

    const std::size_t operation = stage_.invoke(number_, call);
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

void Performer::unlock() {
    if (has_lock_) call_any({.kind = Kind::unlock});
}

void Performer::respond(std::size_t operation, WaitResult result, Deadline deadline) {
    stage_.respond(operation, result);
    if (result == WaitResult::timed_out)
        explorer::check(deadline.time_point() <= platform::now(), "no wait times out before the deadline");
}

void Thread::perform(const GeneratedProgram::Agent& agent) {
    for (const Call& call : agent.calls) {
        if (call.kind == Kind::wait) {
            wait(call);
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
    const WaitResult result = detail::wait(stage_.check_of(call), deadline, stage_.token(call));
    stage_.set_waiting(number_, false);
    respond(operation, result, deadline);
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
            } else {
                call_any(call);
            }
            if (agent.polls) loop.poll();
        }
        unlock();
        stage_.set_waiting(number_, true);
        loop.run();
    }
    stage_.end(number_);
}

void Loop::wait_async(const Call& call) {
    const std::size_t operation = stage_.invoke(number_, call);
    const Deadline deadline = deadline_of(call);
    WaitAsyncResult answer = detail::wait_async(stage_.check_of(call), deadline, stage_.token(call), Agent::current());
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
    AsyncLock::Guard guard = co_await Stage::lock().scoped_lock_async(deadline, stage_.token(call));
    respond(operation, guard.result(), deadline);
    if (guard.owns_lock()) {
        const std::size_t unlocking = stage_.invoke(number_, {.kind = Kind::unlock});
        guard.unlock();
        stage_.respond(unlocking, 0);
    }
}

}  // namespace

void perform(const GeneratedProgram& program, History& history) {
    history.clear();
    Stage stage(history);
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
