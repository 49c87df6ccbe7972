// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>

#include <futon_platform/shared_memory.hpp>

namespace futon::platform {

/// Address space for `max_byte_length` bytes, of which the first ones become usable, zeroed, as they are committed.
///
/// - `SharedMemory(byte_length, max_byte_length)` commits the first `byte_length` bytes. Throws std::bad_alloc.
/// - `commit(byte_length)` makes the first `byte_length` bytes usable, at most `max_byte_length`. Bytes that were
///   committed before stay as they are. Throws std::bad_alloc.
/// - `data()` is the first byte, aligned to 64. It never changes.
// clang-format off
template <class M>
concept SharedMemoryContract = std::constructible_from<M, std::size_t, std::size_t> && !std::copyable<M> &&
    requires(M& memory, const M& constant, std::size_t byte_length) {
        memory.commit(byte_length);
        { constant.data() } noexcept -> std::same_as<std::byte*>;
    };
// clang-format on

static_assert(SharedMemoryContract<SharedMemory>);

}  // namespace futon::platform
