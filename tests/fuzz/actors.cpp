// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

#include "scene.hpp"

namespace futon::fuzz {

void Actor::unlock() {
    inside_.reset();
    scene_.lock().unlock();
}

void Actor::take_any(const Step& step) {
    switch (step.op) {
        case Op::notify:
            return scene_.notify(number_, step);
        case Op::store:
            return scene_.store(number_, step);
        case Op::request_stop:
            return scene_.request_stop(number_, step.stop);
        case Op::try_lock:
            if (!inside_ && scene_.lock().try_lock()) inside_.emplace(scene_);
            return;
        case Op::unlock:
            if (inside_) unlock();
            return;
        case Op::sleep:
            explorer::sleep_until("sleep", explorer::virtual_now() + std::chrono::milliseconds(step.milliseconds));
            return;
        default:
            return;
    }
}

void ThreadActor::wait(const Step& step) {
    const std::size_t wait = scene_.begin_wait(number_, step, false);
    // With a deadline that is due, the check is asked all the same, but the wait is not enqueued.
    const Deadline deadline = scene_.deadline(wait, step);
    scene_.end(wait, detail::wait(scene_.check_of(wait, step), {deadline, scene_.token(step)}));
}

void ThreadActor::play(const Agent& agent) {
    for (const Step& step : agent.steps) {
        if (step.op == Op::wait) {
            wait(step);
        } else if (step.op == Op::lock) {
            if (inside_) continue;
            scene_.lock().lock();
            inside_.emplace(scene_);
        } else {
            take_any(step);
        }
    }
    if (inside_) unlock();
}

Promise<void> LoopActor::wait_async(Step step) {
    Ending ending(scene_, scene_.begin_wait(number_, step, true));
    const Deadline deadline = scene_.deadline(ending.wait(), step);
    WaitAsyncResult answer = detail::wait_async(WordWait(scene_.check_of(ending.wait(), step)),
                                                {deadline, scene_.token(step)}, futon::Agent::current());
    if (!answer.async()) scene_.not_enqueued(ending.wait());
    const WaitResult result = co_await answer;
    ending.complete(result);
}

void LoopActor::keep_promise(const Step& step) {
    Ending ending(scene_, scene_.begin_wait(number_, step, false));
    const Deadline deadline = scene_.deadline(ending.wait(), step);
    WaitAsyncResult answer = detail::wait_async(WordWait(scene_.check_of(ending.wait(), step)),
                                                {deadline, scene_.token(step)}, futon::Agent::current());
    if (answer.async()) {
        kept_.push_back({std::move(ending), std::move(answer).promise()});
    } else {
        scene_.not_enqueued(ending.wait());
        ending.complete(answer.value());
    }
}

LoopActor::Kept LoopActor::take_oldest() {
    Kept kept = std::move(kept_.front());
    kept_.pop_front();
    return kept;
}

Promise<void> LoopActor::await_kept(Kept kept) {
    const WaitResult result = co_await kept.promise;
    kept.ending.complete(result);
}

void LoopActor::listen(bool by_then) {
    Kept kept = take_oldest();
    if (by_then) {
        std::move(kept.promise).then([ending = std::move(kept.ending)](WaitResult result) mutable {
            ending.complete(result);
        });
    } else {
        await_kept(std::move(kept));
    }
}

void LoopActor::drop() {
    Kept kept = take_oldest();
    scene_.abandon(kept.ending.wait(), "drops");
}

/// Counts an attempt to lock, and that it ended: completed or abandoned.
class Attempt {
public:
    Attempt(int& begun, int& ended) : ended_(&ended) { ++begun; }
    Attempt(Attempt&& other) noexcept : ended_(std::exchange(other.ended_, nullptr)) {}
    Attempt& operator=(Attempt&&) = delete;
    ~Attempt() {
        if (ended_ != nullptr) ++*ended_;
    }

private:
    int* ended_;
};

Promise<void> LoopActor::scoped_lock_async(Step step) {
    const Attempt attempt(locks_begun_, locks_ended_);
    Deadline deadline = Deadline::never();
    if (step.has_deadline) deadline = Deadline(std::chrono::milliseconds(step.milliseconds));
    const AsyncLock::Guard guard = co_await scene_.lock().scoped_lock_async({deadline, scene_.token(step)});
    explorer::check(guard.owns_lock() == (guard.result() == WaitResult::ok), "a guard owns if its result is ok");
    explorer::check(guard.result() != WaitResult::not_equal, "a lock's result is never not_equal");
    scene_.check_result(guard.result(), deadline.time_point(), step);
    ++locks_run_;
    if (guard.owns_lock()) {
        const Inside inside(scene_);
        Step inner = step;
        inner.number = inner.has_deadline = inner.has_stop = false;
        if (step.variant) co_await wait_async(inner);
    }
}

void LoopActor::execute_locked(const Step& step) {
    if (step.variant) {
        scene_.lock().execute_locked([this, step, attempt = Attempt(locks_begun_, locks_ended_)]() -> Promise<void> {
            const Inside inside(scene_);
            ++locks_run_;
            co_await wait_async(step);
        });
    } else {
        scene_.lock().execute_locked([this, attempt = Attempt(locks_begun_, locks_ended_)] {
            const Inside inside(scene_);
            ++locks_run_;
        });
    }
}

void LoopActor::take(EventLoop& loop, const Step& step) {
    switch (step.op) {
        case Op::wait_async:
            wait_async(step);
            return;
        case Op::keep_promise:
            return keep_promise(step);
        case Op::listen:
            if (!kept_.empty()) listen(step.variant);
            return;
        case Op::drop:
            if (!kept_.empty()) drop();
            return;
        case Op::run_until:
            if (!kept_.empty()) {
                Kept kept = take_oldest();
                kept.ending.complete(loop.run_until(kept.promise));
            }
            return;
        case Op::poll:
            loop.poll();
            return;
        case Op::execute_locked:
            return execute_locked(step);
        case Op::scoped_lock_async:
            scoped_lock_async(step);
            return;
        default:
            return take_any(step);
    }
}

void LoopActor::play(const Agent& agent) {
    std::list<Kept> outlive;
    {
        EventLoop loop;
        for (const Step& step : agent.steps) take(loop, step);
        if (inside_) unlock();
        if (agent.ends_early) {
            scene_.abandon_all_of(number_);
            if (agent.promises_outlive_loop) outlive = std::move(kept_);
            kept_.clear();
        } else {
            while (!kept_.empty()) listen(false);
            loop.run();
            explorer::check(locks_run_ == locks_begun_, "an attempt to lock did not complete");
        }
    }
    outlive.clear();
    explorer::check(locks_ended_ == locks_begun_, "an attempt to lock was not destroyed");
}

}  // namespace futon::fuzz
