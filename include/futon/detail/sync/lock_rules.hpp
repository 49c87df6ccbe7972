// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

#include <futon/core/operation/arbiter.hpp>
#include <futon/detail/export.hpp>

namespace futon::detail {

/// A lock as the resource of a `core::Arbiter`: one caller holds it, or none does.
struct LockRules {
    using Word = std::uint32_t;
    static constexpr bool is_uniform = true;
    static constexpr core::ResourceState held = 1;
    static constexpr core::ResourceState abandoned = 2;  // an owner ended without unlocking; not reported yet

    static constexpr bool can_serve(core::ResourceState state, std::uint64_t /*one*/) noexcept {
        return (state & held) == 0;
    }
    static constexpr core::ResourceState taken(core::ResourceState state, std::uint64_t /*one*/) noexcept {
        return state | held;
    }
    static constexpr core::ResourceState returned(core::ResourceState state, std::uint64_t /*one*/) noexcept {
        return state & ~held;
    }
    static constexpr bool may_serve(core::ResourceState state) noexcept { return (state & held) == 0; }
    FUTON_API static const core::ArbiterBase<Word>::Rules lasting;
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
