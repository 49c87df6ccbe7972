#include "guarded_account.hpp"

void deposit(Account& account) {
    account.lock.lock();
    ++account.balance;
}
