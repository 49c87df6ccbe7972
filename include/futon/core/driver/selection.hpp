// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>

#include <futon/core/driver/choice.hpp>
#include <futon/core/driver/select_cycle.hpp>

namespace futon::core {

/// The choices of a select, and its result. Its cycle is the part that does not depend on their types.
template <Selectable... Ts>
class Selection {
    static_assert(sizeof...(Ts) > 0, "futon::select: there is nothing to choose among");

    static constexpr std::size_t defaults = (std::size_t{std::same_as<Ts, Otherwise>} + ... + 0);
    static_assert(defaults <= 1, "futon::select: otherwise() stands once among the choices");

public:
    using Result = std::variant<typename Choice<Ts>::Result...>;

    /// Whether it never waits.
    static constexpr bool has_default = defaults == 1;
    static_assert(!has_default ||
                      std::same_as<decltype((std::type_identity<Ts>(), ...)), std::type_identity<Otherwise>>,
                  "futon::select: otherwise() is the last of the choices");

    explicit Selection(Preference preference, Ts... choices)
        : choices_(std::move(choices)...), cycle_(preference, pointers_, operations_, traits) {}

    /// The part that does not depend on the types of the choices.
    SelectCycle& cycle() noexcept { return cycle_; }

    /// Throws std::logic_error if one of the choices cannot be used.
    void require_usable() {
        const auto require = [](auto& choice) {
            if constexpr (requires { choice.require_usable(); }) choice.require_usable();
        };
        std::apply([&](auto&... choice) { (require(choice), ...); }, choices_);
    }

    /// As `SelectCycle::try_now`, with operations that the compiler sees. If it may wait, a hint can spare the try of an
    /// operation, for the check decides then; not if its time is over. [over]
    bool try_now() noexcept {
        for (const std::uint32_t index : cycle_.draw_order()) {
            if (!try_at(index, std::index_sequence_for<Ts...>())) continue;
            cycle_.choose(index);
            return true;
        }
        return cycle_.try_rest();
    }

    /// Throws  as `SelectCycle::chosen`, and what the chosen one throws instead of yielding a result
    Result take_result() { return result_from<0>(cycle_.chosen()); }

    /// What its cycle is told of it.
    static constexpr bool has_limits = ((is_limit<Ts> && !std::same_as<Ts, Otherwise>) || ...);
    static constexpr SelectTraits traits{
        .has_default = has_default, .has_limits = has_limits, .is_watched = has_limits || (is_settling<Ts> || ...)};

private:
    static constexpr std::size_t operations = (std::size_t{!is_limit<Ts>} + ... + 0);

    /// The indices of the operations.
    static constexpr std::array<std::uint32_t, operations> in_order() noexcept {
        std::array<std::uint32_t, operations> indices{};
        [[maybe_unused]] std::uint32_t index = 0;
        [[maybe_unused]] std::size_t used = 0;
        ((is_limit<Ts> ? void() : void(indices[used++] = index), ++index), ...);
        return indices;
    }

    template <std::size_t... indices>
    bool try_at(std::uint32_t index, std::index_sequence<indices...>) noexcept {
        return ((indices == index && try_first(std::get<indices>(choices_))) || ...);
    }
    template <class T>
    static bool try_first(Choice<T>& choice) noexcept {
        if constexpr (!has_default && requires { choice.is_likely_to_wait(); }) {
            if (choice.is_likely_to_wait()) return false;
        }
        return choice.try_now();
    }

    /// The result of the choice `first` or a later one. Four in one step, because compilers copy a result that is passed
    /// through several functions.
    template <std::size_t first>
    Result result_from(std::uint32_t chosen) {
        constexpr std::size_t last = sizeof...(Ts) - 1;
        if constexpr (first + 4 <= last) {
            if (chosen >= first + 4) return result_from<first + 4>(chosen);
        }
        if constexpr (first + 3 <= last) {
            if (chosen == first + 3) return result_of<first + 3>();
        }
        if constexpr (first + 2 <= last) {
            if (chosen == first + 2) return result_of<first + 2>();
        }
        if constexpr (first + 1 <= last) {
            if (chosen == first + 1) return result_of<first + 1>();
        }
        return result_of<first>();
    }
    template <std::size_t i>
    Result result_of() {
        return Result(std::in_place_index<i>, std::get<i>(choices_).result());
    }

    std::tuple<Choice<Ts>...> choices_;
    const std::array<AnyChoice*, sizeof...(Ts)> pointers_ =
        std::apply([](auto&... choice) { return std::array<AnyChoice*, sizeof...(Ts)>{&choice...}; }, choices_);
    std::array<std::uint32_t, operations> operations_ = in_order();
    SelectCycle cycle_;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
