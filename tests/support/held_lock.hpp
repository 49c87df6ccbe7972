// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <mutex>
#include <optional>
#include <thread>

#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace futon::test {

/// What the tests of abandoned acquisitions start from: a lock that is held, and a loop that a test may end.
class HeldLock : public testing::Test {
protected:
    HeldLock() { lock.try_lock(); }

    /// Returns a thread that is blocked for the lock, as the last of its queue. It unlocks once it owns the lock.
    std::jthread block_thread() {
        const std::size_t queued = waiting_at(lock);
        std::jthread thread([this] { const std::scoped_lock hold(lock); });
        until_waiting(lock, queued + 1);
        return thread;
    }

    AsyncLock lock;
    std::optional<EventLoop> loop{std::in_place};
};

}  // namespace futon::test
