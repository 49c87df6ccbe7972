// SPDX-License-Identifier: MIT
//
// An executor of one function, for a loop that has a queue of jobs of its own: here a game's, which runs one job after each
// frame. `post` is all that promises and coroutines need; the agent says that this thread must not block. A loop that should
// get its queue, timers and teardown ready-made takes core::LoopExecutor (18_foreign_loop.cpp).
//
// Prints:
//     frame 1: blocking is forbidden
//     frame 2: a promise waits
//     frame 3: the promise is ok

#include <atomic>
#include <cstdio>
#include <mutex>
#include <utility>

#include <futon/futon.hpp>

namespace {

class Game final : public futon::Executor {
public:
    ~Game() {
        while (first_ != nullptr) pop().discard();
    }

    /// The job brings the link of the list along, so that posting cannot fail.
    void post(futon::Job& job) noexcept override {
        const std::scoped_lock hold(mutex_);
        job.next = nullptr;
        *end_ = &job;
        end_ = &job.next;
    }

    /// What the game does between two frames.
    void run_one_job() {
        std::unique_lock hold(mutex_);
        if (first_ == nullptr) return;
        futon::Job& job = pop();
        hold.unlock();
        job.run();
    }

private:
    futon::Job& pop() noexcept {
        futon::Job& job = *std::exchange(first_, first_->next);
        if (first_ == nullptr) end_ = &first_;
        return job;
    }

    std::mutex mutex_;
    futon::Job* first_ = nullptr;
    futon::Job** end_ = &first_;
};

bool is_blocking_forbidden(std::atomic<int>& word) {
    try {
        futon::wait(word, 0);
        return false;
    } catch (const futon::BlockingForbidden&) {
        return true;
    }
}

}  // namespace

int main() {
    Game game;
    futon::Agent agent(game);  // this thread's, from here on: it may not block
    std::atomic<int> word{0};

    const bool is_forbidden = is_blocking_forbidden(word);
    std::printf("frame 1: %s\n", is_forbidden ? "blocking is forbidden" : "IT BLOCKED");

    futon::WaitResult result = futon::WaitResult::not_equal;
    auto promise = futon::wait_async(word, 0).promise().then([&](futon::WaitResult r) { result = r; });
    futon::notify(word);
    const bool is_later = result == futon::WaitResult::not_equal;  // posted, not run
    std::printf("frame 2: %s\n", is_later ? "a promise waits" : "IT RAN AT ONCE");

    while (!promise.is_settled()) game.run_one_job();
    std::printf("frame 3: the promise is %s\n", to_string(result).data());
    return is_forbidden && is_later && result == futon::WaitResult::ok ? 0 : 1;
}
