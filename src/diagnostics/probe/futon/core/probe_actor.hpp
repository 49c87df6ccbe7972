// SPDX-License-Identifier: MIT
#pragma once

// Who calls, and where, as futon::diagnostics keeps it.

#include <futon/detail/begin.hpp>

#include <array>
#include <cstddef>

namespace futon::diagnostics::detail {

struct ThreadRecord;

/// Where a call was made: the return addresses of the innermost frames, as far as they were looked up. A null ends them; what is
/// behind it is not set, for most places are made for nothing.
struct Place {
    static constexpr std::size_t most = 12;
    std::array<const void*, most> frames;

    Place() noexcept { frames[0] = nullptr; }
    Place(const Place& other) noexcept { *this = other; }
    Place& operator=(const Place& other) noexcept {
        std::size_t i = 0;
        do frames[i] = other.frames[i];
        while (frames[i] != nullptr && ++i < most);
        return *this;
    }
    ~Place() = default;

    friend bool operator==(const Place& one, const Place& other) noexcept {
        std::size_t i = 0;
        while (i < most && one.frames[i] == other.frames[i] && one.frames[i] != nullptr) ++i;
        return i == most || one.frames[i] == other.frames[i];
    }
};

/// A thread, or a coroutine that it runs. Null means: not known.
struct Actor {
    ThreadRecord* thread = nullptr;
    const void* task = nullptr;  ///< the coroutine's frame; null for the thread itself

    friend bool operator==(const Actor& one, const Actor& other) noexcept {
        return one.task == other.task && (one.task != nullptr || one.thread == other.thread);
    }
};

}  // namespace futon::diagnostics::detail

#include <futon/detail/end.hpp>
