// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <list>

#include "connection.hpp"
#include "snapshotter.hpp"
#include "store.hpp"
#include "store_lock.hpp"

namespace kv {

struct ServerOptions {
    LockKind lock = LockKind::futon;
    SnapshotOptions snapshots;
};

/// The key-value server, on the loopback interface and a port that the system chooses.
class Server {
public:
    explicit Server(ServerOptions options);

    std::uint16_t port() const { return acceptor_.local_endpoint().port(); }

    /// SIGINT and SIGTERM stop it from now on.
    void stop_on_signals();

    /// Serves on this thread until it is stopped and all snapshots are done.
    void run();

    /// Ends the listening, the reading and the watches. Clients get the replies to what they have sent, if they take them
    /// within a second. Any thread.
    void stop();

private:
    net::awaitable<void> accept();
    net::awaitable<void> serve(net::ip::tcp::socket socket);
    void stop_on_loop();

    net::io_context context_{1};
    net::ip::tcp::acceptor acceptor_;
    net::signal_set signals_;
    net::steady_timer patience_;
    Store store_;
    StoreLock lock_;
    Snapshotter snapshotter_;
    Shared shared_;
    std::list<Connection> connections_;
};

}  // namespace kv
