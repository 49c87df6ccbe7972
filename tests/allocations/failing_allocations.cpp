// SPDX-License-Identifier: MIT
#include "support/failing_allocations.hpp"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>

#include <signal.h>
#include <unistd.h>

namespace futon::test {

namespace {

constexpr unsigned longest_run = 60;  // seconds

// Of the run under way. It is begun and ended by one thread, while no other allocates where that may be refused.
std::atomic<std::size_t> refused_first{AllocationRun::none};
std::atomic<bool> all_later_are_refused{false};
std::atomic<std::size_t> counted{0};
std::atomic<std::size_t> refusals{0};
std::atomic<std::ptrdiff_t> blocks{0};  // allocated, and not freed

bool is_refused() noexcept {
    if (AllocationsMayFail::depth() == 0) return false;
    const std::size_t number = ++counted;
    const std::size_t first = refused_first;
    if (number != first && (number < first || !all_later_are_refused)) return false;
    ++refusals;
    return true;
}

/// Says which run it was. A signal's handler may call this.
void say(const char* what) noexcept {
    char text[160];
    const int length = std::snprintf(text, sizeof text, "%s: refused was allocation %zu%s\n", what,
                                     refused_first.load(), all_later_are_refused ? " and all later ones" : "");
    [[maybe_unused]] const auto written = write(STDERR_FILENO, text, static_cast<std::size_t>(length));
}

void watch_once() {
    static std::once_flag once;
    std::call_once(once, [] {
        std::set_terminate([] {
            say("std::terminate");
            std::abort();
        });
        signal(SIGALRM, [](int) {
            say("the scenario hangs");
            _exit(1);
        });
    });
}

void* allocate(std::size_t size, std::size_t alignment) {
    if (is_refused()) throw std::bad_alloc();
    void* const memory = alignment <= alignof(std::max_align_t)
                             ? std::malloc(std::max<std::size_t>(size, 1))
                             : std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    if (memory == nullptr) throw std::bad_alloc();
    ++blocks;
    return memory;
}

void deallocate(void* memory) noexcept {
    if (memory == nullptr) return;
    --blocks;
    std::free(memory);
}

}  // namespace

int& AllocationsMayFail::depth() noexcept {
    static constinit thread_local int depth = 0;
    return depth;
}

AllocationRun::AllocationRun(std::size_t first, Refused which) noexcept : before_(blocks) {
    watch_once();
    counted = 0;
    refusals = 0;
    all_later_are_refused = which == Refused::all_later;
    refused_first = first;
    alarm(longest_run);
}

AllocationRun::~AllocationRun() {
    alarm(0);
    refused_first = none;
}

bool AllocationRun::has_refused() const noexcept {
    return refusals != 0;
}

std::ptrdiff_t AllocationRun::kept_blocks() const noexcept {
    return blocks - before_;
}

}  // namespace futon::test

// All forms that the library and Asio use, for a sanitizer brings its own of each that is missing.
[[gnu::noinline]] void* operator new(std::size_t size) {
    return futon::test::allocate(size, 1);
}
[[gnu::noinline]] void* operator new[](std::size_t size) {
    return futon::test::allocate(size, 1);
}
[[gnu::noinline]] void* operator new(std::size_t size, std::align_val_t alignment) {
    return futon::test::allocate(size, static_cast<std::size_t>(alignment));
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
    futon::test::deallocate(memory);
}
[[gnu::noinline]] void operator delete[](void* memory) noexcept {
    futon::test::deallocate(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
    futon::test::deallocate(memory);
}
[[gnu::noinline]] void operator delete[](void* memory, std::size_t) noexcept {
    futon::test::deallocate(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::align_val_t) noexcept {
    futon::test::deallocate(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t, std::align_val_t) noexcept {
    futon::test::deallocate(memory);
}
