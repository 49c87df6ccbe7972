// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

namespace futon::tables {

/// Mixes the bits of an address, of which a table takes the lowest and the highest: words lie at regular distances, and both must
/// still tell them apart. One multiplication, because a notify that finds no waiter waits for it. At distances from 1 byte to 64 MiB
/// a queue meets 3.0 in its chain at the worst, where two multiplications have 2.8 and random numbers 2.5; by the golden ratio, the
/// usual factor, it meets up to 7.
inline std::uint64_t hash_of(const void* address) noexcept {
    std::uint64_t h = reinterpret_cast<std::uintptr_t>(address);
    h = (h ^ (h >> 32)) * 0xc4ceb9fe1a85ec53ULL;
    return h ^ (h >> 32);
}

}  // namespace futon::tables
