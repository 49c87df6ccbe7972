// SPDX-License-Identifier: MIT
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace futon::test {

/// A coroutine of another library: this object owns the frame, and may destroy it while the coroutine is suspended.
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
class DestructionCounter {
public:
    explicit DestructionCounter(int& destroyed) noexcept : destroyed_(&destroyed) {}
    DestructionCounter(DestructionCounter&& other) noexcept : destroyed_(std::exchange(other.destroyed_, nullptr)) {}
    DestructionCounter& operator=(DestructionCounter&&) = delete;
    ~DestructionCounter() {
        if (destroyed_ != nullptr) ++*destroyed_;
    }

private:
    int* destroyed_;
};

}  // namespace futon::test
