// SPDX-License-Identifier: MIT
// Stands before the file of this name of MinGW's libstdc++ 12, which waits for atomics with a mutex and a condition
// variable: it looks at the value, and only then locks the mutex and sleeps, so it sleeps through a wake-up that comes in
// between. For systems that can wait on an address, that file leaves room: a macro, and the functions below. Windows can.
//
// The macro changes the layout of what waiting threads share, so all of a program must see this file, or none of it.
#ifndef FUTON_MENDED_ATOMIC_WAIT_H
#define FUTON_MENDED_ATOMIC_WAIT_H

#pragma GCC system_header

#include <bits/c++config.h>

#if _GLIBCXX_RELEASE != 12 || defined(_GLIBCXX_HAVE_LINUX_FUTEX) || defined(_GLIBCXX_HAVE_PLATFORM_WAIT)
#error "futon: FUTON_MENDED_ATOMIC_WAIT is for libstdc++ 12 of MinGW; see docs/windows.md"
#endif

#include <bits/chrono.h>
#include <cstddef>
#include <cstdint>

extern "C" {
__declspec(dllimport) int __stdcall WaitOnAddress(volatile void* address, void* undesired, std::size_t size,
                                                  unsigned long milliseconds);
__declspec(dllimport) void __stdcall WakeByAddressSingle(void* address);
__declspec(dllimport) void __stdcall WakeByAddressAll(void* address);
}

#define _GLIBCXX_HAVE_PLATFORM_WAIT 1
#define _GLIBCXX_HAVE_PLATFORM_TIMED_WAIT 1

// The names and the types are those that the library calls. Its word has eight bytes. A wait may return for no reason: the
// library looks again.
namespace std::__detail {

template <class Word>
void __platform_wait(const Word* address, std::uint64_t undesired) noexcept {
    static_assert(sizeof(Word) == sizeof undesired);
    WaitOnAddress(const_cast<Word*>(address), &undesired, sizeof undesired, 0xffffffff);
}

/// Returns whether the deadline is still to come.
template <class Word, class Clock, class Duration>
bool __platform_wait_until(const Word* address, std::uint64_t undesired,
                           const std::chrono::time_point<Clock, Duration>& deadline) {
    static_assert(sizeof(Word) == sizeof undesired);
    constexpr auto longest = std::chrono::milliseconds(std::chrono::hours(24));
    const auto time = Clock::now();
    if (time >= deadline) return false;
    const auto left = time < deadline - longest ? longest : std::chrono::ceil<std::chrono::milliseconds>(deadline - time);
    WaitOnAddress(const_cast<Word*>(address), &undesired, sizeof undesired, static_cast<unsigned long>(left.count()));
    return Clock::now() < deadline;
}

template <class Word>
void __platform_notify(const Word* address, bool is_for_all) noexcept {
    void* const place = const_cast<Word*>(address);
    if (is_for_all) {
        WakeByAddressAll(place);
    } else {
        WakeByAddressSingle(place);
    }
}

}  // namespace std::__detail

#include_next <bits/atomic_wait.h>

#endif
