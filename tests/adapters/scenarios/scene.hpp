// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "adapters/any_host.hpp"
#include "support/gtest.hpp"
#include "support/waiting.hpp"

namespace futon::test {

using namespace std::chrono_literals;
using Guard = AsyncLock::Guard;

/// What the scenarios have in common. The primitives outlive the loop.
class Scene : public testing::Test {
protected:
    explicit Scene(const TestedHost& tested) : tested_(tested), host(tested.make()) {}

    /// Does an operation; f(result) is called in the loop.
    template <class Op, class F>
    void call(Op op, F f) {
        host->call(std::move(op), {}, {}, std::move(f));
    }
    template <class Op, class F>
    void call(Op op, Limits limit, F f) {
        host->call(std::move(op), limit, {}, std::move(f));
    }
    template <class Op, class F>
    void call(Op op, const std::stop_token& stop, F f) {
        host->call(std::move(op), {}, stop, std::move(f));
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

    /// Keeps a host running that would end by itself before another thread posts to it.
    std::optional<WorkGuard> keep_running() {
        if (!tested_.traits.ends_by_itself) return std::nullopt;
        return host->keep_running();
    }

    /// Another host of the same kind.
    std::unique_ptr<AnyHost> make_host() const { return tested_.make(); }

    /// Whether the lock is free, and not only on its way to a waiter that is gone.
    void expect_free() {
        EXPECT_TRUE(lock.try_lock());
        lock.unlock();
        EXPECT_EQ(waiting_at(lock), 0u);
    }
    bool callbacks_are_destroyed() const { return alive.use_count() == 1; }

private:
    const TestedHost tested_;

protected:
    std::shared_ptr<int> alive = std::make_shared<int>(0);  // shared with callbacks
    std::vector<WaitResult> results;
    std::string order;
    std::atomic<int> word{0};
    AsyncLock lock;
    Event event;
    std::unique_ptr<AnyHost> host;
};

/// A scenario before it is a test.
struct Scenario {
    const char* suite;
    const char* name;
    const char* file;
    int line;
    bool (*applies)(const HostTraits& host);
    Scene* (*make)(const TestedHost& host);
};

/// Makes it a test, `suite.name/host`, for each of the program's hosts that it applies to. Returns true.
bool add_scenario(const Scenario& scenario);

}  // namespace futon::test

/// A test of the program for each of its hosts. Its body is that of a member function of a Scene.
#define SCENARIO(suite, name) SCENARIO_IF(suite, name, (static_cast<void>(host), true))

/// A scenario of some hosts: `condition` is asked of HostTraits that are called `host`.
#define SCENARIO_IF(suite, name, condition)                                                                        \
    namespace {                                                                                                    \
    class suite##_##name final : public Scene {                                                                    \
    public:                                                                                                        \
        explicit suite##_##name(const TestedHost& tested) : Scene(tested) {}                                       \
                                                                                                                   \
    private:                                                                                                       \
        void TestBody() override;                                                                                  \
    };                                                                                                             \
    [[maybe_unused]] const bool suite##_##name##_is_added =                                                        \
        add_scenario({#suite, #name, __FILE__, __LINE__, [](const HostTraits& host) -> bool { return condition; }, \
                      [](const TestedHost& tested) -> Scene* { return new suite##_##name(tested); }});             \
    }                                                                                                              \
    void suite##_##name::TestBody()
