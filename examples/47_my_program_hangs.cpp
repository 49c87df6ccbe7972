// SPDX-License-Identifier: MIT
//
// "My program hangs": a thread and a coroutine lock two locks in two orders. Run with --fault they hang, and the wait that closes
// the circle says so; without, they lock both together.
//
// Prints:
//     42 were paid, and the log has 2 lines

#include <iostream>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

namespace {

struct Bank {
    futon::AsyncLock accounts, log;
    int paid = 0;                    // under accounts
    std::vector<std::string> lines;  // under log
    futon::Latch both_have_one{2};   // as happens once in a thousand days: here it happens each time

    Bank() {
        futon::name(accounts, "accounts");
        futon::name(log, "log");
    }
};

namespace faulty {

/// A thread pays: the accounts, then the log.
void pay(Bank& bank, int amount) {
    const std::scoped_lock accounts(bank.accounts);
    bank.paid += amount;
    bank.both_have_one.arrive_and_wait();
    const std::scoped_lock log(bank.log);
    bank.lines.push_back("paid " + std::to_string(amount));
}

/// A coroutine of the loop audits: the log, then the accounts.
futon::Promise<void> audit(Bank& bank) {
    const auto log = co_await bank.log.scoped_lock_async();
    co_await bank.both_have_one.arrive_and_wait_async();
    const auto accounts = co_await bank.accounts.scoped_lock_async();
    bank.lines.push_back("audited " + std::to_string(bank.paid));
}

}  // namespace faulty

namespace mended {

void pay(Bank& bank, int amount) {
    const auto both = futon::lock_all(bank.accounts, bank.log);
    bank.paid += amount;
    bank.lines.push_back("paid " + std::to_string(amount));
}

futon::Promise<void> audit(Bank& bank) {
    const auto both = co_await futon::lock_all_async(bank.log, bank.accounts);
    bank.lines.push_back("audited " + std::to_string(bank.paid));
}

}  // namespace mended

}  // namespace

int main(int count, char** arguments) {
    const bool is_faulty = count > 1 && std::string_view(arguments[1]) == "--fault";
    if (is_faulty && !futon::diagnostics::is_on) return 77;  // it would hang without a word

    Bank bank;
    futon::EventLoop loop;
    std::jthread teller([&] { is_faulty ? faulty::pay(bank, 42) : mended::pay(bank, 42); });
    loop.run_until(is_faulty ? faulty::audit(bank) : mended::audit(bank));
    teller.join();
    std::cout << bank.paid << " were paid, and the log has " << bank.lines.size() << " lines\n";
    return bank.paid == 42 && bank.lines.size() == 2 ? 0 : 1;
}
