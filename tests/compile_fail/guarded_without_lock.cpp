#include "guarded_account.hpp"

long read(Account& account) {
    return account.balance;
}
