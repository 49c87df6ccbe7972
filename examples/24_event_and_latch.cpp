// SPDX-License-Identifier: MIT
//
// A small server: workers get ready, which a latch counts; an event opens it and closes it again; an auto-reset event rings for
// one worker at a time. A worker is a thread or a coroutine, and both wait for the same things.
//
// Prints:
//     3 workers are ready
//     6 requests were served, each by one worker
//     closed: a request that comes now waits no longer than it wants to

#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

using namespace std::chrono_literals;
using futon::WaitResult;

namespace {

constexpr int requests = 6;

struct Server {
    futon::Latch ready{3};       // one for each worker
    futon::Event open;           // stays set until it is reset
    futon::AutoResetEvent bell;  // releases one worker for each time it is set
    futon::AutoResetEvent served;
    futon::Event closing;
    std::atomic<int> count{0};

    void serve() {
        ++count;
        served.set();
    }
};

/// A worker that may block. It waits for the bell and for the end at once.
void work(Server& server) {
    server.ready.count_down();
    while (futon::select(server.bell.waiting(), server.closing.waiting()).index() == 0) server.serve();
}

/// A worker on an event loop.
futon::Promise<void> work_async(Server& server) {
    server.ready.count_down();
    while (true) {
        const auto chosen = co_await futon::select_async(server.bell.waiting(), server.closing.waiting());
        if (chosen.index() == 1) co_return;
        server.serve();
    }
}

}  // namespace

int main() {
    Server server;
    std::vector<std::jthread> workers;
    workers.emplace_back([&] { work(server); });
    workers.emplace_back([&] { work(server); });
    workers.emplace_back([&] {
        futon::EventLoop loop;
        loop.run_until(work_async(server));
    });

    if (server.ready.wait(10s) != WaitResult::ok) return 1;
    std::puts("3 workers are ready");

    std::jthread client([&] {
        if (server.open.wait() != WaitResult::ok) return;
        for (int i = 0; i < requests; ++i) {
            server.bell.set();
            server.served.wait();
        }
    });
    server.open.set();
    client.join();
    std::printf("%d requests were served, each by one worker\n", server.count.load());

    server.open.reset();
    const bool is_refused = server.open.wait(1ms) == WaitResult::timed_out;
    std::puts("closed: a request that comes now waits no longer than it wants to");

    server.closing.set();  // all workers end
    workers.clear();
    return server.count == requests && is_refused && !server.bell.try_wait() ? 0 : 1;
}
