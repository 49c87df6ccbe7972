// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <new>

#include <futon/core/probe.hpp>

namespace futon {
class Agent;
}

namespace futon::detail {

/// The blocks that an event loop keeps to use them again: some of each size, for the promises and the coroutines of its
/// thread, which come and go with each wait.
///
/// A block is a whole one of the heap. Whatever loop it is given to may keep it, and a thread without a loop frees it.
///
/// Threads  the loop's own
class ReusedMemory {
public:
    ReusedMemory() noexcept = default;
    ReusedMemory(const ReusedMemory&) = delete;
    ReusedMemory& operator=(const ReusedMemory&) = delete;
    ~ReusedMemory();

    /// Makes this the memory of a loop's agent, which ends first. Not where a sanitizer is to see each use of freed memory.
    void serve(Agent& agent) noexcept;

    /// What the calling thread's loop keeps; null if its agent is no loop's, or one of another copy of the library: that may
    /// have a heap of its own.
    static ReusedMemory* of_this_thread() noexcept;

    /// The kind of the blocks for this size; `kinds` if none are kept.
    static constexpr std::size_t kind_of(std::size_t size) noexcept {
        const std::size_t kind = (size + (sizeof(std::size_t) - 1)) / step;
        return kind < kinds ? kind : kinds;
    }

    /// The size of the blocks of a kind. The heap keeps a word before each of its blocks, so these sizes waste nothing.
    static constexpr std::size_t size_of(std::size_t kind) noexcept { return (kind + 1) * step - sizeof(std::size_t); }

    /// A block of this kind; null if there is none.
    void* take(std::size_t kind) noexcept {
        Kept& kept = kept_[kind];
        Block* const block = kept.first;
        if (block == nullptr) return nullptr;
        kept.first = block->next;
        --kept.count;
        return block;
    }

    /// Returns false if it keeps enough of these blocks.
    bool keep(void* memory, std::size_t kind) noexcept {
        Kept& kept = kept_[kind];
        if (kept.count == most) return false;
        kept.first = new (memory) Block{kept.first};
        ++kept.count;
        return true;
    }

    static constexpr std::size_t step = 16;
    // Up to 504 bytes on a machine of 64 bits; three times that with a probe, which makes waiters larger, and so coroutines' frames.
    static constexpr std::size_t kinds = core::probe::is_enabled ? 96 : 32;
    static constexpr std::uint32_t most = 16;  // of each kind

private:
    struct Block {
        Block* next;
    };
    struct Kept {
        Block* first = nullptr;
        std::uint32_t count = 0;
    };

    static const char this_copy;

    const void* copy_ = &this_copy;
    std::array<Kept, kinds> kept_{};
};

}  // namespace futon::detail
