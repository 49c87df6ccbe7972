// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>
#include <new>
#include <optional>
#include <thread>

#include <futon/futon.hpp>

#include "loop/reused_memory.hpp"
#include "support/gtest.hpp"
#include "support/queue_executor.hpp"
#include "support/sanitizers.hpp"

namespace {

using futon::Agent;
using futon::EventLoop;
using futon::Promise;
using futon::detail::allocate_reused;
using futon::detail::free_reused;
using futon::detail::ReusedMemory;

constexpr std::size_t block_size = 100;
constexpr std::size_t block_kind = ReusedMemory::kind_of(block_size);

/// Takes a block from what the thread's loop keeps, and frees it. Returns its address, 0 if there was none.
std::uintptr_t taken_from_loop() {
    ReusedMemory* const memory = ReusedMemory::of_this_thread();
    void* const block = memory == nullptr ? nullptr : memory->take(block_kind);
    const std::uintptr_t address = reinterpret_cast<std::uintptr_t>(block);
    ::operator delete(block);
    return address;
}

/// Frees what the thread's loop keeps. Returns how many blocks that were.
std::size_t freed_by_loop() {
    ReusedMemory* const memory = ReusedMemory::of_this_thread();
    std::size_t count = 0;
    for (std::size_t kind = 0; memory != nullptr && kind < ReusedMemory::kinds; ++kind)
        for (; void* const block = memory->take(kind); ++count) ::operator delete(block);
    return count;
}

TEST(ReusedMemory, ABlockHasRoomForWhatItIsAskedForAndWastesLessThanAStep) {
    for (std::size_t asked = 1; ReusedMemory::kind_of(asked) != ReusedMemory::kinds; ++asked) {
        const std::size_t given = ReusedMemory::size_of(ReusedMemory::kind_of(asked));
        EXPECT_GE(given, asked);
        EXPECT_LT(given, asked + ReusedMemory::step);
    }
}

TEST(ReusedMemory, KeepsNoMoreThanAFewBlocksOfASize) {
    ReusedMemory memory;
    for (std::uint32_t i = 0; i < ReusedMemory::most; ++i)
        EXPECT_TRUE(memory.keep(::operator new(ReusedMemory::size_of(block_kind)), block_kind));
    void* const one_more = ::operator new(ReusedMemory::size_of(block_kind));

    EXPECT_FALSE(memory.keep(one_more, block_kind));

    ::operator delete(one_more);
}

TEST(ReusedMemory, GivesABlockOnlyForItsOwnSizes) {
    ReusedMemory memory;
    void* const block = ::operator new(ReusedMemory::size_of(block_kind));
    memory.keep(block, block_kind);

    EXPECT_EQ(memory.take(block_kind - 1), nullptr);
    EXPECT_EQ(memory.take(block_kind + 1), nullptr);
    EXPECT_EQ(memory.take(block_kind), block);
    EXPECT_EQ(memory.take(block_kind), nullptr);

    ::operator delete(block);
}

TEST(ReusedMemory, ALoopKeepsWhatItsThreadFreesUnlessASanitizerWatches) {
    const EventLoop loop;
    void* const block = allocate_reused(block_size);
    const auto address = reinterpret_cast<std::uintptr_t>(block);

    free_reused(block, block_size);

    EXPECT_EQ(taken_from_loop(), futon::test::is_sanitized ? 0 : address);
}

TEST(ReusedMemory, WhatALoopKeepsIsGivenOutFirst) {
    if (futon::test::is_sanitized) GTEST_SKIP() << "a sanitizer is to see each use of freed memory";
    const EventLoop loop;
    void* const kept = ::operator new(ReusedMemory::size_of(block_kind));
    ReusedMemory::of_this_thread()->keep(kept, block_kind);

    void* const block = allocate_reused(block_size);

    EXPECT_EQ(block, kept);
    free_reused(block, block_size);
}

TEST(ReusedMemory, APromiseAndTheFrameOfACoroutineLeaveTheirBlocksToTheirLoop) {
    if (futon::test::is_sanitized) GTEST_SKIP() << "a sanitizer is to see each use of freed memory";
    const EventLoop loop;
    // Called by a pointer, so that no compiler puts the frame on the stack.
    Promise<void> (*const volatile returns_at_once)() = []() -> Promise<void> { co_return; };

    static_cast<void>(futon::fulfilled(1));
    EXPECT_EQ(freed_by_loop(), 1u);
    static_cast<void>(returns_at_once());
    EXPECT_GE(freed_by_loop(), 1u);
}

TEST(ReusedMemory, AThreadWithoutALoopKeepsNothing) {
    EXPECT_EQ(ReusedMemory::of_this_thread(), nullptr);
    free_reused(allocate_reused(block_size), block_size);
}

TEST(ReusedMemory, AnAgentOfAnotherExecutorKeepsNothing) {
    const EventLoop loop;
    futon::test::QueueExecutor queue;
    const Agent agent(queue);

    EXPECT_EQ(ReusedMemory::of_this_thread(), nullptr);
    free_reused(allocate_reused(block_size), block_size);
}

TEST(ReusedMemory, ABlockMayBeFreedByAnotherThreadsLoop) {
    const EventLoop loop;
    void* const block = allocate_reused(block_size);
    const auto address = reinterpret_cast<std::uintptr_t>(block);
    std::uintptr_t taken = 0;

    std::thread([&] {
        const EventLoop other;
        free_reused(block, block_size);
        taken = taken_from_loop();
    }).join();

    EXPECT_EQ(taken, futon::test::is_sanitized ? 0 : address);
    EXPECT_EQ(taken_from_loop(), 0u);
}

TEST(ReusedMemory, APromiseMayOutliveItsLoopAndAnotherLoopKeepsItsBlock) {
    std::optional<EventLoop> loop(std::in_place);
    std::uint32_t cell = 0;
    std::optional<Promise<futon::WaitResult>> promise(futon::wait_async(futon::Word(cell), 0u).promise());
    std::optional<Promise<futon::WaitResult>> other(futon::wait_async(futon::Word(cell), 0u).promise());

    loop.reset();
    promise.reset();  // to the heap
    loop.emplace();
    EXPECT_EQ(freed_by_loop(), 0u);
    other.reset();
    EXPECT_EQ(freed_by_loop() != 0, !futon::test::is_sanitized);
    futon::wait_async(futon::Word(cell), 0u).promise().unref();

    loop->run();
    EXPECT_EQ(cell, 0u);
}

struct alignas(256) Wide {
    char bytes[256] = {};
};

TEST(ReusedMemory, AValueOfGreatAlignmentIsAligned) {
    EventLoop loop;
    for (int i = 0; i < 4; ++i) {
        const auto promise = futon::fulfilled(Wide());
        const auto look = [](const Promise<Wide>& awaited) -> Promise<std::uintptr_t> {
            co_return reinterpret_cast<std::uintptr_t>(&co_await awaited);
        };
        EXPECT_EQ(loop.run_until(look(promise)) % alignof(Wide), 0u);
    }
}

}  // namespace
