// SPDX-License-Identifier: MIT
// Hangs on purpose, with a thread and a task waiting at each primitive: what `print` and `futon show` are tried on.
#include <atomic>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <unistd.h>

#include <futon/futon.hpp>

#include "scene.hpp"

using futon::Promise;

struct Account {
    int balance = 100;
};

struct Locks {
    futon::AsyncLock held;
    futon::AsyncLock strict{futon::Fairness::strict};
    futon::AsyncLock free;
    futon::AsyncLock offered{futon::Fairness::strict};
    futon::SharedLock read;
    futon::SharedLock written;
    futon::SharedLock upgrading;
    futon::SharedLock idle{futon::Fairness::strict};
    futon::Guarded<Account> account;
};

struct Events {
    futon::Condition changed;
    futon::AsyncLock of_changed;
    futon::Condition unused;
    futon::Event ready;
    futon::Event set{true};
    futon::AutoResetEvent tick;
    futon::AutoResetEvent ticked{true};
    futon::Latch started{3};
    futon::Latch open{0};
    futon::Barrier<> round{4};
};

struct Channels {
    futon::Channel<int> full{2};
    futon::Channel<int> empty{2};
    futon::Channel<int> meeting;
    futon::Channel<std::string> closed{4};
};

/// What the commands are tried on. With external linkage, so that the compiler keeps what only gdb reads.
struct Server {
    Locks locks;
    futon::Semaphore permits{5};
    futon::Semaphore strict_permits{1, futon::Fairness::strict};
    Events events;
    Channels channels;
    futon::Once begun;
    futon::Once done;
    futon::Once fresh;
    futon::Lazy<int> making;
    futon::Lazy<int> made;
    std::atomic<int> word{7};
    int port = 80;
};

Server server;
Server& server_reference = server;
Server* server_pointer = &server;
std::unique_ptr<Locks> owned;
std::unique_ptr<futon::ByteChannel> bytes = futon::ByteChannel::make(32);
futon::ByteChannel* bytes_pointer = bytes.get();
futon::Semaphore* permits_pointer = &server.permits;
futon::Semaphore* null_permits = nullptr;
futon::Semaphore& permits_reference = server.permits;
futon::AsyncLock* locks_pointers[2] = {&server.locks.held, &server.locks.free};
futon::Word<int> word_view(server.word);
std::string unrelated = "no primitive";
int number = 5;

// What is held, as guards see it.
futon::SharedLock::SharedGuard* shared_guard = nullptr;
futon::SharedLock::Guard* exclusive_guard = nullptr;
futon::SharedLock::UpgradeableGuard* upgradeable_guard = nullptr;
futon::Semaphore::Permits* held_permits = nullptr;
futon::Once::Attempt* begun_attempt = nullptr;
futon::Guarded<Account>::Access<Account>* account_access = nullptr;

// Of the thread that runs the loop.
Promise<void>* pending = nullptr;
Promise<int>* fulfilled = nullptr;
Promise<int>* rejected = nullptr;
futon::EventLoop* the_loop = nullptr;

namespace {

std::atomic<int> ended{0};
std::atomic<pid_t> loop_thread{0};
std::atomic<pid_t> busy_thread{0};

/// After a wait: so that it is no tail call, and its function stays on the stack.
void went_on() {
    ended.fetch_add(1);
}

// What threads do, and then tasks. Each asks for what cannot be had, so that none is served past the queue.

[[gnu::noinline]] void lock_held() {
    server.locks.held.lock();
    went_on();
}
[[gnu::noinline]] void lock_strict() {
    server.locks.strict.lock();
    went_on();
}
[[gnu::noinline]] void write_read() {
    server.locks.read.lock();
    went_on();
}
[[gnu::noinline]] void read_written() {
    server.locks.written.lock_shared();
    went_on();
}
[[gnu::noinline]] void upgrade() {
    server.locks.upgrading.lock_upgradeable();
    server.locks.upgrading.upgrade();
    went_on();
}
[[gnu::noinline]] void use_account() {
    server.locks.account.with_lock([](Account& account) { ++account.balance; });
    went_on();
}
[[gnu::noinline]] void acquire() {
    server.permits.acquire(4);
    went_on();
}
[[gnu::noinline]] void acquire_strict() {
    server.strict_permits.acquire();
    went_on();
}
[[gnu::noinline]] void wait_for_change() {
    std::unique_lock hold(server.events.of_changed);
    static_cast<void>(server.events.changed.wait(hold));
    went_on();
}
[[gnu::noinline]] void wait_until_ready() {
    server.events.ready.wait();
    went_on();
}
[[gnu::noinline]] void wait_for_tick() {
    server.events.tick.wait();
    went_on();
}
[[gnu::noinline]] void wait_for_start() {
    server.events.started.wait();
    went_on();
}
[[gnu::noinline]] void wait_for_round() {
    server.events.round.arrive_and_wait();
    went_on();
}
[[gnu::noinline]] void send() {
    static_cast<void>(server.channels.full.send(3));
    went_on();
}
[[gnu::noinline]] void receive() {
    static_cast<void>(server.channels.empty.receive());
    went_on();
}
[[gnu::noinline]] void send_to_meet() {
    static_cast<void>(server.channels.meeting.send(9));
    went_on();
}
[[gnu::noinline]] void receive_bytes() {
    static_cast<void>(bytes->receive());
    went_on();
}
[[gnu::noinline]] void begin() {
    static_cast<void>(server.begun.begin());
    went_on();
}
[[gnu::noinline]] void get_lazy() {
    server.making.get([] { return 1; });
    went_on();
}
[[gnu::noinline]] void make_lazy() {
    server.making.get([] {
        futon::wait(server.word, 7);
        return 1;
    });
    went_on();
}

// The tasks.

Promise<void> lock_held_later() {
    static_cast<void>(co_await server.locks.held.scoped_lock_async());
}
Promise<void> lock_strict_later() {
    static_cast<void>(co_await server.locks.strict.scoped_lock_async());
}
Promise<void> write_read_later() {
    static_cast<void>(co_await server.locks.read.scoped_lock_async());
}
Promise<void> lock_written_later() {
    static_cast<void>(co_await server.locks.written.scoped_lock_upgradeable_async());
}
Promise<void> write_upgrading_later() {
    static_cast<void>(co_await server.locks.upgrading.scoped_lock_async());
}
Promise<void> use_account_later() {
    static_cast<void>(co_await server.locks.account.lock_async());
}
Promise<void> acquire_later() {
    static_cast<void>(co_await server.permits.scoped_acquire_async(3));
}
Promise<void> acquire_strict_later() {
    static_cast<void>(co_await server.strict_permits.acquire_async());
}
Promise<void> wait_for_change_later() {
    auto guard = co_await server.events.of_changed.scoped_lock_async();
    static_cast<void>(co_await server.events.changed.wait_async(guard));
}
Promise<void> wait_until_ready_later() {
    static_cast<void>(co_await server.events.ready.wait_async());
}
Promise<void> wait_for_tick_later() {
    static_cast<void>(co_await server.events.tick.wait_async());
}
Promise<void> wait_for_start_later() {
    static_cast<void>(co_await server.events.started.wait_async());
}
Promise<void> wait_for_round_later() {
    static_cast<void>(co_await server.events.round.arrive_and_wait_async());
}
Promise<void> send_later() {
    static_cast<void>(co_await server.channels.full.send_async(4));
}
Promise<void> receive_later() {
    static_cast<void>(co_await server.channels.empty.receive_async());
}
Promise<void> send_to_meet_later() {
    static_cast<void>(co_await server.channels.meeting.send_async(10));
}
Promise<void> receive_bytes_later() {
    static_cast<void>(co_await bytes->receive_async());
}
Promise<void> begin_later() {
    static_cast<void>(co_await server.begun.begin_async());
}
Promise<void> get_lazy_later() {
    static_cast<void>(co_await server.making.get_async([] { return 1; }));
}
Promise<void> take_offered_later() {
    static_cast<void>(co_await server.locks.offered.scoped_lock_async());
}

Promise<int> give(int value) {
    if (value < 0) throw std::out_of_range("negative");
    co_return value;
}

void run_loop() {
    futon::EventLoop loop;
    the_loop = &loop;
    std::vector<Promise<void>> tasks;
    for (const auto begin_task :
         {lock_held_later, lock_strict_later, write_read_later, lock_written_later, write_upgrading_later,
          use_account_later, acquire_later, acquire_strict_later, wait_for_change_later, wait_until_ready_later,
          wait_for_tick_later, wait_for_start_later, wait_for_round_later, send_later, receive_later,
          send_to_meet_later, begin_later, get_lazy_later, receive_bytes_later})
        tasks.push_back(begin_task());
    Promise<int> of_value = give(42);
    Promise<int> of_error = give(-1);
    pending = &tasks.front();
    fulfilled = &of_value;
    rejected = &of_error;
    loop_thread = gettid();
    loop.run_until(tasks.front());
}

/// A loop that is in the middle of a job, so that what is offered to its task is not taken.
void run_busy_loop() {
    futon::EventLoop loop;
    auto offered = take_offered_later();
    loop.post([] {
        busy_thread = gettid();
        while (true) pause();
    });
    loop.run_until(offered);
}

/// What the test stops at: all waiters are queued by now.
[[gnu::noinline]] void hang(std::vector<std::thread>& threads) {
    for (std::thread& thread : threads) thread.join();
}

void start_all(std::vector<std::thread>& threads) {
    const auto begin = [&](const void* key, std::size_t count, void (*f)()) {
        threads.push_back(start(key, count, f));
    };
    begin(&server.locks.held, 1, lock_held);
    begin(&server.locks.strict, 1, lock_strict);
    begin(&server.locks.read, 1, write_read);
    begin(&server.locks.written, 1, read_written);
    // What an upgrade waits at is half a word further.
    begin(reinterpret_cast<const char*>(&server.locks.upgrading) + 4, 1, upgrade);
    begin(&server.locks.account, 1, use_account);
    begin(&server.permits, 1, acquire);
    begin(&server.strict_permits, 1, acquire_strict);
    begin(&server.events.changed, 1, wait_for_change);
    begin(&server.events.ready, 1, wait_until_ready);
    begin(&server.events.tick, 1, wait_for_tick);
    begin(&server.events.started, 1, wait_for_start);
    begin(&server.events.round, 1, wait_for_round);
    begin(&server.channels.full, 1, send);
    begin(&server.channels.empty, 1, receive);
    begin(&server.channels.meeting, 1, send_to_meet);
    begin(bytes.get(), 1, receive_bytes);
    begin(&server.begun, 1, ::begin);
    begin(&server.word, 1, make_lazy);
    begin(&server.making, 1, get_lazy);
    begin(&server.making, 2, run_loop);
    begin(&server.locks.offered, 1, run_busy_loop);
}

}  // namespace

int main() {
    server.locks.held.lock();
    server.locks.strict.lock();
    server.locks.offered.lock();
    server.locks.upgrading.lock_shared();
    auto reading = server.locks.read.scoped_lock_shared();
    auto reading_too = server.locks.read.scoped_lock_shared();
    auto writing = server.locks.written.scoped_lock();
    auto upgradeable = server.locks.idle.scoped_lock_upgradeable();
    auto access = server.locks.account.lock();
    auto permits = server.permits.scoped_acquire(3);
    server.strict_permits.acquire();
    for (const int i : {1, 2}) static_cast<void>(server.channels.full.send(int(i)));
    static_cast<void>(server.channels.closed.send("last"));
    server.channels.closed.close();
    auto begun = server.begun.begin();
    server.done.call([] {});
    server.made.get([] { return 6; });
    shared_guard = &reading;
    exclusive_guard = &writing;
    upgradeable_guard = &upgradeable;
    held_permits = &permits;
    begun_attempt = &begun;
    account_access = &access;
    owned = std::make_unique<Locks>();

    std::vector<std::thread> threads;
    start_all(threads);
    while (!is_asleep(loop_thread) || !is_asleep(busy_thread)) std::this_thread::yield();
    server.locks.offered.unlock();
    hang(threads);
    return number + word_view.load();
}
