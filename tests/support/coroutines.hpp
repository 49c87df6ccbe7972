// SPDX-License-Identifier: MIT
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace futon::test {

/// A coroutine of somebody else's library: whoever holds this owns the frame, and may destroy it while it is suspended.
class OwnedCoroutine {
public:
    struct promise_type {
        OwnedCoroutine get_return_object() noexcept {
            return OwnedCoroutine(std::coroutine_handle<promise_type>::from_promise(*this));
        }
        std::suspend_never initial_suspend() const noexcept { return {}; }
        std::suspend_always final_suspend() const noexcept { return {}; }
        void return_void() const noexcept {}
        void unhandled_exception() const noexcept { std::terminate(); }
    };

    OwnedCoroutine(OwnedCoroutine&& other) noexcept : frame_(std::exchange(other.frame_, nullptr)) {}
    OwnedCoroutine& operator=(OwnedCoroutine&&) = delete;
    ~OwnedCoroutine() { destroy(); }

    bool is_done() const noexcept { return frame_.done(); }

    void destroy() noexcept {
        if (frame_ != nullptr) std::exchange(frame_, nullptr).destroy();
    }

private:
    explicit OwnedCoroutine(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}

    std::coroutine_handle<promise_type> frame_;
};

/// Counts how often it, or what it was moved to, is destroyed.
class CountsItsEnd {
public:
    explicit CountsItsEnd(int& ends) noexcept : ends_(&ends) {}
    CountsItsEnd(CountsItsEnd&& other) noexcept : ends_(std::exchange(other.ends_, nullptr)) {}
    CountsItsEnd& operator=(CountsItsEnd&&) = delete;
    ~CountsItsEnd() {
        if (ends_ != nullptr) ++*ends_;
    }

private:
    int* ends_;
};

}  // namespace futon::test
