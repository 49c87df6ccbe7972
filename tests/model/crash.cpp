// SPDX-License-Identifier: MIT
// A program that crashes still says in which schedule, and how to see it again.
#include <csignal>
#include <cstdio>

#include <futon/explorer.hpp>

#include "support/gtest.hpp"

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

namespace {

void say_schedule() {
    // More than a handler of signals should do, but the process is lost already.
    const auto* test = testing::UnitTest::GetInstance()->current_test_info();
    if (test == nullptr) return;
    std::printf("\ncrash: %llu schedules\n./dev replay %s.%s %s --gdb\n",
                static_cast<unsigned long long>(futon::explorer::schedules_so_far()), test->test_suite_name(),
                test->name(), futon::explorer::present_schedule().c_str());
    std::fflush(stdout);
}

[[maybe_unused]] void on_signal(int signal) {
    say_schedule();
    std::signal(signal, SIG_DFL);
    std::raise(signal);
}

const bool is_installed = [] {
#if defined(__SANITIZE_ADDRESS__)
    __sanitizer_set_death_callback(say_schedule);
#else
    std::signal(SIGSEGV, on_signal);
    std::signal(SIGABRT, on_signal);
#endif
    return true;
}();

}  // namespace
