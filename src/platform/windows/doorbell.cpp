// SPDX-License-Identifier: MIT
#include "platform/doorbell.hpp"

#include <algorithm>
#include <system_error>

#include "platform/clock.hpp"
#include "platform/windows/windows.hpp"

namespace futon::platform {

namespace {

/// Of a handle, or of an object of the thread pool.
template <class Object>
Object* checked(Object* object, const char* call) {
    if (object == nullptr) throw std::system_error(static_cast<int>(GetLastError()), std::system_category(), call);
    return object;
}

void close(HANDLE& handle) noexcept {
    if (handle != nullptr) CloseHandle(handle);
    handle = nullptr;
}

/// Half a millisecond late at most where the system knows how, else a tick.
HANDLE create_timer() noexcept {
    const HANDLE timer =
        CreateWaitableTimerExW(nullptr, nullptr, CREATE_WAITABLE_TIMER_HIGH_RESOLUTION, TIMER_ALL_ACCESS);
    return timer != nullptr ? timer : CreateWaitableTimerExW(nullptr, nullptr, 0, TIMER_ALL_ACCESS);
}

/// By the time that is left: absolute times are those of the wall clock.
bool start(HANDLE timer, std::chrono::steady_clock::time_point deadline) noexcept {
    using Units = std::chrono::duration<LONGLONG, std::ratio<1, 10'000'000>>;
    const auto time = now();
    LARGE_INTEGER due;
    due.QuadPart = -std::max<LONGLONG>(std::chrono::ceil<Units>(std::max(deadline, time) - time).count(), 1);
    return SetWaitableTimer(timer, &due, 0, nullptr, nullptr, FALSE) != 0;
}

}  // namespace

struct Doorbell::AlarmCallback {
    static void CALLBACK go_off(PTP_CALLBACK_INSTANCE, void* self, PTP_WAIT, TP_WAIT_RESULT) noexcept {
        auto& bell = *static_cast<Doorbell*>(self);
        if (!bell.is_expected_.exchange(false)) return;
        bell.has_gone_off_.store(true);
        SetEvent(bell.level_);
    }
};

Doorbell::Doorbell() : token_(checked(CreateEventW(nullptr, FALSE, FALSE, nullptr), "CreateEvent")) {}

Doorbell::~Doorbell() {
    close_handle();
    close(sleep_timer_);
    close(token_);
}

void Doorbell::ring() noexcept {
    if (has_handle()) {
        is_announced_.store(true);
        SetEvent(level_);
    }
    SetEvent(token_);  // the system holds the event while it sets it [last-touch]
}

void Doorbell::wait() noexcept {
    WaitForSingleObject(token_, INFINITE);
    token_was_taken();
}

bool Doorbell::wait_until(TimePoint deadline) noexcept {
    if (sleep_timer_ == nullptr) sleep_timer_ = create_timer();
    while (true) {
        const bool is_over = now() >= deadline;
        DWORD woken_by = WAIT_TIMEOUT;
        if (is_over) {
            woken_by = WaitForSingleObject(token_, 0);
        } else if (sleep_timer_ != nullptr && start(sleep_timer_, deadline)) {
            const HANDLE either[] = {token_, sleep_timer_};
            woken_by = WaitForMultipleObjects(2, either, FALSE, INFINITE);
        } else {
            woken_by = WaitForSingleObject(token_, 1);  // there are no more timers
        }
        if (woken_by == WAIT_OBJECT_0) {
            token_was_taken();
            return true;
        }
        if (is_over) return false;
    }
}

NativeHandle Doorbell::native_handle() {
    if (has_handle()) return level_;
    try {
        alarm_timer_ = checked(create_timer(), "CreateWaitableTimerEx");
        const PTP_CLEANUP_GROUP group = checked(CreateThreadpoolCleanupGroup(), "CreateThreadpoolCleanupGroup");
        alarms_ = group;
        TP_CALLBACK_ENVIRON environment;
        InitializeThreadpoolEnvironment(&environment);
        SetThreadpoolCallbackCleanupGroup(&environment, group, nullptr);
        alarm_ = checked(CreateThreadpoolWait(AlarmCallback::go_off, this, &environment), "CreateThreadpoolWait");
        level_ = checked(CreateEventW(nullptr, TRUE, FALSE, nullptr), "CreateEvent");
    } catch (...) {
        close_handle();
        throw;
    }
    return level_;
}

/// Drops what a program has set by mistake, and an alarm that went off before its time.
void Doorbell::clear() noexcept {
    if (!has_handle()) return;
    WaitForSingleObject(token_, 0);
    is_announced_.store(false);
    if (has_gone_off_.load() && alarm_deadline_ > now()) {
        disarm();
        arm();
    }
    lower();
}

/// An alarm that has gone off stays so until the next deadline.
void Doorbell::set_alarm(TimePoint deadline) noexcept {
    if (!has_handle() || deadline == alarm_deadline_) return;
    disarm();
    alarm_deadline_ = deadline;
    arm();
    lower();
}

/// No ring is under way: the next one comes when the loop sleeps again.
void Doorbell::token_was_taken() noexcept {
    if (!has_handle()) return;
    is_announced_.store(false);
    lower();
}

/// Clears the level, unless it has to be set. [lower]
void Doorbell::lower() noexcept {
    ResetEvent(level_);
    if (is_announced_.load() || has_gone_off_.load()) SetEvent(level_);
}

/// For the alarm's deadline. No alarm is armed, and the level is not set for it yet.
void Doorbell::arm() noexcept {
    if (alarm_deadline_ == TimePoint::max()) return;
    if (alarm_deadline_ <= now() || !start(alarm_timer_, alarm_deadline_)) {
        has_gone_off_.store(true);
        return;
    }
    is_armed_ = true;
    is_expected_.store(true);
    SetThreadpoolWait(static_cast<PTP_WAIT>(alarm_), alarm_timer_, nullptr);
}

/// When it returns, no alarm has gone off, and none goes off any more.
void Doorbell::disarm() noexcept {
    if (is_armed_) {
        is_armed_ = false;
        const auto alarm = static_cast<PTP_WAIT>(alarm_);
        SetThreadpoolWait(alarm, nullptr, nullptr);
        if (!is_expected_.exchange(false)) WaitForThreadpoolWaitCallbacks(alarm, TRUE);
    }
    has_gone_off_.store(false);
}

void Doorbell::close_handle() noexcept {
    if (alarm_ != nullptr) disarm();
    if (alarms_ != nullptr) {
        const auto group = static_cast<PTP_CLEANUP_GROUP>(alarms_);
        CloseThreadpoolCleanupGroupMembers(group, TRUE, nullptr);
        CloseThreadpoolCleanupGroup(group);
    }
    alarm_ = alarms_ = nullptr;
    close(alarm_timer_);
    close(level_);
}

}  // namespace futon::platform
