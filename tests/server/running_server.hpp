// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <sstream>
#include <string>
#include <thread>
#include <utility>

#include "client.hpp"
#include "server.hpp"

namespace kv {

/// A server on a thread of this process, which ends with this object.
class RunningServer {
public:
    explicit RunningServer(ServerOptions options) : server_(std::move(options)), thread_([this] { server_.run(); }) {}
    ~RunningServer() { stop(); }

    std::uint16_t port() const { return port_; }
    void begin_to_stop() { server_.stop(); }
    void stop() {
        if (!thread_.joinable()) return;
        server_.stop();
        thread_.join();
    }

private:
    Server server_;
    const std::uint16_t port_ = server_.port();
    std::thread thread_;
};

struct Stats {
    std::size_t connections = 0, watches = 0;
    std::uint64_t started = 0, finished = 0;
};

inline Stats stats(Client& client) {
    std::istringstream words(client.ask("STATS"));
    std::string verb;
    Stats stats;
    words >> verb >> stats.connections >> stats.watches >> stats.started >> stats.finished;
    return stats;
}

/// Asks until it holds. The server tells by itself when it is so; nothing here is a matter of time.
template <class Condition>
void ask_until(Client& client, Condition condition) {
    while (!condition(stats(client))) std::this_thread::yield();
}

}  // namespace kv
