// SPDX-License-Identifier: MIT
// A million waiters: that all are woken, and what each takes of the heap and of the stack.
#if __has_include(<malloc.h>) && !defined(_WIN32)  // mallinfo2

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <vector>

#include <malloc.h>
#include <futon/futon.hpp>

#include "support/gtest.hpp"
#include "support/scale.hpp"

namespace {

using futon::WaitResult;

const auto million = static_cast<std::size_t>(futon::test::scaled(1'000'000));

/// The bytes that malloc counts as allocated now; meaningless under a sanitizer.
std::size_t allocated() {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
}

/// The part of the stack that continuations were seen on.
struct StackRange {
    std::uintptr_t lowest = UINTPTR_MAX;
    std::uintptr_t highest = 0;

    void see(const void* frame) {
        lowest = std::min(lowest, reinterpret_cast<std::uintptr_t>(frame));
        highest = std::max(highest, reinterpret_cast<std::uintptr_t>(frame));
    }
    std::uintptr_t size() const { return highest - lowest; }
};

struct Seen {
    std::size_t ok = 0;
    StackRange stack;
};

futon::Promise<void> wait_for(futon::Word<int> word, Seen& seen) {
    const WaitResult result = co_await futon::wait_async(word, 0);
    seen.ok += result == WaitResult::ok;
    seen.stack.see(__builtin_frame_address(0));
}

class CountingWaiter final : public futon::core::AsyncWaiter {
public:
    CountingWaiter(futon::EventLoop& loop, Seen& seen) : AsyncWaiter(loop), seen_(seen) {}

private:
    void on_complete(WaitResult result) noexcept override {
        seen_.ok += result == WaitResult::ok;
        seen_.stack.see(__builtin_frame_address(0));
    }

    Seen& seen_;
};

void print_bytes_each(const char* what, std::size_t before) {
    if (futon::test::is_sanitized) return;
    std::printf("%s: %zu bytes each\n", what, (allocated() - before) / million);
}

TEST(MillionWaiters, PromisesOnAsManyWordsAreAllNotified) {
    futon::EventLoop loop;
    std::vector<int> words(million);
    std::vector<futon::Promise<WaitResult>> promises;
    promises.reserve(million);
    const std::size_t before = allocated();

    for (int& word : words) promises.push_back(futon::wait_async(futon::Word(word), 0).promise());
    print_bytes_each("a million promises on as many words", before);
    std::size_t notified = 0;
    for (int& word : words) notified += futon::notify(futon::Word(word));
    loop.run();

    EXPECT_EQ(notified, million);
    for (const auto& promise : promises) ASSERT_TRUE(promise.is_settled());
}

TEST(MillionWaiters, PromisesOnOneWordAreAllNotifiedByOneCall) {
    futon::EventLoop loop;
    int word = 0;
    std::vector<futon::Promise<WaitResult>> promises;
    promises.reserve(million);
    const std::size_t before = allocated();

    for (std::size_t i = 0; i < million; ++i) promises.push_back(futon::wait_async(futon::Word(word), 0).promise());
    print_bytes_each("a million promises on one word", before);
    const std::size_t notified = futon::notify(futon::Word(word));
    loop.run();

    EXPECT_EQ(notified, million);
    for (const auto& promise : promises) ASSERT_TRUE(promise.is_settled());
}

TEST(MillionWaiters, CoroutinesOnOneWordResumeInConstantStack) {
    futon::EventLoop loop;
    int word = 0;
    Seen seen;

    for (std::size_t i = 0; i < million; ++i) (void)wait_for(futon::Word(word), seen);
    const std::size_t notified = futon::notify(futon::Word(word));
    loop.run();

    EXPECT_EQ(notified, million);
    EXPECT_EQ(seen.ok, million);
    EXPECT_LT(seen.stack.size(), 4096u);
}

TEST(MillionWaiters, AsyncWaitersOnAsManyWordsCompleteInConstantStack) {
    futon::EventLoop loop;
    std::vector<int> words(million);
    Seen seen;
    const std::size_t before = allocated();

    // In one block, as an owner of many would keep them.
    auto storage = std::make_unique<std::byte[]>(million * sizeof(CountingWaiter));
    auto* waiters = reinterpret_cast<CountingWaiter*>(storage.get());
    for (std::size_t i = 0; i < million; ++i) {
        new (&waiters[i]) CountingWaiter(loop, seen);
        ASSERT_TRUE(waiters[i].enqueue(futon::Word(words[i]).equals(0)));
    }
    print_bytes_each("a million AsyncWaiters on as many words", before);
    std::size_t notified = 0;
    for (int& word : words) notified += futon::notify(futon::Word(word));
    loop.poll();

    EXPECT_EQ(notified, million);
    EXPECT_EQ(seen.ok, million);
    EXPECT_LT(seen.stack.size(), 4096u);
    std::destroy_n(waiters, million);
}

TEST(MillionWaiters, PendingPromisesAreAllDequeuedWithTheirLoop) {
    std::vector<int> words(million);
    std::vector<futon::Promise<WaitResult>> promises;
    promises.reserve(million);
    {
        futon::EventLoop loop;
        for (int& word : words) promises.push_back(futon::wait_async(futon::Word(word), 0).promise());
    }

    std::size_t notified = 0;
    for (int& word : words) notified += futon::notify(futon::Word(word));

    EXPECT_EQ(notified, 0u);
    EXPECT_FALSE(promises.front().is_settled());
}

}  // namespace

#endif
