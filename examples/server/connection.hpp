// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "protocol.hpp"
#include "snapshotter.hpp"
#include "store.hpp"
#include "store_lock.hpp"

namespace kv {

/// What all connections share.
struct Shared {
    Store& store;
    StoreLock& lock;
    Snapshotter& snapshotter;
    futon::Event is_stopping;
    std::size_t connections = 0;  ///< of the loop's thread, as is the next
    std::size_t watches = 0;
};

/// A client: a coroutine of the loop that reads a request, does it, and writes its reply.
class Connection {
public:
    Connection(net::ip::tcp::socket socket, Shared& shared) : socket_(std::move(socket)), shared_(shared) {}

    /// Until the client closes, or an error, which ends this client alone.
    net::awaitable<void> run();

    /// The client gets the replies to what it has sent, and then the end.
    void stop_reading();
    void close();

private:
    net::awaitable<std::string> reply_to(std::string_view line);
    net::awaitable<std::string> get(std::string key);
    net::awaitable<std::string> put(std::string key, std::string value);
    net::awaitable<std::string> watch(std::string key, std::uint32_t version);
    net::awaitable<std::string> change_of(Entry& entry, std::string key, std::uint32_t version);
    net::awaitable<std::string> readable();
    net::awaitable<std::string> snapshot();

    net::ip::tcp::socket socket_;
    Shared& shared_;
    std::string buffer_;  ///< what was read and is no part of an earlier request
};

}  // namespace kv
