// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <string>
#include <utility>

#include <futon/asio/namespace.hpp>

namespace kv {

/// A client that blocks: for a thread of a tool or a test.
class Client {
public:
    explicit Client(std::uint16_t port) : socket_(context_) {
        socket_.connect({futon::asio::net::ip::address_v4::loopback(), port});
    }

    void send(std::string line) {
        line += '\n';
        futon::asio::net::write(socket_, futon::asio::net::buffer(line));
    }

    /// The next reply. Throws  std::system_error if the server has closed
    std::string reply() {
        const std::size_t length =
            futon::asio::net::read_until(socket_, futon::asio::net::dynamic_buffer(buffer_), '\n');
        std::string line = buffer_.substr(0, length - 1);
        buffer_.erase(0, length);
        return line;
    }

    std::string ask(std::string line) {
        send(std::move(line));
        return reply();
    }

    bool is_at_end() {
        futon::asio::error_code error;
        char byte = 0;
        (void)socket_.read_some(futon::asio::net::buffer(&byte, 1), error);
        return error == futon::asio::net::error::eof || error == futon::asio::net::error::connection_reset;
    }

    /// Ends the connection as a client that dies: by a reset.
    void vanish() {
        socket_.set_option(futon::asio::net::socket_base::linger(true, 0));
        socket_.close();
    }

private:
    futon::asio::net::io_context context_{1};
    futon::asio::net::ip::tcp::socket socket_;
    std::string buffer_;
};

}  // namespace kv
