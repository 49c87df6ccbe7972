// SPDX-License-Identifier: MIT
//
// One lock for threads that may block and a main thread that must not: the workers take it with std::scoped_lock, the
// main loop with execute_locked. While the loop waits for the lock, it runs its other jobs.
//
// Prints:
//     80000 by the workers, 1000 by the main loop: 81000

#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

namespace {

constexpr int worker_count = 4;
constexpr int rounds_of_a_worker = 20'000;
constexpr int rounds_of_the_loop = 1'000;

struct Account {
    futon::AsyncLock lock;  // four bytes, beside what it guards
    long balance = 0;
};

void work(Account& account) {
    for (int i = 0; i < rounds_of_a_worker; ++i) {
        const std::scoped_lock hold(account.lock);
        ++account.balance;
    }
}

futon::Promise<void> count_on_the_loop(Account& account) {
    for (int i = 0; i < rounds_of_the_loop; ++i) {
        co_await account.lock.execute_locked([&] { ++account.balance; });
    }
}

}  // namespace

int main() {
    futon::EventLoop loop;
    Account account;

    std::vector<std::jthread> workers;
    for (int i = 0; i < worker_count; ++i) workers.emplace_back([&] { work(account); });
    loop.run_until(count_on_the_loop(account));
    workers.clear();  // joins them

    constexpr long by_workers = long{worker_count} * rounds_of_a_worker;
    std::printf("%ld by the workers, %d by the main loop: %ld\n", by_workers, rounds_of_the_loop, account.balance);
    return account.balance == by_workers + rounds_of_the_loop ? 0 : 1;
}
