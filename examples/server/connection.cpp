// SPDX-License-Identifier: MIT
#include "connection.hpp"

#ifdef FUTON_USE_BOOST_ASIO
#include <boost/asio/experimental/awaitable_operators.hpp>
#else
#include <asio/experimental/awaitable_operators.hpp>
#endif

#include <exception>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

namespace kv {

namespace {

const std::string closing = "CLOSING\n";

/// One more as long as it lives.
class Counted {
public:
    explicit Counted(std::size_t& count) : count_(count) { ++count_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    ~Counted() { --count_; }

private:
    std::size_t& count_;
};

}  // namespace

net::awaitable<void> Connection::run() {
    try {
        while (true) {
            const std::size_t length = co_await net::async_read_until(
                socket_, net::dynamic_buffer(buffer_, longest_line), '\n', net::use_awaitable);
            const std::string line = buffer_.substr(0, length - 1);
            buffer_.erase(0, length);
            const std::string reply = co_await reply_to(line);
            co_await net::async_write(socket_, net::buffer(reply), net::use_awaitable);
        }
    } catch (const std::exception&) {
        // The client has closed or vanished, sends lines without end, or the server stops.
    }
}

void Connection::stop_reading() {
    futon::asio::error_code ignored;
    socket_.shutdown(net::ip::tcp::socket::shutdown_receive, ignored);
}

void Connection::close() {
    futon::asio::error_code ignored;
    socket_.close(ignored);
}

net::awaitable<std::string> Connection::reply_to(std::string_view line) {
    std::optional<Request> request = parse(line);
    if (!request) co_return "ERROR no such request\n";
    switch (request->verb) {
        case Verb::ping:
            co_return "PONG\n";  // needs no lock
        case Verb::get:
            co_return co_await get(std::move(request->key));
        case Verb::put:
            co_return co_await put(std::move(request->key), std::move(request->value));
        case Verb::watch:
            co_return co_await watch(std::move(request->key), request->version);
        case Verb::snapshot:
            co_return co_await snapshot();
        case Verb::stats:
            co_return "STATS " + std::to_string(shared_.connections) + ' ' + std::to_string(shared_.watches) + ' ' +
                std::to_string(shared_.snapshotter.started()) + ' ' + std::to_string(shared_.snapshotter.finished()) +
                '\n';
    }
    co_return "ERROR\n";
}

net::awaitable<std::string> Connection::get(std::string key) {
    const auto read = [this, &key] { return shared_.store.get(key); };
    const std::optional<Versioned> found = co_await shared_.lock.locked(read);
    co_return found ? value_reply(found->version, found->value) : "NONE\n";
}

net::awaitable<std::string> Connection::put(std::string key, std::string value) {
    const auto write = [this, &key, &value] {
        Entry& entry = shared_.store.put(key, std::move(value));
        futon::notify(futon::Word(entry.version));  // all that watch this key
        return entry.version.load(std::memory_order_relaxed);
    };
    const std::uint32_t version = co_await shared_.lock.locked(write);
    co_return "OK " + std::to_string(version) + '\n';
}

net::awaitable<std::string> Connection::watch(std::string key, std::uint32_t version) {
    using namespace net::experimental::awaitable_operators;
    const auto find = [this, &key] { return &shared_.store.entry(key); };
    Entry* const entry = co_await shared_.lock.locked(find);
    if (!buffer_.empty()) co_return "ENDED\n";
    const Counted counted(shared_.watches);
    // The first that ends takes the other out of its queue: the wait for the word, or that for the socket.
    std::variant<std::string, std::string> first = co_await (change_of(*entry, key, version) || readable());
    co_return first.index() == 0 ? std::get<0>(std::move(first)) : std::get<1>(std::move(first));
}

net::awaitable<std::string> Connection::change_of(Entry& entry, std::string key, std::uint32_t version) {
    // A put between the look at the version and the wait is not lost: the wait ends at once.
    auto chosen = co_await futon::asio::async_select(
        futon::asio::choices(futon::waiting(futon::Word(entry.version), version), shared_.is_stopping.waiting()),
        net::use_awaitable);
    if (!chosen || chosen->index() == 1) co_return closing;
    const auto read = [this, &key] { return shared_.store.get(key); };
    const std::optional<Versioned> found = co_await shared_.lock.locked(read);
    co_return found ? value_reply(found->version, found->value) : "NONE\n";
}

net::awaitable<std::string> Connection::readable() {
    co_await socket_.async_wait(net::ip::tcp::socket::wait_read, net::use_awaitable);
    co_return shared_.is_stopping.is_set() ? closing : "ENDED\n";
}

net::awaitable<std::string> Connection::snapshot() {
    const auto ticket = std::make_shared<SnapshotTicket>();
    const auto sent = co_await futon::asio::async_send(shared_.snapshotter.requests(), ticket, net::use_awaitable);
    if (sent.result() != futon::ChannelResult::ok) co_return closing;
    co_await futon::asio::async(ticket->is_done.waiting(), net::use_awaitable);
    if (ticket->bytes == 0) co_return "ERROR the snapshot was not written\n";
    co_return "SNAPSHOT " + std::to_string(ticket->number) + ' ' + std::to_string(ticket->bytes - 1) + '\n';
}

}  // namespace kv
