// SPDX-License-Identifier: MIT
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "adapters/host.hpp"
#include "adapters/host_adapter.hpp"

namespace futon::test {

/// futon's own event loop.
class EventLoopHost : public AgentHost<EventLoopHost> {
public:
    static constexpr bool ends_by_itself = true;
    static constexpr bool may_end_first = false;
    static constexpr bool may_end_in_job = false;
    static constexpr bool nests = true;
    static constexpr bool has_own_events = false;

    EventLoopHost() { begin_loop(); }
    void run() { loop_->run(); }
    void stop() { loop_->stop(); }
    void turn() {
        if (loop_) loop_->poll();
    }
    template <class F>
    void from_host(F f) {
        if (!loop_) begin_loop();
        loop_->post(std::move(f));
    }
    void begin_loop() { loop_.emplace(); }
    void end_loop() { loop_.reset(); }
    EventLoop& loop() { return *loop_; }

private:
    std::optional<EventLoop> loop_;
};

/// A loop of a few lines, which sleeps on a condition variable, and runs a LoopExecutor.
class GameHost : public AgentHost<GameHost> {
public:
    static constexpr bool ends_by_itself = true;
    static constexpr bool may_end_first = false;
    static constexpr bool may_end_in_job = false;
    static constexpr bool nests = true;

    GameHost() { begin_loop(); }
    void run() {
        is_stopped_ = false;
        while (!is_stopped_ && (!events_.empty() || (loop_ && loop_->has_work()))) {
            if (events_.empty()) sleep();
            turn();
        }
        is_stopped_ = false;
    }
    void stop() { is_stopped_ = true; }
    void turn() {
        if (loop_) loop_->poll();
        if (events_.empty()) return;
        const auto event = std::move(events_.front());
        events_.pop_front();
        event();
    }
    void from_host(std::function<void()> f) { events_.push_back(std::move(f)); }
    void begin_loop() {
        loop_.emplace([this]() noexcept {
            const std::scoped_lock hold(mutex_);
            is_woken_ = true;
            changed_.notify_one();
        });
    }
    void end_loop() { loop_.reset(); }
    core::LoopExecutor& loop() { return *loop_; }

private:
    void sleep() {
        std::unique_lock hold(mutex_);
        changed_.wait_until(hold,
                            std::min(loop_->next_deadline(), std::chrono::steady_clock::now() + std::chrono::hours(1)),
                            [&] { return std::exchange(is_woken_, false); });
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool is_woken_ = false;
    bool is_stopped_ = false;
    std::deque<std::function<void()>> events_;
    std::optional<core::LoopExecutor> loop_;
};

std::vector<TestedHost> tested_hosts() {
    return {tested_host<EventLoopHost>("EventLoop"), tested_host<GameHost>("LoopExecutor")};
}

}  // namespace futon::test
