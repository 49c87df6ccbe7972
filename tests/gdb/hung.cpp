// SPDX-License-Identifier: MIT
// Hangs on purpose, with one waiter of each kind: what the commands for gdb are tried on. Each waiter is queued before the
// next begins, so that the queues are the same in every run.
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include <unistd.h>

#include <futon/core/queue/private_table.hpp>
#include <futon/futon.hpp>

#include "scene.hpp"

// What the printers are tried on. With external linkage, so that the compiler keeps what only gdb reads.
int unused = 0;
futon::Deadline never = futon::Deadline::never();
futon::Deadline due(std::chrono::milliseconds(0));
futon::Deadline later(std::chrono::hours(24));
futon::WaitResult result = futon::WaitResult::timed_out;
futon::Word<int> word(unused);
futon::EventLoop* the_loop = nullptr;
futon::AsyncLock::Guard* the_guard = nullptr;
futon::Promise<void>* the_promise = nullptr;

namespace {

using namespace std::chrono_literals;
using futon::AsyncLock;
using futon::Promise;

std::atomic<pid_t> loop_thread{0};

struct Shared {
    int before = 0;
    std::atomic<int> inbox{0};
};

std::atomic<int> gate{0};
std::atomic<int> started{0};
AsyncLock ledger_lock;
AsyncLock idle_lock;
AsyncLock strict_lock(futon::Fairness::strict);
futon::core::PrivateTable private_table;
int apart = 0;  // its queue is in that table
Shared shared;

[[gnu::noinline]] void block_in_wait() {
    futon::wait(gate, 0);
    started.fetch_add(1);  // no tail call: this function stays on the stack
}

[[gnu::noinline]] void block_in_lock() {
    ledger_lock.lock();
    started.fetch_add(1);
}

[[gnu::noinline]] void block_in_select() {
    (void)futon::select(futon::waiting(gate, 0), strict_lock.locking());
    started.fetch_add(1);
}

[[gnu::noinline]] void block_on_local(int& cell) {
    futon::wait(futon::Word(cell), 7, 24h);
    started.fetch_add(1);
}

Promise<void> take_ledger() {
    auto guard = co_await ledger_lock.scoped_lock_async();
    started.fetch_add(1);
}

Promise<void> audit() {
    co_await take_ledger();
    started.fetch_add(1);
}

Promise<void> read_inbox() {
    auto answer = futon::wait_async(shared.inbox, 0);
    co_await answer.promise();
}

Promise<void> choose() {
    auto either = futon::select_async(futon::waiting(shared.inbox, 0), futon::timeout(24h));
    static_cast<void>(co_await either);
}

struct Redraw final : futon::core::AsyncWaiter {
    using AsyncWaiter::AsyncWaiter;
    void on_complete(futon::WaitResult) noexcept override {}
};

void run_loop() {
    futon::EventLoop loop;
    the_loop = &loop;
    Redraw redraw(loop);
    Redraw elsewhere(loop);
    elsewhere.enqueue(private_table, {&apart, 0, [](void*, std::uint64_t) noexcept { return true; }});
    auto unheard = futon::wait_async(shared.inbox, 0, 24h);
    auto reading = read_inbox();
    auto choosing = choose();
    auto [sourced, source] = futon::make_promise<int>();
    auto auditing = audit();
    the_promise = &auditing;
    loop.post_after(24h, [] {});
    loop.post([&] { redraw.enqueue(futon::Word(shared.inbox).equals(0)); });
    loop_thread = gettid();
    loop.run_until(auditing);
}

/// What the test stops at: all waiters are queued by now.
[[gnu::noinline]] void hang(std::vector<std::thread>& threads) {
    for (std::thread& thread : threads) thread.join();
}

}  // namespace

int main() {
    int local = 7;
    std::construct_at(&word, local);  // a word is not assigned to another

    idle_lock.lock();
    idle_lock.unlock();
    ledger_lock.lock();
    strict_lock.lock();
    futon::AsyncLock::Guard strict_guard(strict_lock, std::adopt_lock);
    the_guard = &strict_guard;
    std::vector<std::thread> threads;
    threads.push_back(start(&gate, 1, block_in_wait));
    threads.push_back(start(&ledger_lock, 1, block_in_lock));
    threads.push_back(start(&strict_lock, 1, block_in_select));
    threads.push_back(start(&local, 1, [&local] { block_on_local(local); }));
    threads.push_back(start(&shared.inbox, 4, run_loop));
    while (!is_asleep(loop_thread)) std::this_thread::yield();  // the last waiter was enqueued by a job of the loop
    hang(threads);
    return never == due && later == due && result == futon::WaitResult::ok;
}
