// SPDX-License-Identifier: MIT
//
// "My program hangs": a program that can say what its threads and coroutines wait for, without a debugger. A watchdog walks all wait
// queues and prints who is queued where; here of a hang on purpose, which it then ends.
//
// Prints:
//     the lock: a task waits in futon::AsyncLock::lock
//     the word: a thread waits in futon::wait
//     after the cure 0 waiters are left

#include <atomic>
#include <cstddef>
#include <cstdio>
#include <string>
#include <thread>
#include <vector>

#include <futon/core/queue/wait_table.hpp>
#include <futon/futon.hpp>

namespace {

struct Seen {
    const void* address;
    futon::core::WaiterDescription waiter;
};

/// Notes what it is shown. It runs under the lock of a queue: it allocates nothing, blocks nowhere, and prints later.
class Watchdog final : public futon::core::QueueVisitor {
public:
    std::vector<Seen> look() {
        count_ = 0;
        futon::core::process_table().visit_all(*this);
        return {seen_, seen_ + count_};
    }
    void visit(const void* address, const futon::core::Waiter& waiter) noexcept override {
        if (count_ < most) seen_[count_++] = {address, waiter.describe()};
    }

private:
    static constexpr std::size_t most = 64;
    Seen seen_[most];
    std::size_t count_ = 0;
};

void print(const char* name, const void* address, const std::vector<Seen>& all) {
    for (const Seen& seen : all) {
        if (seen.address != address) continue;
        const bool is_thread = seen.waiter.kind == futon::core::WaiterDescription::Kind::thread;
        std::printf("%s: a %s waits in %s\n", name, is_thread ? "thread" : "task", seen.waiter.operation);
    }
}

futon::Promise<void> edit(futon::AsyncLock& lock) {
    const auto hold = co_await lock.scoped_lock_async();
}

}  // namespace

int main() {
    futon::EventLoop loop;
    futon::AsyncLock lock;
    std::atomic<int> word = 0;

    if (!lock.try_lock()) return 1;  // and the unlock is forgotten
    auto editing = edit(lock);
    std::jthread worker([&] { futon::wait(word, 0); });  // and the notify, too
    Watchdog watchdog;
    auto seen = watchdog.look();
    while (seen.size() < 2) seen = watchdog.look();  // until the thread is queued

    print("the lock", &lock, seen);
    print("the word", &word, seen);
    const bool is_seen = seen.size() == 2;

    futon::notify(word);
    lock.unlock();
    loop.run_until(editing);
    worker.join();
    const std::size_t left = watchdog.look().size();
    std::printf("after the cure %zu waiters are left\n", left);
    return is_seen && left == 0 ? 0 : 1;
}
