// SPDX-License-Identifier: MIT
#include <futon/core/queue/blocked_waiter.hpp>

#include <memory>
#include <new>
#include <optional>

#include "platform/parker.hpp"
#include "platform/sleep_forecast.hpp"
#include "platform/stop_order.hpp"

namespace futon::core {

namespace {

platform::Parker& parker_in(std::byte* storage) noexcept {
    return *std::launder(reinterpret_cast<platform::Parker*>(storage));
}

constinit thread_local platform::SleepForecast next_sleep;

/// Ends a blocked wait for a stop token.
struct Cancel {
    WaitQueues& table;
    Waiter& waiter;

    void operator()() const noexcept {
        if (table.dequeue(waiter, WaitResult::cancelled)) WaitTable::deliver(waiter);
    }
};

}  // namespace

BlockedWaiter::BlockedWaiter(const Agent* agent) noexcept : agent_(agent) {
    static_assert(sizeof(platform::Parker) <= parker_size && alignof(platform::Parker) <= alignof(std::max_align_t));
    ::new (static_cast<void*>(parker_)) platform::Parker();
}

BlockedWaiter::~BlockedWaiter() {
    std::destroy_at(&parker_in(parker_));
}

void BlockedWaiter::park() noexcept {
    parker_in(parker_).park();
}

bool BlockedWaiter::park_until(std::chrono::steady_clock::time_point time) noexcept {
    return parker_in(parker_).park_until(time);
}

bool BlockedWaiter::await_delivery(Deadline deadline) noexcept {
    platform::Parker& parker = parker_in(parker_);
    if (polls_ && next_sleep.spin(deadline.time_point(), [&] { return parker.has_token(); })) {
        parker.park();  // takes the token
        return true;
    }
    if (deadline.is_never()) {
        parker.park();
    } else if (!parker.park_until(deadline.time_point())) {
        if (polls_) next_sleep.timed_out();
        return false;
    }
    if (polls_) next_sleep.woken();
    return true;
}

void BlockedWaiter::unpark() noexcept {
    parker_in(parker_).unpark();
}

void BlockedWaiter::deliver() noexcept {
    unpark();
}

WaitResult BlockedWaiter::sleep(WaitQueues& table, const Until& until) noexcept {
    const std::stop_token* const stop = until.stop();
    if (stop == nullptr || !stop->stop_possible()) return sleep_until(table, until.deadline());

    std::optional<std::stop_callback<Cancel>> on_stop;
    // It ends before the waiter does. It is made under no lock, for it may fire at once.
    platform::watch_stop(on_stop, *stop, Cancel{table, *this});
    const WaitResult result = sleep_until(table, until.deadline());
    platform::unwatch_stop(on_stop);
    static_cast<void>(platform::is_stop_requested(*stop));
    return result;
}

WaitResult BlockedWaiter::sleep_until(WaitQueues& table, Deadline deadline) noexcept {
    if (!await_delivery(deadline)) {
        if (table.dequeue(*this, WaitResult::timed_out)) return WaitResult::timed_out;
        park();  // [once] another thread dequeued it first: the wake-up is under way, and counted
    }
    return result();
}

}  // namespace futon::core
