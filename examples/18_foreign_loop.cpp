// SPDX-License-Identifier: MIT
//
// futon on a loop that is not futon's: a toolkit's, a game's. core::LoopExecutor needs one function from it, a wake-up that
// any thread may call. Timers, promises and coroutines of that thread come with it.
//
// Prints:
//     host: asleep until 1 s from now at the latest
//     coroutine: ok, on the host's thread
//     timer: cancelled once
//     host: nothing is left to do

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <mutex>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

namespace {

/// The loop of a framework: it sleeps until another thread wakes it up, or a time point has come.
class HostLoop {
public:
    void wake() noexcept {
        const std::scoped_lock hold(mutex_);
        is_woken_ = true;
        changed_.notify_one();
    }

    void sleep_until(Clock::time_point time) {
        std::unique_lock hold(mutex_);
        changed_.wait_until(hold, time, [&] { return std::exchange(is_woken_, false); });
    }

private:
    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_woken_ = false;
};

futon::Promise<bool> wait_for_worker(std::atomic<int>& word) {
    const auto host_thread = std::this_thread::get_id();
    const futon::WaitResult result = co_await futon::wait_async(word, 0, 10s);
    const bool is_here = std::this_thread::get_id() == host_thread;
    std::printf("coroutine: %s, %s\n", to_string(result).data(), is_here ? "on the host's thread" : "ELSEWHERE");
    co_return result == futon::WaitResult::ok&& is_here;
}

}  // namespace

int main() {
    HostLoop host;
    futon::core::LoopExecutor executor([&]() noexcept { host.wake(); });  // this thread's agent, from here on
    std::atomic<int> word{0};
    int fired = 0;

    auto timer = executor.post_after(1s, [&] { ++fired; });
    const bool knows_when = executor.next_deadline() <= Clock::now() + 1s;
    std::printf("host: asleep until %s\n", knows_when ? "1 s from now at the latest" : "TOO LATE");

    auto waiting = wait_for_worker(word);
    std::jthread worker([&] {
        word = 1;
        futon::notify(word);
    });
    while (!waiting.is_settled()) {
        host.sleep_until(executor.next_deadline());
        executor.poll();
    }

    const bool is_cancelled = timer.cancel() && !timer.cancel();
    std::printf("timer: %s\n", is_cancelled ? "cancelled once" : "IT RAN");
    while (executor.has_work()) {
        host.sleep_until(executor.next_deadline());
        executor.poll();
    }
    std::puts("host: nothing is left to do");

    bool is_right = false;
    waiting.then([&](bool result) { is_right = result; });
    executor.poll();
    return is_right && knows_when && is_cancelled && fired == 0 ? 0 : 1;
}
