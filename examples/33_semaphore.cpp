// SPDX-License-Identifier: MIT
//
// A semaphore limits how many use something at once: here two connections, for worker threads and for the tasks of an event
// loop. Beside it stands the semaphore that JavaScript programs make of Atomics.wait and Atomics.notify, line by line, with
// what it lacks.
//
// Prints:
//     2 of 2 connections are back, never more than 2 were in use
//     no connection within 5 ms: timed-out
//     two at once: ok
//     of Atomics: 400 rounds, 2 of 2 permits are back

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

namespace {

/// How many connections are in use, and the most that were.
struct Usage {
    std::atomic<int> now{0};
    std::atomic<int> most{0};

    void begin() {
        const int count = ++now;
        int seen = most;
        while (seen < count && !most.compare_exchange_weak(seen, count)) {
        }
    }
    void end() { --now; }
};

futon::Promise<void> query(futon::Semaphore& connections, Usage& usage) {
    const auto connection = co_await connections.scoped_acquire_async();
    usage.begin();
    co_await futon::sleep_for(1ms);  // the loop goes on meanwhile
    usage.end();
}  // the permit is released

void work(futon::Semaphore& connections, Usage& usage) {
    for (int i = 0; i < 100; ++i) {
        const auto connection = connections.scoped_acquire();
        usage.begin();
        std::this_thread::yield();
        usage.end();
    }
}

bool share_connections() {
    futon::EventLoop loop;
    futon::Semaphore connections(2);
    Usage usage;
    {
        std::jthread worker([&] { work(connections, usage); });
        std::jthread another([&] { work(connections, usage); });
        std::vector<futon::Promise<void>> queries;
        for (int i = 0; i < 10; ++i) queries.push_back(query(connections, usage));
        loop.run();
    }
    std::printf("%u of 2 connections are back, never more than %d were in use\n", connections.available(),
                usage.most.load());
    return connections.available() == 2 && usage.most == 2;
}

bool give_up() {
    futon::Semaphore connections(2);
    auto held = connections.scoped_acquire();
    const futon::WaitResult none = connections.acquire(2, 5ms);
    std::printf("no connection within 5 ms: %s\n", std::string(to_string(none)).c_str());
    held.put_back();
    const auto both = connections.scoped_acquire(2, 5ms);
    std::printf("two at once: %s\n", std::string(to_string(both.result())).c_str());
    return none == futon::WaitResult::timed_out && both.count() == 2;
}

/// The semaphore of a JavaScript program:
///
///     acquire() { for (;;) {                                         release() {
///       const seen = Atomics.load(this.word, 0);                       Atomics.add(this.word, 0, 1);
///       if (seen === 0) { Atomics.wait(this.word, 0, 0); continue; }   Atomics.notify(this.word, 0, 1);
///       if (Atomics.compareExchange(this.word, 0, seen, seen - 1) === seen) return;
///     } }                                                            }
///
/// It works. But a waiter that is woken and finds the permit taken goes to the end of the queue, so it may starve; several
/// permits cannot be had at once; and a page's main thread needs a second version with Atomics.waitAsync.
class SemaphoreOfAtomics {
public:
    explicit SemaphoreOfAtomics(int permits) : permits_(permits) {}

    void acquire() {
        while (true) {
            int seen = permits_.load();
            if (seen == 0) {
                futon::wait(permits_, 0);
                continue;
            }
            if (permits_.compare_exchange_strong(seen, seen - 1)) return;
        }
    }
    void release() {
        permits_.fetch_add(1);
        futon::notify(permits_, 1);
    }
    int available() const { return permits_.load(); }

private:
    std::atomic<int> permits_;
};

bool port_of_atomics() {
    SemaphoreOfAtomics semaphore(2);
    std::atomic<int> rounds{0};
    {
        std::vector<std::jthread> threads;
        for (int i = 0; i < 4; ++i)
            threads.emplace_back([&] {
                for (int round = 0; round < 100; ++round) {
                    semaphore.acquire();
                    ++rounds;
                    semaphore.release();
                }
            });
    }
    std::printf("of Atomics: %d rounds, %d of 2 permits are back\n", rounds.load(), semaphore.available());
    return rounds == 400 && semaphore.available() == 2;
}

}  // namespace

int main() {
    const bool is_right = share_connections() && give_up() && port_of_atomics();
    return is_right ? 0 : 1;
}
