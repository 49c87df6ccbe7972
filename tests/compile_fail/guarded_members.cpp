// Each way of holding a lock, as docs/debugging.md says it.
#include <mutex>

#include "guarded_account.hpp"

using namespace std::chrono_literals;

void deposit(Account& account) {
    const futon::BlockingGuard hold(account.lock);
    ++account.balance;
}

void deposit_by_hand(Account& account) {
    account.lock.lock();
    ++account.balance;
    account.lock.unlock();
}

bool deposit_soon(Account& account) {
    if (!account.lock.try_lock_for(5ms)) return false;
    ++account.balance;
    account.lock.unlock();
    return true;
}

bool deposit_at_once(Account& account) {
    if (!account.lock.try_lock()) return false;
    ++account.balance;
    account.lock.unlock();
    return true;
}

bool deposit_until(Account& account, std::chrono::steady_clock::time_point time) {
    if (!account.lock.try_lock_until(time)) return false;
    ++account.balance;
    account.lock.unlock();
    return true;
}

void deposit_unless_stopped(Account& account, const std::stop_token& stop) {
    if (account.lock.lock(stop) != futon::WaitResult::ok) return;
    futon::assume_held(account.lock);
    ++account.balance;
    account.lock.unlock();
}

void deposit_under_a_guard_of_std(Account& account) {
    const std::lock_guard hold(account.lock);
    futon::assume_held(account.lock);
    ++account.balance;
}

void deposit_under_a_unique_lock(Account& account) {
    std::unique_lock hold(account.lock);
    futon::assume_held(account.lock);
    ++account.balance;
}

void deposit_and_pass_on(Account& account) {
    account.lock.lock();
    ++account.balance;
    const futon::AsyncLock::Guard guard(account.lock, std::adopt_lock);
    futon::assume_held(account.lock);
    ++account.balance;
}

futon::Promise<void> deposit_later(Account& account) {
    auto guard = co_await account.lock.scoped_lock_async();
    futon::assume_held(account.lock);
    ++account.balance;
}

futon::Promise<void> deposit_locked(Account& account) {
    return account.lock.execute_locked([&account] {
        futon::assume_held(account.lock);
        ++account.balance;
    });
}
