// SPDX-License-Identifier: MIT
//
// Scope: a small server. One coroutine accepts connections and spawns a child for each; when the server goes on, all of them
// have ended. A stop ends it gracefully: the accepting and the idle connections end, requests under way are answered first. An
// exception that a child does not catch stops the others, and arrives where the server was awaited.
//
// Connections are mailboxes here, between the threads of the clients and the loop of the server.
//
// Prints:
//     answered 30 requests of 3 clients; stopped, no connection is open
//     failed: division by zero; no connection is open

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <deque>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

namespace {

/// Messages from any thread to any other, or to a loop. The number of them is the word that receivers wait on.
template <class T>
class Mailbox {
public:
    void send(T message) {
        {
            const std::scoped_lock hold(mutex_);
            messages_.push_back(std::move(message));
            ++count_;
        }
        futon::notify(count_, 1);
    }

    /// Nothing, once a stop is requested and the mailbox is empty.
    futon::Promise<std::optional<T>> receive(std::stop_token stop) {
        while (true) {
            if (auto message = take()) co_return message;
            if (co_await futon::wait_async(count_, 0, stop) == futon::WaitResult::cancelled) co_return std::nullopt;
        }
    }

    T receive_blocking() {
        while (true) {
            if (auto message = take()) return std::move(*message);
            futon::wait(count_, 0);
        }
    }

private:
    std::optional<T> take() {
        const std::scoped_lock hold(mutex_);
        if (messages_.empty()) return std::nullopt;
        std::optional<T> message(std::move(messages_.front()));
        messages_.pop_front();
        --count_;
        return message;
    }

    std::mutex mutex_;
    std::deque<T> messages_;
    std::atomic<int> count_{0};
};

struct Connection {
    Mailbox<int> requests;
    Mailbox<int> answers;
};

/// Answers how often a number goes into 1000.
class Server {
public:
    Mailbox<Connection*> listener;

    /// Serves until a stop is requested.
    futon::Promise<void> run(std::stop_token stop) {
        co_await futon::with_scope([this](futon::Scope& scope) { return accept(scope); }, stop);
    }

    int answered() const { return answered_; }
    int open() const { return open_; }

private:
    futon::Promise<void> accept(futon::Scope& scope) {
        while (const auto connection = co_await listener.receive(scope.stop_token()))
            scope.spawn([this, connection = *connection](std::stop_token stop) { return serve(*connection, stop); });
    }

    futon::Promise<void> serve(Connection& connection, std::stop_token stop) {
        const Counted counted(open_);
        while (const auto request = co_await connection.requests.receive(stop)) {
            co_await futon::sleep_for(100us);  // there is something to do
            if (*request == 0) throw std::runtime_error("division by zero");
            connection.answers.send(1000 / *request);
            ++answered_;
        }
    }

    struct Counted {
        explicit Counted(int& its_count) : count(its_count) { ++count; }
        Counted(const Counted&) = delete;
        Counted& operator=(const Counted&) = delete;
        ~Counted() { --count; }
        int& count;
    };

    int answered_ = 0;
    int open_ = 0;
};

/// A client connects, asks ten times, and stays connected.
void ask_ten_times(Server& server, Connection& connection) {
    server.listener.send(&connection);
    for (int i = 1; i <= 10; ++i) {
        connection.requests.send(i);
        if (connection.answers.receive_blocking() != 1000 / i) throw std::logic_error("a wrong answer");
    }
}

bool a_stop_ends_it_gracefully() {
    futon::EventLoop loop;
    Server server;
    std::array<Connection, 3> connections;
    std::stop_source stop;
    auto serving = server.run(stop.get_token());
    const std::jthread clients([&] {
        {
            std::vector<std::jthread> threads;
            for (Connection& connection : connections) threads.emplace_back([&] { ask_ten_times(server, connection); });
        }
        stop.request_stop();
    });

    loop.run_until(serving);

    std::printf("answered %d requests of 3 clients; stopped, %s\n", server.answered(),
                server.open() == 0 ? "no connection is open" : "A CONNECTION IS OPEN");
    return server.answered() == 30 && server.open() == 0;
}

bool a_failure_stops_all() {
    futon::EventLoop loop;
    Server server;
    std::array<Connection, 3> connections;
    auto serving = server.run({});
    for (Connection& connection : connections) server.listener.send(&connection);
    connections[1].requests.send(0);

    std::string failure = "NOT";
    try {
        loop.run_until(serving);
    } catch (const std::runtime_error& error) {
        failure = error.what();
    }

    std::printf("failed: %s; %s\n", failure.c_str(),
                server.open() == 0 ? "no connection is open" : "A CONNECTION IS OPEN");
    return failure == "division by zero" && server.open() == 0;
}

}  // namespace

int main() {
    const bool is_right = a_stop_ends_it_gracefully() && a_failure_stops_all();
    return is_right ? 0 : 1;
}
