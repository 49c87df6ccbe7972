// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace bench {

/// Binds the calling thread, and the threads it starts, to one processor for the lifetime of this object: the one with
/// this number, modulo their count, among those the process may use.
///
/// For figures that would be bimodal otherwise: a wake on the same processor and a wake on another one differ several
/// times over, and the scheduler chooses now one, now the other.
class Pinned {
public:
    explicit Pinned(std::size_t number);
    ~Pinned();
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
};

}  // namespace bench
