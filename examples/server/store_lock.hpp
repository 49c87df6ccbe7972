// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>
#include <optional>
#include <string_view>
#include <type_traits>
#include <utility>

#include <futon/asio.hpp>
#include <futon/futon.hpp>

namespace kv {

namespace net = futon::asio::net;

/// The ways for a loop and a thread to share the store.
enum class LockKind {
    futon,          ///< an AsyncLock: a coroutine waits for it, the loop runs on
    mutex_on_loop,  ///< a std::mutex that the loop locks: it stands still meanwhile
    mutex_in_pool,  ///< a std::mutex that threads of a pool lock, for the loop
};

inline std::optional<LockKind> lock_kind(std::string_view name) {
    if (name == "futon") return LockKind::futon;
    if (name == "mutex-loop") return LockKind::mutex_on_loop;
    if (name == "mutex-pool") return LockKind::mutex_in_pool;
    return std::nullopt;
}

/// The lock of the store, in one of three kinds; a function runs while it is held.
class StoreLock {
public:
    explicit StoreLock(LockKind kind) : kind_(kind) {
        if (kind == LockKind::mutex_in_pool) pool_.emplace(4);
    }

    /// On the loop: runs `use` now or later. A coroutine that calls this goes on on its own executor.
    template <class Use>
    net::awaitable<std::invoke_result_t<Use&>> locked(Use use) {
        if (kind_ == LockKind::futon) {
            // The whole difference: this waits in the same queue as the thread below, and the loop serves others.
            auto guard = co_await futon::asio::async_lock(lock_, net::use_awaitable);
            co_return use();
        }
        if (kind_ == LockKind::mutex_on_loop) {
            const std::lock_guard hold(mutex_);
            co_return use();
        }
        co_return co_await net::co_spawn(pool_->get_executor(), in_pool(std::move(use)), net::use_awaitable);
    }

    /// On a thread that may block.
    template <class Use>
    auto locked_by_thread(Use use) {
        if (kind_ == LockKind::futon) {
            const std::lock_guard hold(lock_);
            return use();
        }
        const std::lock_guard hold(mutex_);
        return use();
    }

private:
    template <class Use>
    net::awaitable<std::invoke_result_t<Use&>> in_pool(Use use) {
        const std::lock_guard hold(mutex_);
        co_return use();
    }

    const LockKind kind_;
    futon::AsyncLock lock_;
    std::mutex mutex_;
    std::optional<net::thread_pool> pool_;
};

}  // namespace kv
