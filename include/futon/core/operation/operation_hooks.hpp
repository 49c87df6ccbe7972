// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>

#include <futon/core/queue/wait_table.hpp>

namespace futon::core {

enum class Enqueueing : bool;
enum class Ending : std::uint8_t;
class SelectGroup;

/// Checks that the optional members of an operation fit. Without the check a member that nearly fits would be ignored
/// silently, and what it handles, permits or a place in the queue, would be lost.
template <class Op>
class OperationHooks {
    // Each name is looked up in a class that inherits all of them a second time: if the operation has the name, it is
    // ambiguous. From a final class nothing inherits: there the name is looked up itself, which finds it unless it is private or
    // overloaded.
    struct Names {
        int left, request, try_spinning, is_likely_to_wait, joins, table, queued, moved, outlasts, has_outlasted, place,
            wake_is_final, polls_for_wake_up;
    };
    struct Nothing {};
    template <class T>
    struct Twice : std::conditional_t<std::is_final_v<T>, Nothing, T>, Names {};

    // clang-format off
/// Whether the operation T has something of this name.
// NOLINTNEXTLINE(cppcoreguidelines-macro-usage): a name
#define FUTON_HAS_NAME(hook) (!requires { &Twice<T>::hook; } || requires { &T::hook; })

    template <class T>
    static consteval bool check() {
        static_assert(!FUTON_HAS_NAME(left) || requires(T & op) { op.left(); }, "futon: an operation has `void left()`");
        static_assert(!FUTON_HAS_NAME(request) ||
                          requires(const T& op) {
                              { op.request() } -> std::convertible_to<Demand>;
                          },
                      "futon: an operation has `Demand request() const`, or `std::uint64_t request() const`");
        static_assert(!FUTON_HAS_NAME(try_spinning) ||
                          requires(T & op) {
                              { op.try_spinning() } -> std::same_as<bool>;
                          },
                      "futon: an operation has `bool try_spinning()`");
        static_assert(!FUTON_HAS_NAME(is_likely_to_wait) ||
                          requires(const T& op) {
                              { op.is_likely_to_wait() } -> std::same_as<bool>;
                          },
                      "futon: an operation has `bool is_likely_to_wait() const`");
        static_assert(!FUTON_HAS_NAME(joins) || requires(T & op, SelectGroup & group) { op.joins(group, std::uint32_t{0}); },
                      "futon: an operation has `void joins(SelectGroup&, std::uint32_t)`");
        static_assert(!FUTON_HAS_NAME(table) ||
                          requires(T & op) {
                              { op.table() } -> std::convertible_to<WaitQueues&>;
                          },
                      "futon: an operation has `WaitQueues& table()`");
        static_assert(!FUTON_HAS_NAME(queued) || requires(T & op) { op.queued(); },
                      "futon: an operation has `void queued()`");
        static_assert(!FUTON_HAS_NAME(moved) || requires(T & op) { op.moved(std::uint64_t{0}, true); },
                      "futon: an operation has `void moved(std::uint64_t expected, bool is_last)`");
        static_assert(!FUTON_HAS_NAME(outlasts) ||
                          requires(T & op, Ending ending) {
                              { op.outlasts(ending) } -> std::same_as<bool>;
                          },
                      "futon: an operation has `bool outlasts(Ending)`");
        static_assert(!FUTON_HAS_NAME(has_outlasted) ||
                          requires(const T& op) {
                              { op.has_outlasted() } -> std::same_as<bool>;
                          },
                      "futon: an operation has `bool has_outlasted() const`");
        static_assert(requires(T & op, Ending ending) { op.outlasts(ending); } == requires(const T& op) { op.has_outlasted(); },
                      "futon: an operation has both `bool outlasts(Ending)` and `bool has_outlasted() const`, or neither");
        static_assert(!FUTON_HAS_NAME(place) ||
                          requires(const T& op, Enqueueing enqueueing) {
                              { op.place(enqueueing) } -> std::same_as<Place>;
                          },
                      "futon: an operation has `Place place(Enqueueing) const`");
        static_assert(!FUTON_HAS_NAME(wake_is_final) || requires { std::bool_constant<T::wake_is_final>(); },
                      "futon: an operation has `static constexpr bool wake_is_final`");
        static_assert(!FUTON_HAS_NAME(polls_for_wake_up) || requires { std::bool_constant<T::polls_for_wake_up>(); },
                      "futon: an operation has `static constexpr bool polls_for_wake_up`");
        return true;
    }
    // clang-format on

#undef FUTON_HAS_NAME

public:
    /// True; if a member does not fit, this does not compile.
    static consteval bool fit() {
        return check<Op>();
    }
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
