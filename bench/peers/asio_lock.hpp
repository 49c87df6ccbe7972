// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <asio.hpp>
#include <asio/experimental/concurrent_channel.hpp>

namespace bench {

/// A signal through a channel. (With an error code alone, this version's traits of channels are ambiguous.)
using AsioSignal = void(asio::error_code, char);
using AsioChannel = asio::experimental::concurrent_channel<asio::io_context::executor_type, AsioSignal>;

/// A channel that holds one token: the receiver of the token owns the lock. What Asio has in place of a lock for
/// coroutines.
class AsioLock {
public:
    explicit AsioLock(asio::io_context& context) : channel_(context.get_executor(), 1) { unlock(); }

    bool try_lock() {
        return channel_.try_receive([](asio::error_code, char) {});
    }

    /// Completes when the caller owns the lock; `token` is an Asio completion token.
    template <class Token>
    auto lock_async(Token&& token) {
        return channel_.async_receive(std::forward<Token>(token));
    }

    void unlock() { channel_.try_send(asio::error_code(), char{}); }

private:
    AsioChannel channel_;
};

}  // namespace bench
