// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <futon/futon.hpp>

#include "support/waiting.hpp"

namespace futon::test {

using namespace std::chrono_literals;
using Guard = AsyncLock::Guard;

/// What the scenarios have in common. The primitives outlive the loop.
template <class Host>
class Scene : public testing::Test {
protected:
    /// Does an operation; f(result) is called in the loop.
    template <class Op, class F>
    void call(Op op, F f) {
        host->call(std::move(op), Deadline::never(), {}, std::move(f));
    }
    template <class Op, class F>
    void call(Op op, TimeLimit limit, F f) {
        host->call(std::move(op), limit, {}, std::move(f));
    }
    template <class Op, class F>
    void call(Op op, const std::stop_token& stop, F f) {
        host->call(std::move(op), Deadline::never(), stop, std::move(f));
    }

    /// A callback that takes the result down, and stops the host once `count` have been called.
    auto finish_after(int count) {
        return [this, count, mark = alive](WaitResult result) {
            results.push_back(result);
            if (static_cast<int>(results.size()) == count) host->stop();
        };
    }

    /// A callback that must not be called.
    auto never_called() {
        return [mark = alive](auto&&) { ADD_FAILURE() << "called"; };
    }

    void run() { host->run(); }
    void settle() {
        // What a turn posts runs in the next one, and a host may look at its queue only then.
        for (int i = 0; i < 8; ++i) host->turn();
    }

    /// Whether the lock is free, and not only on its way to a waiter that is gone.
    void expect_free() {
        EXPECT_TRUE(lock.try_lock());
        lock.unlock();
        EXPECT_EQ(waiting_at(lock), 0u);
    }
    bool callbacks_are_destroyed() const { return alive.use_count() == 1; }

    std::shared_ptr<int> alive = std::make_shared<int>(0);  // shared with callbacks
    std::vector<WaitResult> results;
    std::string order;
    std::atomic<int> word{0};
    AsyncLock lock;
    Event event;
    std::optional<Host> host{std::in_place};
};

}  // namespace futon::test
