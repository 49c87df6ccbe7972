// SPDX-License-Identifier: MIT
#include "server.hpp"

#include <chrono>
#include <csignal>
#include <utility>

namespace kv {

Server::Server(ServerOptions options)
    : acceptor_(context_, {net::ip::address_v4::loopback(), 0}),
      signals_(context_),
      patience_(context_),
      lock_(options.lock),
      snapshotter_(store_, lock_, std::move(options.snapshots)),
      shared_{store_, lock_, snapshotter_, {}} {}

void Server::stop_on_signals() {
    signals_.add(SIGINT);
    signals_.add(SIGTERM);
    signals_.async_wait([this](futon::asio::error_code error, int) {
        if (!error) stop_on_loop();
    });
}

void Server::run() {
    net::co_spawn(context_, accept(), net::detached);
    context_.run();
    snapshotter_.stop();
}

void Server::stop() {
    net::post(context_, [this] { stop_on_loop(); });
}

void Server::stop_on_loop() {
    if (!acceptor_.is_open()) return;
    acceptor_.close();
    signals_.cancel();
    shared_.is_stopping.set();
    for (Connection& connection : connections_) connection.stop_reading();
    if (connections_.empty()) return;
    patience_.expires_after(std::chrono::seconds(1));
    patience_.async_wait([this](futon::asio::error_code error) {
        if (error) return;
        for (Connection& connection : connections_) connection.close();
    });
}

net::awaitable<void> Server::accept() {
    while (acceptor_.is_open()) {
        net::ip::tcp::socket socket(context_);
        futon::asio::error_code error;
        co_await acceptor_.async_accept(socket, net::redirect_error(net::use_awaitable, error));
        if (!acceptor_.is_open()) co_return;
        if (!error) {
            net::co_spawn(context_, serve(std::move(socket)), net::detached);
        } else {  // such as too many open files: others may close theirs meanwhile
            net::steady_timer pause(context_, std::chrono::milliseconds(10));
            co_await pause.async_wait(net::use_awaitable);
        }
    }
}

net::awaitable<void> Server::serve(net::ip::tcp::socket socket) {
    futon::asio::error_code ignored;  // a client that has vanished is found by the first read
    socket.set_option(net::ip::tcp::no_delay(true), ignored);
    const auto self = connections_.emplace(connections_.end(), std::move(socket), shared_);
    ++shared_.connections;
    if (shared_.is_stopping.is_set()) self->stop_reading();  // accepted before, begun after
    co_await self->run();
    --shared_.connections;
    connections_.erase(self);
    if (connections_.empty()) patience_.cancel();
}

}  // namespace kv
