// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>

#include <futon/core/operation/operation.hpp>
#include <futon/core/queue/waiter.hpp>
#include <futon/detail/export.hpp>

namespace futon::core {

/// The waiter of an operation: it passes on to the operation what wakers and tools ask. `Base` is what waits: a
/// `BlockedWaiter`, an `AsyncWaiter`, a `Waiter`. `Keeper` says where the operation is. It is `Op&`, and then this keeps
/// the reference and is constructed from it; or the class that derives from this, and then that has `operation()`:
///
///     template <futon::core::Operation Op>
///     class MyWaiter final : public futon::core::OperationWaiter<MyWaiter<Op>, futon::core::AsyncWaiter> {
///     public:
///         Op& operation() noexcept { return op_; }
///         ...
///     };
///
/// A task derives from `OperationTask` instead.
///
/// Requires  `operation()` gives the same operation from the enqueueing to the delivery, to any thread
/// Cost      no byte besides `Base` and the reference
template <class Keeper, class Base>
class FUTON_API OperationWaiter : public Base {
    static constexpr bool is_kept_here = std::is_lvalue_reference_v<Keeper>;

public:
    using Base::Base;

    /// Arguments of the base follow the operation.
    template <class Op, class... Arguments>
        requires std::same_as<Op&, Keeper> && std::constructible_from<Base, Arguments...>
    explicit OperationWaiter(Op& op, Arguments&&... arguments) noexcept
        : Base(std::forward<Arguments>(arguments)...), reference_(op) {}

    Demand request() const noexcept override { return request_of(op()); }

    /// What the base says of itself, and the operation's name.
    WaiterDescription describe() const noexcept override {
        WaiterDescription description = Base::describe();
        description.operation = std::remove_cvref_t<decltype(op())>::name;
        return description;
    }

protected:
    /// The operation.
    auto& op() const noexcept {
        if constexpr (is_kept_here) {
            return reference_;
        } else {
            return static_cast<Keeper&>(const_cast<OperationWaiter&>(*this)).operation();
        }
    }

private:
    void moved(std::uint64_t expected, bool is_last) noexcept override { core::moved(op(), expected, is_last); }

    struct Nothing {};
    [[no_unique_address]] std::conditional_t<is_kept_here, Keeper, Nothing> reference_;
};

}  // namespace futon::core

#include <futon/detail/end.hpp>
