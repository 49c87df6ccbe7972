// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/export.hpp>

namespace futon::detail {

/// A ring of nodes. A node can leave without knowing the head.
struct FUTON_API RingLinks {
    RingLinks* before = this;
    RingLinks* after = this;

    bool is_alone() const noexcept { return after == this; }

    void insert_before(RingLinks& place) noexcept {
        before = place.before;
        after = &place;
        before->after = this;
        place.before = this;
    }

    void unlink() noexcept {
        before->after = after;
        after->before = before;
        before = after = this;
    }
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
