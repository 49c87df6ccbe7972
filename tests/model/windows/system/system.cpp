// SPDX-License-Identifier: MIT
#include <array>
#include <chrono>
#include <cstdint>
#include <ratio>

#include <futon/explorer.hpp>
#include <futon/explorer/kernel.hpp>

#include "windows.h"

namespace futon::test {

/// An event or a timer. Each call of the system that names it sees what came before all earlier ones.
struct Object {
    enum class Kind : std::uint8_t { none, event, timer, closed } kind = Kind::none;
    bool is_manual = false;
    bool is_set = false;                          // an event
    std::chrono::steady_clock::time_point due{};  // a timer
    futon::explorer::Clock clock{};
};

}  // namespace futon::test

namespace {

using futon::explorer::await;
using futon::explorer::check;
using futon::explorer::point;
using futon::test::Object;
using TimePoint = std::chrono::steady_clock::time_point;

std::array<Object, 32> objects;

Object& live(HANDLE handle) {
    Object& object = *static_cast<Object*>(handle);
    check(object.kind == Object::Kind::event || object.kind == Object::Kind::timer,
          "[last-touch] a handle is used that was closed");
    return object;
}

/// One step on an object.
Object& step(const char* what, HANDLE handle) {
    point(what, handle);
    Object& object = live(handle);
    futon::explorer::acquire(object.clock);
    futon::explorer::publish(object.clock);
    return object;
}

HANDLE create(Object::Kind kind) {
    if (futon::explorer::allocation_fails()) return nullptr;
    for (Object& object : objects) {
        if (object.kind != Object::Kind::none) continue;
        object.kind = kind;
        futon::explorer::touch(&object);
        return &object;
    }
    futon::explorer::fail("the system has no room for another object");
}

bool is_signalled(const void* object) noexcept {
    return static_cast<const Object*>(object)->is_set;
}

/// A timer is due early once in a while, where the program's options say how often.
TimePoint due_of(const Object& timer) {
    return futon::explorer::wakes_spuriously() ? futon::explorer::virtual_now() : timer.due;
}

/// Waits for an event until then, and takes it if it is not a level.
bool take(HANDLE handle, TimePoint deadline) {
    live(handle);
    if (!await("WaitForObject", handle, is_signalled, deadline)) return false;
    Object& event = live(handle);
    futon::explorer::acquire(event.clock);
    if (!event.is_manual) event.is_set = false;
    return true;
}

}  // namespace

/// A thread of the pool watches a timer. Its phases are steps of their own, so a callback may come for an alarm that was taken back
/// or set anew meanwhile.
struct FutonPoolWait {
    PTP_WAIT_CALLBACK* callback = nullptr;
    void* context = nullptr;
    futon::test::Object* timer = nullptr;
    unsigned changes = 0;  // of what it watches
    unsigned seen = 0;     // of them, by the pool's thread
    bool is_watching = false;
    bool is_running = false;
    bool is_closed = false;
    futon::explorer::Clock clock{};

    static bool has_work(const void* self) noexcept {
        const auto& wait = *static_cast<const FutonPoolWait*>(self);
        return wait.timer != nullptr || wait.is_closed;
    }
    static bool has_changed(const void* self) noexcept {
        const auto& wait = *static_cast<const FutonPoolWait*>(self);
        return wait.changes != wait.seen || wait.is_closed;
    }
    static bool is_idle(const void* self) noexcept { return !static_cast<const FutonPoolWait*>(self)->is_running; }

    void run() noexcept {
        while (true) {
            await("the pool looks for a timer", this, has_work);
            if (is_closed) return;
            seen = changes;
            if (await("the pool watches a timer", this, has_changed, due_of(*timer))) continue;
            timer = nullptr;  // it is watched for one signal
            futon::explorer::touch(this);
            point("the pool calls back", this);
            if (is_closed) return;
            is_running = true;
            futon::explorer::acquire(clock);
            callback(nullptr, context, this, WAIT_OBJECT_0);
            point("the pool has called back", this);
            futon::explorer::publish(clock);
            is_running = false;
        }
    }
};

struct FutonCleanupGroup {
    FutonPoolWait* member = nullptr;
    bool is_open = false;
};

namespace {

std::array<FutonPoolWait, 2> waits;
std::array<FutonCleanupGroup, 2> groups;

void forget_all() noexcept {
    objects = {};
    waits = {};
    groups = {};
}

const bool is_told = [] {
    futon::explorer::before_schedules(forget_all);
    return true;
}();

}  // namespace

DWORD GetLastError() noexcept {
    constexpr DWORD not_enough_memory = 8;
    return not_enough_memory;
}

BOOL CloseHandle(HANDLE handle) noexcept {
    step("CloseHandle", handle).kind = Object::Kind::closed;
    return TRUE;
}

HANDLE CreateEventW(const void*, BOOL is_manual, BOOL is_set, const wchar_t*) noexcept {
    const HANDLE event = create(Object::Kind::event);
    if (event == nullptr) return nullptr;
    live(event).is_manual = is_manual != FALSE;
    live(event).is_set = is_set != FALSE;
    return event;
}

BOOL SetEvent(HANDLE event) noexcept {
    step("SetEvent", event).is_set = true;
    return TRUE;
}

BOOL ResetEvent(HANDLE event) noexcept {
    step("ResetEvent", event).is_set = false;
    return TRUE;
}

HANDLE CreateWaitableTimerExW(const void*, const wchar_t*, DWORD, DWORD) noexcept {
    return create(Object::Kind::timer);
}

BOOL SetWaitableTimer(HANDLE timer, const LARGE_INTEGER* due, LONG, const void*, const void*, BOOL) noexcept {
    using Units = std::chrono::duration<LONGLONG, std::ratio<1, 10'000'000>>;
    check(due->QuadPart < 0, "a time that is left, not one of the wall clock");
    step("SetWaitableTimer", timer).due = futon::explorer::virtual_now() + Units(-due->QuadPart);
    return TRUE;
}

DWORD WaitForSingleObject(HANDLE event, DWORD milliseconds) noexcept {
    if (milliseconds == 0) {
        Object& object = step("WaitForSingleObject", event);
        if (!object.is_set) return WAIT_TIMEOUT;
        if (!object.is_manual) object.is_set = false;
        return WAIT_OBJECT_0;
    }
    const TimePoint deadline = milliseconds == INFINITE
                                   ? TimePoint::max()
                                   : futon::explorer::virtual_now() + std::chrono::milliseconds(milliseconds);
    return take(event, deadline) ? WAIT_OBJECT_0 : WAIT_TIMEOUT;
}

DWORD WaitForMultipleObjects(DWORD count, const HANDLE* handles, BOOL all, DWORD milliseconds) noexcept {
    check(count == 2 && all == FALSE && milliseconds == INFINITE, "for one of an event and a timer");
    return take(handles[0], due_of(live(handles[1]))) ? WAIT_OBJECT_0 : WAIT_OBJECT_0 + 1;
}

void InitializeThreadpoolEnvironment(TP_CALLBACK_ENVIRON* environment) noexcept {
    environment->group = nullptr;
}

PTP_CLEANUP_GROUP CreateThreadpoolCleanupGroup() noexcept {
    if (futon::explorer::allocation_fails()) return nullptr;
    for (FutonCleanupGroup& group : groups) {
        if (group.is_open) continue;
        group.is_open = true;
        return &group;
    }
    futon::explorer::fail("the system has no room for another group");
}

void SetThreadpoolCallbackCleanupGroup(TP_CALLBACK_ENVIRON* environment, PTP_CLEANUP_GROUP group, void*) noexcept {
    environment->group = group;
}

PTP_WAIT CreateThreadpoolWait(PTP_WAIT_CALLBACK* callback, void* context, TP_CALLBACK_ENVIRON* environment) noexcept {
    if (futon::explorer::allocation_fails()) return nullptr;
    for (FutonPoolWait& wait : waits) {
        if (wait.callback != nullptr) continue;
        wait.callback = callback;
        wait.context = context;
        environment->group->member = &wait;
        futon::explorer::spawn_background(
            "pool", [](void* self) noexcept { static_cast<FutonPoolWait*>(self)->run(); }, &wait);
        return &wait;
    }
    futon::explorer::fail("the system has no room for another wait");
}

void SetThreadpoolWait(PTP_WAIT wait, HANDLE timer, void*) noexcept {
    point("SetThreadpoolWait", wait);
    check(!wait->is_closed, "[last-touch] a wait of the pool is set that was closed");
    wait->timer = timer == nullptr ? nullptr : &live(timer);
    ++wait->changes;
    futon::explorer::publish(wait->clock);
}

/// A callback that the pool has not begun may come later; Wine's was seen to.
void WaitForThreadpoolWaitCallbacks(PTP_WAIT wait, BOOL) noexcept {
    await("WaitForThreadpoolWaitCallbacks", wait, FutonPoolWait::is_idle);
    futon::explorer::acquire(wait->clock);
}

void CloseThreadpoolCleanupGroupMembers(PTP_CLEANUP_GROUP group, BOOL, void*) noexcept {
    FutonPoolWait* const wait = group->member;
    if (wait == nullptr) return;
    point("CloseThreadpoolCleanupGroupMembers", wait);
    wait->timer = nullptr;
    wait->is_closed = true;
    await("CloseThreadpoolCleanupGroupMembers waits", wait, FutonPoolWait::is_idle);
    futon::explorer::acquire(wait->clock);
}

void CloseThreadpoolCleanupGroup(PTP_CLEANUP_GROUP group) noexcept {
    check(group->member == nullptr || group->member->is_closed, "[last-touch] a group is closed that has a member");
    group->member = nullptr;
}
