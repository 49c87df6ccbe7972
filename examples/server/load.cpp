// SPDX-License-Identifier: MIT
// The load: requests at fixed moments, whether or not the server has answered those before (an open loop). A request's time
// counts from the moment when it was due, not from when it was sent, so what a late one delays is seen: no coordinated
// omission. Prints a line of JSON for the requests that need the lock, and one for those that do not.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <memory>
#include <string>
#include <vector>

#include <futon/asio/namespace.hpp>

#include "statistics.hpp"

namespace {

namespace net = futon::asio::net;
using Clock = std::chrono::steady_clock;

struct Plan {
    Clock::time_point begin;
    Clock::duration interval;  ///< of one connection
    std::size_t requests;      ///< of one connection
    std::size_t unmeasured;    ///< the first of them: for warming up
};

/// A connection that sends by the clock, and a coroutine that takes what comes back.
class Sender {
public:
    Sender(net::io_context& context, net::ip::tcp::endpoint server, bool needs_lock, unsigned number, unsigned of)
        : socket_(context), timer_(context), needs_lock_(needs_lock), number_(number), of_(of) {
        socket_.connect(server);
        socket_.set_option(net::ip::tcp::no_delay(true));
    }

    net::awaitable<void> send(const Plan& plan) {
        for (std::size_t i = 0; i < plan.requests;) {
            timer_.expires_at(due(plan, i));
            co_await timer_.async_wait(net::use_awaitable);
            std::string lines;
            for (const auto now = Clock::now(); i < plan.requests && due(plan, i) <= now; ++i) lines += request(i);
            co_await net::async_write(socket_, net::buffer(lines), net::use_awaitable);
        }
    }

    net::awaitable<void> receive(const Plan& plan, kv::Statistics& statistics) {
        std::string buffer;
        for (std::size_t i = 0; i < plan.requests; ++i) {
            const std::size_t length =
                co_await net::async_read_until(socket_, net::dynamic_buffer(buffer), '\n', net::use_awaitable);
            buffer.erase(0, length);
            if (i >= plan.unmeasured) statistics.add(Clock::now() - due(plan, i));
        }
    }

private:
    /// Connections take turns: they are not due at the same moment.
    Clock::time_point due(const Plan& plan, std::size_t request) const {
        return plan.begin + plan.interval * static_cast<long>(request) + plan.interval * number_ / of_;
    }

    std::string request(std::size_t number) const {
        if (!needs_lock_) return "PING\n";
        const std::string key = "key-" + std::to_string((number * 7919 + number_) % 1000);
        return number % 10 == 0 ? "PUT " + key + " value-" + std::to_string(number) + '\n' : "GET " + key + '\n';
    }

    net::ip::tcp::socket socket_;
    net::steady_timer timer_;
    const bool needs_lock_;
    const unsigned number_;
    const unsigned of_;
};

void print(const char* kind, kv::Statistics& statistics, double seconds) {
    std::printf(
        "{\"requests\": \"%s\", \"count\": %zu, \"per_second\": %.0f, \"p50\": %.3f, \"p99\": %.3f, \"p999\": %.3f}\n",
        kind, statistics.count(), static_cast<double>(statistics.count()) / seconds, statistics.quantile(0.5),
        statistics.quantile(0.99), statistics.quantile(0.999));
}

void load(std::uint16_t port, double seconds, double rate, unsigned connections) {
    net::io_context context{1};
    const net::ip::tcp::endpoint server(net::ip::address_v4::loopback(), port);
    std::vector<std::unique_ptr<Sender>> senders;
    for (unsigned i = 0; i < 2 * connections; ++i) {
        senders.push_back(std::make_unique<Sender>(context, server, i % 2 == 1, i, 2 * connections));
    }
    // Half of the rate for each kind of request.
    const std::chrono::duration<double> interval(2 * connections / rate);
    const double warm_up = 0.2;
    const Plan plan{Clock::now() + std::chrono::milliseconds(20), std::chrono::duration_cast<Clock::duration>(interval),
                    static_cast<std::size_t>((seconds + warm_up) / interval.count()),
                    static_cast<std::size_t>(warm_up / interval.count())};
    kv::Statistics with_lock, without_lock;
    bool has_failed = false;
    const auto fail = [&](std::exception_ptr error) {
        if (error) has_failed = true, context.stop();
    };
    for (unsigned i = 0; i < 2 * connections; ++i) {
        net::co_spawn(context, senders[i]->send(plan), fail);
        net::co_spawn(context, senders[i]->receive(plan, i % 2 == 1 ? with_lock : without_lock), fail);
    }
    context.run();
    if (has_failed) throw std::runtime_error("the server has closed a connection");
    const std::chrono::duration<double> took = Clock::now() - plan.begin;
    print("lock", with_lock, took.count() - warm_up);
    print("ping", without_lock, took.count() - warm_up);
}

}  // namespace

int main(int count, char** words) {
    if (count != 5) {
        std::fputs("futon_kv_load PORT SECONDS REQUESTS_PER_SECOND CONNECTIONS_OF_EACH_KIND\n", stderr);
        return 2;
    }
    try {
        load(static_cast<std::uint16_t>(std::atoi(words[1])), std::atof(words[2]), std::atof(words[3]),
             static_cast<unsigned>(std::atoi(words[4])));
    } catch (const std::exception& error) {
        std::fprintf(stderr, "futon_kv_load: %s\n", error.what());
        return 1;
    }
}
