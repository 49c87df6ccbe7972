// SPDX-License-Identifier: MIT
//
// A coroutine type of another library, with a scheduler of its own, awaits every operation of futon. The scheduler is an
// Executor: its queue holds jobs of futon beside its own coroutines. No promise of futon's is needed.
//
// When the scheduler ends, its agent ends first: coroutines that still wait are resumed, their wait is `cancelled` or their
// guard owns nothing, and they return.
//
// Prints:
//     first: has the lock
//     second: 7 of the channel
//     third: chose 1
//     fourth: cancelled

#include <coroutine>
#include <cstdio>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

namespace {

/// The other library's: a coroutine that runs by itself.
struct Task {
    struct promise_type {
        Task get_return_object() const noexcept { return {}; }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_never final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };
};

/// The other library's scheduler: a queue, and a thread that runs it. To be an Executor it needs `post`.
class Scheduler final : public futon::Executor {
public:
    void post(futon::Job& job) noexcept override {
        const std::scoped_lock hold(mutex_);
        job.next = nullptr;
        *end_ = &job;
        end_ = &job.next;
    }

    /// Runs what was posted before. Returns whether there was anything.
    bool run_some() {
        std::unique_lock hold(mutex_);
        futon::Job* job = std::exchange(first_, nullptr);
        end_ = &first_;
        hold.unlock();
        const bool had_work = job != nullptr;
        while (job != nullptr) std::exchange(job, job->next)->run();
        return had_work;
    }

    ~Scheduler() {
        while (first_ != nullptr) std::exchange(first_, first_->next)->discard();
    }

private:
    std::mutex mutex_;
    futon::Job* first_ = nullptr;
    futon::Job** end_ = &first_;
};

struct Shared {
    futon::AsyncLock lock;
    futon::Channel<int> channel{1};
    futon::Event event;
    futon::Event never;
    int done = 0;
};

Task first(Shared& shared) {
    const futon::AsyncLock::Guard guard = co_await shared.lock.scoped_lock_async();
    std::printf("first: %s\n", guard ? "has the lock" : "NOTHING");
    ++shared.done;
}

Task second(Shared& shared) {
    const auto item = co_await shared.channel.receive_async();
    std::printf("second: %d of the channel\n", item.value_or(0));
    shared.event.set();
    ++shared.done;
}

Task third(Shared& shared) {
    const auto chosen = co_await futon::select_async(shared.never.waiting(), shared.event.waiting());
    std::printf("third: chose %zu\n", chosen.index());
    ++shared.done;
}

Task fourth(Shared& shared) {
    const futon::WaitResult result = co_await shared.never.wait_async();
    std::printf("fourth: %s\n", to_string(result).data());
    ++shared.done;
}

}  // namespace

int main() {
    Shared shared;
    {
        Scheduler scheduler;
        futon::Agent agent(scheduler);  // after the scheduler, so that it ends before it
        shared.lock.try_lock();
        first(shared);
        second(shared);
        third(shared);
        fourth(shared);

        std::jthread worker([&] {
            shared.lock.unlock();
            static_cast<void>(shared.channel.send(7));
        });
        while (shared.done < 3) {
            if (!scheduler.run_some()) std::this_thread::yield();
        }
    }
    return shared.done == 4 ? 0 : 1;
}
