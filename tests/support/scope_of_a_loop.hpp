// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace futon::test {

/// A word that children wait on, and what they did.
class ScopeOfALoop : public testing::Test {
protected:
    Promise<void> child(std::string name, std::stop_token stop = {}) {
        const auto result = co_await wait_async(word, 0, std::move(stop)).promise();
        story += name + (result == WaitResult::cancelled ? "-stopped " : " ");
    }
    Promise<void> failing(std::string what) {
        co_await wait_async(word, 0).promise();
        throw std::runtime_error(what);
    }
    Promise<void> join(Scope& scope, std::stop_token stop = {}) {
        co_await scope.join(std::move(stop));
        story += "joined ";
    }

    std::atomic<int> word{0};
    std::string story;
    std::optional<EventLoop> loop{std::in_place};
};

}  // namespace futon::test
