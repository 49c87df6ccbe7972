// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace futon::tables {

/// Mixes all bits of an address into all bits of the result: words lie at regular distances, and whatever bits a table
/// takes must still tell them apart. (The finalizer of MurmurHash3, public domain.)
inline std::uint64_t hash_of(const void* address) noexcept {
    std::uint64_t h = reinterpret_cast<std::uintptr_t>(address);
    h = (h ^ (h >> 33)) * 0xff51afd7ed558ccdULL;
    h = (h ^ (h >> 33)) * 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 33);
}

}  // namespace futon::tables
