// SPDX-License-Identifier: MIT
// Hangs on purpose, with objects that have names: linked with futon::diagnostics.
#include <thread>

#include <unistd.h>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include "scene.hpp"

struct Bank {
    int branch = 7;
    futon::AsyncLock accounts;
};

Bank bank;
futon::AsyncLock journal, unnamed;

[[gnu::noinline]] void hang() {
    for (;;) pause();
}

int main() {
    futon::name(bank, "the bank of Ashford");
    futon::name(journal, "the journal");
    bank.accounts.lock();
    journal.lock();
    unnamed.lock();
    start(&bank.accounts, 1, [&] { bank.accounts.lock(); }).detach();
    start(&journal, 1, [&] { journal.lock(); }).detach();
    start(&unnamed, 1, [&] { unnamed.lock(); }).detach();
    hang();
}
