// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>

namespace bench {

/// While it lives the calling thread, and those it starts, run on one processor: the one with this number among those the
/// process may use, counted round and round.
///
/// For what is bimodal otherwise: a wake on the same processor and a wake on another one differ several times over, and
/// the scheduler takes now this, now that.
class Pinned {
public:
    explicit Pinned(std::size_t number);
    ~Pinned();
    Pinned(const Pinned&) = delete;
    Pinned& operator=(const Pinned&) = delete;
};

}  // namespace bench
