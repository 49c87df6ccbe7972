// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstdint>

namespace futon::core {

/// The state of a resource: a number, whose meaning its rules define.
using ResourceState = std::uint32_t;

/// The rules of a resource: four pure functions of its state. `amount` says what a request asks for; the rules define what the number
/// means, such as how many permits, or which mode.
///
///     struct Permits {
///         using Word = std::uint64_t;
///         static bool can_serve(ResourceState permits, std::uint64_t count) noexcept { return permits >= count; }
///         static ResourceState taken(ResourceState permits, std::uint64_t count) noexcept { return permits - count; }
///         static ResourceState returned(ResourceState permits, std::uint64_t count) noexcept { return permits + count; }
///         static bool may_serve(ResourceState permits) noexcept { return permits != 0; }
///     };
///
/// `Word` is `std::uint64_t`, for a state of 32 bits, or `std::uint32_t`, for a state of two. `may_serve` says whether the state
/// could serve any request at all; if not, the arbiter does not look at the queue. It serves requests from the head of the queue, up
/// to the first that the state cannot serve. Requests behind that one wait, even if they ask for less or for another mode.
///
/// Rules may also have a constant `is_uniform`. It is true if all requests are alike, as for a lock: a state that serves one
/// serves any, so nothing is ever kept for a larger request.
///
/// The library's keeper may call the rules shortly after the last call from the code that they were compiled in. If plugins use a
/// resource that outlives them, its rules need a static member `lasting`: an `ArbiterBase<Word>::Rules`, defined in code that stays
/// loaded, as a copy of `Arbiter<R>::own_rules`.
///
/// Requires  every state fits into the state's bits: the first one, and what `taken` and `returned` give. With a `std::uint32_t` that
///           is 0 to 3; one that does not fit ends the program with this rule, where no waiter is queued
/// Threads   any, under locks of the library: the functions must not block, allocate, or throw
// clang-format off
template <class R>
concept ArbiterRules = requires(ResourceState state, std::uint64_t amount) {
    typename R::Word;
    requires std::same_as<typename R::Word, std::uint64_t> || std::same_as<typename R::Word, std::uint32_t>;
    { R::can_serve(state, amount) } noexcept -> std::same_as<bool>;
    { R::taken(state, amount) } noexcept -> std::same_as<ResourceState>;
    { R::returned(state, amount) } noexcept -> std::same_as<ResourceState>;
    { R::may_serve(state) } noexcept -> std::same_as<bool>;
};
// clang-format on

}  // namespace futon::core

#include <futon/detail/end.hpp>
