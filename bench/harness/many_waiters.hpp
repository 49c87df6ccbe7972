// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

namespace bench {

/// Asynchronous waiters that are never notified, each on a word of its own.
class ManyWaiters {
public:
    ManyWaiters(futon::Executor& executor, std::size_t size) : words_(size) {
        for (std::uint32_t& word : words_)
            waiters_.emplace_back(executor).enqueue(futon::Word<std::uint32_t>(word).equals(0));
    }

private:
    struct Idle final : futon::core::AsyncWaiter {
        using AsyncWaiter::AsyncWaiter;
        void on_complete(futon::WaitResult) noexcept override {}
    };

    std::vector<std::uint32_t> words_;
    std::deque<Idle> waiters_;
};

/// Threads that block, each on a word of its own, until this object is destroyed.
template <class Word>
class IdleThreads {
public:
    explicit IdleThreads(std::size_t count) : words_(count) {
        std::atomic<std::size_t> started{0};
        for (Word& word : words_)
            threads_.emplace_back([&] {
                ++started;
                word.wait_while(0);
            });
        // A started thread is not blocked yet, and the peers offer no way to ask.
        while (started < count) std::this_thread::yield();
        if (count > 0) std::this_thread::sleep_for(std::chrono::milliseconds(1 + count / 50));
    }
    ~IdleThreads() {
        for (Word& word : words_) {
            word.set(1);
            word.notify_all();
        }
    }
    IdleThreads(const IdleThreads&) = delete;
    IdleThreads& operator=(const IdleThreads&) = delete;

private:
    std::deque<Word> words_;
    std::vector<std::jthread> threads_;
};

}  // namespace bench
