// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <futon/conformance/report.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/chrono.hpp>

namespace futon::detail::conformance {

using core::EnqueueResult;
using core::Place;
using core::WaitCheck;
using core::WakeToken;

/// A word with a wait queue. Its check says what the clause wants it to say.
struct Key {
    std::atomic<bool> must_wait{true};
    std::function<bool()> ask{};  // in the place of `must_wait`; runs under the queue's lock
    std::atomic<int> asked{0};
    std::atomic<std::uint64_t> told{0};  // the last `expected` that the check was asked with

    WaitCheck check(std::uint64_t expected = 0) {
        return {this, expected, [](void* address, std::uint64_t told) noexcept {
                    auto& self = *static_cast<Key*>(address);
                    self.told = told;
                    ++self.asked;
                    return self.ask ? self.ask() : self.must_wait.load();
                }};
    }
};

/// A group of which one member is woken at most.
struct Group {
    std::atomic<bool> is_over{false};
    std::atomic<int> claims{0};
};

/// A waiter that notes what the table does with it.
class Node final : public core::Waiter {
public:
    Node(int number, std::uint64_t request, std::atomic<int>& clock)
        : number(number), request_(request), clock_(clock) {}
    Node(int number, Group& group, std::atomic<int>& clock)
        : Waiter(InGroup{}), number(number), request_(0), clock_(clock), group_(&group) {}
    ~Node() override = default;

    core::Demand request() const noexcept override { return request_; }
    bool is_waiting() noexcept {
        using Access = core::WaiterAccess;
        return Access::state(*this).load() == Access::State::waiting;
    }

    const int number;
    std::function<void()> on_delivery{};  // within `deliver`
    std::atomic<int> delivered_at{-1};    // in the order of deliveries
    std::atomic<int> deliveries{0};
    int moves = 0;  // under the queues' locks
    std::uint64_t moved_for = 0;
    bool was_last = false;

private:
    void deliver() noexcept override {
        if (on_delivery) on_delivery();
        delivered_at = clock_++;
        ++deliveries;  // the last touch
    }
    bool claim() noexcept override {
        ++group_->claims;
        return !group_->is_over.exchange(true);
    }
    void moved(std::uint64_t expected, bool is_last) noexcept override {
        ++moves;
        moved_for = expected;
        was_last = is_last;
    }

    const std::uint64_t request_;
    std::atomic<int>& clock_;
    Group* group_ = nullptr;
};

/// A clause that is being tried: the table, waiters and words of its own, and the first thing that was found wrong.
class Trial {
public:
    Trial(core::WaitQueues& queues, core::WaitTable* table, const futon::conformance::Options& options)
        : queues(queues), options(options), table_(table) {}
    Trial(const Trial&) = delete;
    Trial& operator=(const Trial&) = delete;

    core::WaitQueues& queues;
    const futon::conformance::Options options;
    core::WaitTable& table() const noexcept { return *table_; }  // of clauses of a whole table

    Key word, other;
    Group group;

    Key& add_key() { return keys_.emplace_back(); }
    Node& add(std::uint64_t request = 0) { return nodes_.emplace_back(next_number(), request, clock_); }
    Node& add(Group& of) { return nodes_.emplace_back(next_number(), of, clock_); }

    /// Enqueues a waiter, which must be queued then.
    void queue(Node& node, Key& key, Place place = Place::tail) {
        const EnqueueResult result = queues.enqueue(node, key.check(), place);
        expect(result == EnqueueResult::queued, "waiter " + std::to_string(node.number) + " was not queued" +
                                                    (result == EnqueueResult::no_memory ? ": the table is full" : ""));
    }
    Node& queue_new(Key& key, std::uint64_t request = 0) {
        Node& node = add(request);
        queue(node, key);
        return node;
    }

    void expect(bool is_so, std::string_view found) {
        const std::scoped_lock hold(mutex_);
        if (!is_so && found_.empty()) found_ = found;
    }
    void expect_number(std::string_view what, std::size_t is, std::size_t expected) {
        expect(is == expected, std::string(what) + " " + std::to_string(is) + ", not " + std::to_string(expected));
    }
    /// Which waiters were delivered so far, in this order.
    void expect_delivered(const std::vector<int>& expected) {
        const std::vector<int> is = delivered();
        expect(is == expected, "delivered were " + list(is) + ", not " + list(expected));
    }
    std::vector<int> delivered() const {
        std::vector<std::pair<int, int>> times;
        for (const Node& node : nodes_)
            if (node.deliveries != 0) times.emplace_back(node.delivered_at, node.number);
        std::sort(times.begin(), times.end());
        std::vector<int> numbers;
        for (const auto& [time, number] : times) numbers.push_back(number);
        return numbers;
    }
    bool is_broken() {
        const std::scoped_lock hold(mutex_);
        return !found_.empty();
    }

    /// Waits until it is so, or is out of patience, or another thread has found something wrong.
    template <class F>
    bool until(F is_so, std::chrono::milliseconds patience) {
        const auto end = std::chrono::steady_clock::now() + patience;
        while (!is_so()) {
            if (std::chrono::steady_clock::now() > end || is_broken()) return false;
            std::this_thread::yield();
        }
        return true;
    }
    template <class F>
    bool until(F is_so) {
        return until(std::move(is_so), options.patience);
    }

    /// Starts a thread, which is joined at the end, by `join` at the latest.
    template <class F>
    void start(F f) {
        try {
            threads_.emplace_back(std::move(f));
        } catch (const std::system_error&) {
            expect(false, "no thread could be started");
        }
    }
    void join() {
        for (std::thread& thread : std::exchange(threads_, {})) thread.join();
    }

    /// Ends the clause: nothing of it is queued any more. Returns what was found wrong; empty if nothing.
    std::string end() {
        join();
        for (Node& node : nodes_) queues.dequeue(node, WaitResult::cancelled);
        for (Node& node : nodes_) expect(!queues.is_queued(node), "a waiter is still queued after all was dequeued");
        for (Node& node : nodes_)
            expect(node.deliveries <= 1 || may_be_delivered_again, "a waiter was delivered twice");
        const std::scoped_lock hold(mutex_);
        return found_;
    }
    bool may_be_delivered_again = false;  // waiters are enqueued more than once

    static std::string list(const std::vector<int>& numbers) {
        std::string text = numbers.empty() ? " none" : "";
        for (std::size_t i = 0; i < numbers.size() && i < 20; ++i) (text += ' ') += std::to_string(numbers[i]);
        return text.substr(1) + (numbers.size() > 20 ? " …" : "");
    }

private:
    int next_number() const { return static_cast<int>(nodes_.size()); }

    core::WaitTable* const table_;
    std::atomic<int> clock_{0};
    std::deque<Node> nodes_;
    std::deque<Key> keys_;
    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::string found_;
};

struct Clause {
    const char* name;
    const char* claim;
    void (*run)(Trial&);
};

/// Waiters that a broken table may still lead to.
inline void keep_for_ever(std::unique_ptr<Trial> trial) {
    static std::mutex mutex;
    static auto* const kept = new std::vector<std::unique_ptr<Trial>>;
    const std::scoped_lock hold(mutex);
    kept->push_back(std::move(trial));
}

inline void run(std::span<const Clause> clauses, core::WaitQueues& queues, core::WaitTable* table,
                const futon::conformance::Options& options, futon::conformance::Report& report) {
    for (const Clause& clause : clauses) {
        if (!std::string_view(clause.name).starts_with(options.only)) continue;
        auto trial = std::make_unique<Trial>(queues, table, options);
        std::string found;
        std::exception_ptr failure;
        try {
            clause.run(*trial);
        } catch (...) {
            failure = std::current_exception();
            trial->expect(false, "the check itself has failed");  // so that its threads end
        }
        found = trial->end();
        if (!found.empty()) keep_for_ever(std::move(trial));
        if (failure) std::rethrow_exception(failure);
        if (found.empty()) {
            report.held.emplace_back(clause.name);
        } else {
            report.broken.push_back({clause.name, clause.claim, std::move(found)});
        }
    }
}

}  // namespace futon::detail::conformance

#include <futon/detail/end.hpp>
