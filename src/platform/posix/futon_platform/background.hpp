// SPDX-License-Identifier: MIT
#pragma once

#include <csignal>

#include <futon_platform/fork.hpp>

#include <pthread.h>

namespace futon::platform {

/// A detached thread, in which all signals are blocked.
struct Background {
    static void when_gone(void (*handler)() noexcept) noexcept { Fork::call_in_children(handler); }

    static bool start(void (*run)(void*) noexcept, void* context) noexcept {
        static void (*function)(void*) noexcept;
        static void* argument;
        function = run;
        argument = context;
        sigset_t all;
        sigset_t before;
        sigfillset(&all);
        pthread_attr_t attributes;
        if (pthread_attr_init(&attributes) != 0) return false;
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        pthread_t thread{};
        const auto body = [](void*) -> void* {
            function(argument);
            return nullptr;
        };
        const bool is_started = pthread_create(&thread, &attributes, body, nullptr) == 0;
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        pthread_attr_destroy(&attributes);
        return is_started;
    }
};

}  // namespace futon::platform
