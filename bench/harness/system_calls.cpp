// SPDX-License-Identifier: MIT
#include "harness/system_calls.hpp"

#include <atomic>
#include <cstdarg>

#include <dlfcn.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

namespace {

std::atomic<std::uint64_t> calls{0};

void count() noexcept {
    calls.fetch_add(1, std::memory_order_relaxed);  // read after all threads have finished
}

/// The function of the C library that ours of the same name interposes.
template <class Function>
Function* of_library(const char* name) noexcept {
    return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

}  // namespace

std::uint64_t bench::system_calls() noexcept {
    return calls.load();
}

extern "C" {

long syscall(long number, ...) noexcept {
    static auto* const original = of_library<long(long, ...)>("syscall");
    count();
    std::va_list rest;
    va_start(rest, number);
    long arguments[6];
    for (long& argument : arguments) argument = va_arg(rest, long);
    va_end(rest);
    return original(number, arguments[0], arguments[1], arguments[2], arguments[3], arguments[4], arguments[5]);
}

ssize_t read(int descriptor, void* to, size_t size) {
    static auto* const original = of_library<ssize_t(int, void*, size_t)>("read");
    count();
    return original(descriptor, to, size);
}

ssize_t write(int descriptor, const void* from, size_t size) {
    static auto* const original = of_library<ssize_t(int, const void*, size_t)>("write");
    count();
    return original(descriptor, from, size);
}

int epoll_wait(int epoll, epoll_event* events, int size, int milliseconds) {
    static auto* const original = of_library<int(int, epoll_event*, int, int)>("epoll_wait");
    count();
    return original(epoll, events, size, milliseconds);
}

int epoll_pwait(int epoll, epoll_event* events, int size, int milliseconds, const sigset_t* signals) {
    static auto* const original = of_library<int(int, epoll_event*, int, int, const sigset_t*)>("epoll_pwait");
    count();
    return original(epoll, events, size, milliseconds, signals);
}

int epoll_ctl(int epoll, int operation, int descriptor, epoll_event* event) noexcept {
    static auto* const original = of_library<int(int, int, int, epoll_event*)>("epoll_ctl");
    count();
    return original(epoll, operation, descriptor, event);
}

int poll(pollfd* descriptors, nfds_t size, int milliseconds) {
    static auto* const original = of_library<int(pollfd*, nfds_t, int)>("poll");
    count();
    return original(descriptors, size, milliseconds);
}

int ppoll(pollfd* descriptors, nfds_t size, const timespec* length, const sigset_t* signals) {
    static auto* const original = of_library<int(pollfd*, nfds_t, const timespec*, const sigset_t*)>("ppoll");
    count();
    return original(descriptors, size, length, signals);
}

int timerfd_settime(int timer, int flags, const itimerspec* to, itimerspec* from) noexcept {
    static auto* const original = of_library<int(int, int, const itimerspec*, itimerspec*)>("timerfd_settime");
    count();
    return original(timer, flags, to, from);
}

}  // extern "C"
