// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>

#include <futon/core/operation/arbiter.hpp>
#include <futon/detail/export.hpp>

namespace futon::detail {

/// Permits as the resource of a `core::Arbiter`.
struct PermitRules {
    using Word = std::uint64_t;
    using State = core::ResourceState;
    static bool can_serve(State permits, std::uint64_t count) noexcept { return permits >= count; }
    static State taken(State permits, std::uint64_t count) noexcept { return permits - static_cast<State>(count); }
    static State returned(State permits, std::uint64_t count) noexcept { return permits + static_cast<State>(count); }
    static bool may_serve(State permits) noexcept { return permits != 0; }
    FUTON_API static const core::ArbiterBase<Word>::Rules lasting;
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
