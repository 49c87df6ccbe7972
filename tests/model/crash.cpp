// SPDX-License-Identifier: MIT
// A program that crashes still says in which schedule.
#include <csignal>
#include <cstdio>

#include <unistd.h>

#include "model.hpp"

#if defined(__SANITIZE_ADDRESS__)
extern "C" void __sanitizer_set_death_callback(void (*callback)());
#endif

namespace {

void say_schedule() {
    char text[64];
    const int length = std::snprintf(text, sizeof text, "\ncrash: %llu schedules\n",
                                     static_cast<unsigned long long>(futon::model::schedules_so_far()));
    if (write(STDOUT_FILENO, text, static_cast<std::size_t>(length)) < 0) return;
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
