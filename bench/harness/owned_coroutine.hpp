// SPDX-License-Identifier: MIT
#pragma once

#include <coroutine>
#include <exception>
#include <utility>

namespace bench {

/// A coroutine of another library: its owner may destroy it while it is suspended.
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
    ~OwnedCoroutine() {
        if (frame_ != nullptr) frame_.destroy();
    }

private:
    explicit OwnedCoroutine(std::coroutine_handle<promise_type> frame) noexcept : frame_(frame) {}

    std::coroutine_handle<promise_type> frame_;
};

}  // namespace bench
