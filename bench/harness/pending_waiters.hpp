// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

#include "peers/asio_lock.hpp"

// Very many pending waiters at once, all on one word, or each on a word of its own: asynchronous waiters of futon,
// promises, receivers of an Asio channel.
namespace bench {

/// The greatest depth of the stack among the calls of `note`.
class StackDepth {
public:
    void note() {
        const char here = 0;
        const auto address = reinterpret_cast<std::uintptr_t>(&here);
        lowest_ = std::min(lowest_, address);
        highest_ = std::max(highest_, address);
    }
    double bytes() const { return static_cast<double>(highest_ - lowest_); }

private:
    std::uintptr_t lowest_ = UINTPTR_MAX;
    std::uintptr_t highest_ = 0;
};

/// The words of the waiters.
class PendingWords {
public:
    PendingWords(std::size_t waiters, bool is_one_word) : words_(is_one_word ? 1 : waiters) {}

    futon::Word<std::uint32_t> of(std::size_t waiter) { return words_[waiter % words_.size()]; }
    void notify_all() {
        for (std::uint32_t& word : words_) futon::notify(futon::Word<std::uint32_t>(word));
    }

private:
    std::vector<std::uint32_t> words_;
};

class PendingWaiter final : public futon::core::AsyncWaiter, public futon::Timer {
public:
    PendingWaiter(futon::Executor& executor, StackDepth& depth) : AsyncWaiter(executor), depth_(depth) {}

private:
    void on_complete(futon::WaitResult) noexcept override { depth_.note(); }
    void fire() noexcept override {}

    StackDepth& depth_;
};

/// Asynchronous waiters in one block of memory, as in a program that allocates nothing per wait.
class PendingWaiters {
public:
    PendingWaiters(std::size_t size, bool is_one_word, futon::EventLoop& loop, StackDepth& depth)
        : size_(size), words_(size, is_one_word), waiters_(allocator_.allocate(size)) {
        for (std::size_t i = 0; i < size; ++i) std::construct_at(waiters_ + i, loop, depth);
    }
    ~PendingWaiters() {
        std::destroy_n(waiters_, size_);
        allocator_.deallocate(waiters_, size_);
    }
    PendingWaiters(const PendingWaiters&) = delete;
    PendingWaiters& operator=(const PendingWaiters&) = delete;

    PendingWaiter& operator[](std::size_t i) { return waiters_[i]; }
    void enqueue_all() {
        for (std::size_t i = 0; i < size_; ++i) waiters_[i].enqueue(words_.of(i).equals(0));
    }
    void notify_all() { words_.notify_all(); }

private:
    std::size_t size_;
    PendingWords words_;
    std::allocator<PendingWaiter> allocator_;
    PendingWaiter* waiters_;
};

using PendingPromises = std::vector<std::optional<futon::Promise<futon::WaitResult>>>;

inline void wait_all(PendingPromises& promises, PendingWords& words,
                     futon::Deadline deadline = futon::Deadline::never()) {
    for (std::size_t i = 0; i < promises.size(); ++i)
        promises[i].emplace(futon::wait_async(words.of(i), 0, deadline).promise());
}

inline void receive_all(AsioChannel& channel, std::size_t size, StackDepth& depth) {
    for (std::size_t i = 0; i < size; ++i) channel.async_receive([&](asio::error_code, char) { depth.note(); });
}

}  // namespace bench
