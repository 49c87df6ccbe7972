// SPDX-License-Identifier: MIT
#pragma once

#include <condition_variable>
#include <cstddef>
#include <functional>
#include <mutex>
#include <thread>

namespace futon::test {

/// A thread that stands for a core: it does one step after the other, and what it does is recorded as that core's.
class Core {
public:
    explicit Core(int number);
    ~Core();
    Core(const Core&) = delete;
    Core& operator=(const Core&) = delete;

    std::size_t number() const noexcept { return static_cast<std::size_t>(number_); }

    /// Begins a step, and returns at once.
    void begin(std::function<void()> step);

    /// Returns once the step has ended.
    void finish();

    /// Does a step to its end.
    void run(std::function<void()> step) {
        begin(std::move(step));
        finish();
    }

    /// Returns once the step's thread sleeps, as far as the kernel knows.
    void until_asleep() const;

private:
    void work();

    const int number_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::function<void()> step_;
    bool is_over_ = false;
    long thread_ = 0;  // the kernel's number of it
    std::thread runner_;
};

}  // namespace futon::test
