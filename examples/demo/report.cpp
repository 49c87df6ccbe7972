// SPDX-License-Identifier: MIT
#include "report.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace {

double milliseconds(Clock::duration duration) {
    return std::chrono::duration<double, std::milli>(duration).count();
}

/// One character for the part of a slice of time that a party held the lock.
const char* shade(double part) {
    static constexpr std::array<const char*, 5> shades{" ", "░", "▒", "▓", "█"};
    return part <= 0 ? shades[0] : shades[std::min<std::size_t>(4, 1 + static_cast<std::size_t>(part * 8))];
}

void print_ticks(const char* who, const Ticks& ticks) {
    std::printf("  %-34s %6lld kept, %4lld missed, latest by %.3f ms\n", who, static_cast<long long>(ticks.kept()),
                static_cast<long long>(ticks.missed()), milliseconds(ticks.latest()));
}

}  // namespace

void print_report(const Ledger& ledger, const Ticks& loop, const Ticks& control, const Calls& calls) {
    std::printf("\nWho held the lock (a column is %.1f ms; the darker, the longer)\n\n", milliseconds(ledger.slice()));
    for (const Account& account : ledger.accounts()) {
        std::printf("  %-9s |", account.name.c_str());
        for (const Clock::duration held : account.held_in_slice)
            std::fputs(shade(milliseconds(held) / milliseconds(ledger.slice())), stdout);
        std::puts("|");
    }

    Clock::duration held_by_all{};
    for (const Account& account : ledger.accounts()) held_by_all += account.held;
    std::printf("\n  %-9s %9s %14s %15s\n", "", "acquired", "share of time", "longest wait");
    for (const Account& account : ledger.accounts()) {
        std::printf("  %-9s %9llu %13.1f%% %12.3f ms\n", account.name.c_str(),
                    static_cast<unsigned long long>(account.acquisitions),
                    100 * milliseconds(account.held) / milliseconds(held_by_all), milliseconds(account.longest_wait));
    }

    std::puts("\nA tick of 1 ms");
    print_ticks("the event loop, sharing the lock", loop);
    print_ticks("a thread that only sleeps", control);
    std::printf("  the longest of %lld calls took %.3f ms\n", static_cast<long long>(calls.made()),
                milliseconds(calls.longest()));
}
