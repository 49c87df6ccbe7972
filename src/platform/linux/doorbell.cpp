// SPDX-License-Identifier: MIT
#include "platform/doorbell.hpp"

#include <cerrno>
#include <cstdint>
#include <system_error>

#include <poll.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "platform/clock.hpp"
#include "platform/linux/timespec.hpp"
#include "platform/race_detector.hpp"

namespace futon::platform {

namespace {

void watch(int epoll, int descriptor) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    if (epoll_ctl(epoll, EPOLL_CTL_ADD, descriptor, &event) != 0)
        throw std::system_error(errno, std::system_category(), "epoll_ctl");
}

int checked(int descriptor, const char* call) {
    if (descriptor < 0) throw std::system_error(errno, std::system_category(), call);
    return descriptor;
}

// The C library's functions are points where pthread_cancel ends a thread, and their callers are noexcept.

/// Calls a function so that it is no such point.
template <class Call>
auto uncancelled(Call call) noexcept {
    int before = PTHREAD_CANCEL_ENABLE;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    const auto result = call();
    pthread_setcancelstate(before, nullptr);
    return result;
}

bool is_readable_until(int descriptor, std::chrono::steady_clock::time_point deadline) noexcept {
    const timespec left = to_timespec(std::chrono::steady_clock::time_point(deadline - now()));
    pollfd polled{descriptor, POLLIN, 0};
    return uncancelled([&] { return ppoll(&polled, 1, &left, nullptr); }) > 0;
}

}  // namespace

Doorbell::~Doorbell() {
    close_all();
}

void Doorbell::ring() noexcept {
    if (!has_descriptor()) {
        parker_.unpark();
        return;
    }
    note_release(this);
    const std::uint64_t one = 1;
    // A bare system call: this may be a signal handler, which must not touch the cancel state.
    while (syscall(SYS_write, token_, &one, sizeof one) < 0 && errno == EINTR) {
    }
}

void Doorbell::wait() noexcept {
    if (!has_descriptor()) {
        parker_.park();
        return;
    }
    std::uint64_t tokens = 0;
    while (uncancelled([&] { return read(token_, &tokens, sizeof tokens); }) < 0 && errno == EINTR) {
    }
    note_acquire(this);
}

bool Doorbell::wait_until(std::chrono::steady_clock::time_point deadline) noexcept {
    if (!has_descriptor()) return parker_.park_until(deadline);

    while (true) {
        if (is_readable_until(token_, deadline)) {
            wait();
            return true;
        }
        if (now() >= deadline) return false;
    }
}

NativeHandle Doorbell::native_handle() {
    if (has_descriptor()) return either_;
    try {
        token_ = checked(eventfd(0, EFD_CLOEXEC), "eventfd");
        alarm_ = checked(timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK), "timerfd_create");
        const int epoll = checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
        either_ = epoll;
        watch(epoll, token_);
        watch(epoll, alarm_);
    } catch (...) {
        close_all();
        throw;
    }
    return either_;
}

void Doorbell::clear() noexcept {
    if (has_descriptor() && is_readable_until(token_, now())) wait();
}

void Doorbell::set_alarm(std::chrono::steady_clock::time_point deadline) noexcept {
    if (!has_descriptor() || deadline == alarm_deadline_) return;  // an alarm that has gone off stays readable
    alarm_deadline_ = deadline;
    itimerspec alarm{};
    if (deadline != std::chrono::steady_clock::time_point::max()) {
        alarm.it_value = to_timespec(deadline);
        if (alarm.it_value.tv_sec == 0 && alarm.it_value.tv_nsec == 0) alarm.it_value.tv_nsec = 1;  // zero would disarm
    }
    timerfd_settime(alarm_, TFD_TIMER_ABSTIME, &alarm, nullptr);
}

void Doorbell::close_all() noexcept {
    for (int* descriptor : {&either_, &alarm_, &token_}) {
        if (*descriptor >= 0) uncancelled([&] { return close(*descriptor); });
        *descriptor = -1;
    }
}

}  // namespace futon::platform
