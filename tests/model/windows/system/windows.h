// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

// Windows as far as its doorbell knows it, between fibers: events, waitable timers, and the thread pool's waits. Each call
// is one step that the explorer schedules, and acts on one object. What the documentation leaves open, the explorer decides:
// how late a callback comes, whether a timer is early, and whether there is room for another object.

using BOOL = int;
using DWORD = std::uint32_t;
using LONG = std::int32_t;
using LONGLONG = std::int64_t;
using HANDLE = void*;

union LARGE_INTEGER {
    LONGLONG QuadPart;
};

#define CALLBACK
inline constexpr BOOL FALSE = 0;
inline constexpr BOOL TRUE = 1;
inline constexpr DWORD INFINITE = 0xffff'ffff;
inline constexpr DWORD WAIT_OBJECT_0 = 0;
inline constexpr DWORD WAIT_TIMEOUT = 258;
inline constexpr DWORD TIMER_ALL_ACCESS = 0x1f'0003;
inline constexpr DWORD CREATE_WAITABLE_TIMER_HIGH_RESOLUTION = 2;

#define CREATE_WAITABLE_TIMER_HIGH_RESOLUTION CREATE_WAITABLE_TIMER_HIGH_RESOLUTION

DWORD GetLastError() noexcept;
BOOL CloseHandle(HANDLE handle) noexcept;

HANDLE CreateEventW(const void* security, BOOL is_manual, BOOL is_set, const wchar_t* name) noexcept;
BOOL SetEvent(HANDLE event) noexcept;
BOOL ResetEvent(HANDLE event) noexcept;

HANDLE CreateWaitableTimerExW(const void* security, const wchar_t* name, DWORD flags, DWORD access) noexcept;
BOOL SetWaitableTimer(HANDLE timer, const LARGE_INTEGER* due, LONG period, const void* routine, const void* argument,
                      BOOL resume) noexcept;

DWORD WaitForSingleObject(HANDLE handle, DWORD milliseconds) noexcept;
/// For the first of two objects that is signalled: an event and a timer.
DWORD WaitForMultipleObjects(DWORD count, const HANDLE* handles, BOOL all, DWORD milliseconds) noexcept;

using PTP_CALLBACK_INSTANCE = struct FutonCallbackInstance*;
using PTP_CLEANUP_GROUP = struct FutonCleanupGroup*;
using PTP_WAIT = struct FutonPoolWait*;
using TP_WAIT_RESULT = DWORD;
using PTP_WAIT_CALLBACK = void(PTP_CALLBACK_INSTANCE, void*, PTP_WAIT, TP_WAIT_RESULT);
struct TP_CALLBACK_ENVIRON {
    PTP_CLEANUP_GROUP group;
};

void InitializeThreadpoolEnvironment(TP_CALLBACK_ENVIRON* environment) noexcept;
PTP_CLEANUP_GROUP CreateThreadpoolCleanupGroup() noexcept;
void SetThreadpoolCallbackCleanupGroup(TP_CALLBACK_ENVIRON* environment, PTP_CLEANUP_GROUP group,
                                       void* cancel) noexcept;
void CloseThreadpoolCleanupGroupMembers(PTP_CLEANUP_GROUP group, BOOL cancels, void* context) noexcept;
void CloseThreadpoolCleanupGroup(PTP_CLEANUP_GROUP group) noexcept;
PTP_WAIT CreateThreadpoolWait(PTP_WAIT_CALLBACK* callback, void* context, TP_CALLBACK_ENVIRON* environment) noexcept;
void SetThreadpoolWait(PTP_WAIT wait, HANDLE handle, void* timeout) noexcept;
void WaitForThreadpoolWaitCallbacks(PTP_WAIT wait, BOOL cancels) noexcept;
