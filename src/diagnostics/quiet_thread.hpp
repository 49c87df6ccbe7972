// SPDX-License-Identifier: MIT
#pragma once

#include <pthread.h>

#include <csignal>
#include <thread>
#include <utility>

namespace futon::diagnostics::detail {

/// A thread that takes no signal of the program's.
template <class Function>
std::thread quiet_thread(Function function) {
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    std::thread thread;
    try {
        thread = std::thread(std::move(function));
    } catch (...) {
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        throw;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

}  // namespace futon::diagnostics::detail
