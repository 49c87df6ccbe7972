// SPDX-License-Identifier: MIT
//
// A bank: values that are reachable only under their locks, and transfers that lock two accounts at once, by threads and by
// a loop, in whatever order they name them. None deadlocks, and none waits for longer than it wants to.
//
// Prints:
//     4000 transfers by threads and a loop; the bank still has 2000
//     a transfer that cannot have both accounts within 1 ms has neither
//     the auditor, who unlocks fairly, has seen 20 entries

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

namespace {

using namespace std::chrono_literals;

constexpr int rounds = 1'000;

struct Account {
    futon::AsyncLock lock;
    long balance = 1'000;
};

struct Bank {
    std::array<Account, 2> accounts;
    futon::Guarded<std::vector<std::string>> log;  // cannot be read or written without its lock
};

void transfer(Account& from, Account& to) {
    const auto hold = futon::lock_all(from.lock, to.lock);
    --from.balance;
    ++to.balance;
}

/// The same as the standard library does it.
void transfer_by_hand(Account& from, Account& to) {
    std::unique_lock giver(from.lock, std::defer_lock);
    std::unique_lock taker(to.lock, std::defer_lock);
    std::lock(giver, taker);
    --from.balance;
    ++to.balance;
}

futon::Promise<void> transfer_on_the_loop(Account& from, Account& to) {
    for (int i = 0; i < rounds; ++i) {
        const auto hold = co_await futon::lock_all_async(from.lock, to.lock);
        --from.balance;
        ++to.balance;
    }
}

futon::Promise<void> write(Bank& bank, int entries) {
    for (int i = 0; i < entries; ++i)
        co_await bank.log.with_lock_async([i](auto& log) { log.push_back("entry " + std::to_string(i)); });
}

futon::Promise<bool> transfer_in_time(Account& from, Account& to) {
    const auto hold = co_await futon::lock_all_async(1ms, from.lock, to.lock);
    co_return hold.owns_locks();
}

}  // namespace

int main() {
    futon::EventLoop loop;
    Bank bank;
    auto& [checking, savings] = bank.accounts;

    std::vector<std::jthread> workers;
    workers.emplace_back([&] {
        for (int i = 0; i < rounds; ++i) transfer(checking, savings);
    });
    workers.emplace_back([&] {
        for (int i = 0; i < rounds; ++i) transfer(savings, checking);
    });
    workers.emplace_back([&] {
        for (int i = 0; i < rounds; ++i) transfer_by_hand(savings, checking);
    });
    loop.run_until(transfer_on_the_loop(checking, savings));
    workers.clear();  // joins them
    const long sum = checking.balance + savings.balance;
    std::printf("%d transfers by threads and a loop; the bank still has %ld\n", 4 * rounds, sum);

    savings.lock.try_lock();
    const bool is_done = loop.run_until(transfer_in_time(checking, savings));
    const bool has_neither = !is_done && checking.lock.try_lock();
    if (has_neither) std::puts("a transfer that cannot have both accounts within 1 ms has neither");
    savings.lock.unlock();
    if (has_neither) checking.lock.unlock();

    constexpr std::size_t entries = 20;
    std::size_t seen = 0;
    std::jthread auditor([&] {
        while (seen < entries) {
            auto log = bank.log.lock();
            seen = log->size();
            log.unlock_fair();  // the loop, if it waits, comes first
        }
    });
    loop.run_until(write(bank, entries));
    auditor.join();
    std::printf("the auditor, who unlocks fairly, has seen %zu entries\n", seen);

    return sum == 2'000 && has_neither && seen == entries ? 0 : 1;
}
