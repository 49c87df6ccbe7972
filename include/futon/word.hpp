// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <atomic>
#include <bit>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include <futon/core/atomic.hpp>
#include <futon/core/queue/wait_check.hpp>
#include <futon/detail/atomic.hpp>

namespace futon {

/// 1, 2, 4 or 8 bytes: sizes that the machine compares in one step.
template <class T>
concept HasAtomicSize = sizeof(T) == 1 || sizeof(T) == 2 || sizeof(T) == 4 || sizeof(T) == 8;

/// Every byte belongs to the value, and equal values have equal bytes: no padding, no floating point.
template <class T>
concept HasUniqueBytes = std::has_unique_object_representations_v<T>;

/// A struct must be aligned so that the machine can access it in one step; add an `alignas` if it is not.
template <class T>
// NOLINTNEXTLINE(misc-redundant-expression): of some types both sides are the same
concept IsAlignedToItsSize = !std::is_class_v<T> || alignof(T) == sizeof(T);

/// The types of a word that can be waited on: integers, enumerations, bool, pointers, and small structs without padding
/// that are aligned to their size.
template <class T>
concept WaitValue =
    std::is_object_v<T> && !std::is_const_v<T> && !std::is_volatile_v<T> && std::is_trivially_copyable_v<T> &&
    std::is_copy_constructible_v<T> && HasAtomicSize<T> && HasUniqueBytes<T> && IsAlignedToItsSize<T>;

/// An integer type that can be counted with.
template <class T>
concept WaitInteger = WaitValue<T> && std::integral<T> && !std::same_as<T, bool>;

/// A view of one aligned cell of memory, one pointer wide. Every access through it is sequentially consistent. Use it to
/// wait on a plain variable, or on memory that C or JavaScript shares. A `std::atomic` needs no view: `wait` and `notify`
/// take it as it is.
///
///     alignas(4) std::int32_t cell = 0;
///     futon::Word word(cell);
///     word = 1;
///     futon::notify(word);
///
/// It does not own the cell. Views of one address are the same word with the same wait queue, whatever their types.
///
/// Assigning a value stores it, so `array[i] = 7` does what it does in JavaScript. A word cannot be assigned to
/// another: write `array[i] = array[j].load()`. Like std::atomic_ref, a view stays with its cell.
///
/// Threads   any; a cell that several threads use may only be accessed through words or atomics.
/// Requires  the cell is aligned to its size and outlives the waits on it.
/// Spec      the Atomics functions of an integer typed array: load, store, add, sub, and, or, xor, exchange,
///           compareExchange.
template <WaitValue T>
class Word {
public:
    using value_type = T;

    constexpr Word(T& cell) noexcept : cell_(&cell) {}

    Word(core::Atomic<T>& cell) noexcept : cell_(reinterpret_cast<T*>(&cell)) {
        static_assert(core::Atomic<T>::is_always_lock_free && sizeof(cell) == sizeof(T),
                      "futon::Word: a std::atomic of this type has no plain cell inside on this platform");
    }

    constexpr Word(const Word&) noexcept = default;
    // Ambiguous: it could store the other word's value, or view its cell. Const like the others, so that an assigned
    // variable need not first be a Word.
    void operator=(const Word&) const = delete;  // NOLINT(misc-unconventional-assign-operator)

    /// Stores the value, and returns it.
    T operator=(T value) const noexcept {  // NOLINT(misc-unconventional-assign-operator): as std::atomic's
        store(value);
        return value;
    }

    template <std::floating_point F>
    void operator=(F) const = delete;  // would lose the fraction: convert explicitly

    /// Loads atomically. This and all further accesses are sequentially consistent.
    T load() const noexcept { return cell().load(); }

    /// Stores. It wakes no waiter: `notify` does.
    void store(T value) const noexcept { cell().store(value); }

    /// Replaces the value and returns the old one.
    T exchange(T value) const noexcept { return cell().exchange(value); }

    /// Stores `desired` if the word holds `expected`.
    ///
    /// Returns  the previous value: the exchange happened if and only if it has the bytes of `expected`.
    T compare_exchange(T expected, T desired) const noexcept {
        cell().compare_exchange_strong(expected, desired);
        return expected;
    }

    /// Each returns the old value, and wraps around on overflow. Only integers have them.
    ///
    ///     const int ticket = next.fetch_add(1);
    T fetch_add(T operand) const noexcept requires WaitInteger<T> { return cell().fetch_add(operand); }
    T fetch_sub(T operand) const noexcept requires WaitInteger<T> { return cell().fetch_sub(operand); }
    T fetch_and(T operand) const noexcept requires WaitInteger<T> { return cell().fetch_and(operand); }
    T fetch_or(T operand) const noexcept requires WaitInteger<T> { return cell().fetch_or(operand); }
    T fetch_xor(T operand) const noexcept requires WaitInteger<T> { return cell().fetch_xor(operand); }

    /// The cell's address, which identifies its wait queue.
    T* address() const noexcept { return cell_; }

    /// The check "this word still holds `expected`", as the wait queue calls it.
    core::WaitCheck equals(T expected) const noexcept {
        return {cell_, bytes(expected), [](void* address, std::uint64_t wanted) noexcept {
                    return bytes(Word(*static_cast<T*>(address)).load()) == wanted;
                }};
    }

private:
    detail::AtomicRef<T> cell() const noexcept { return detail::AtomicRef<T>(*cell_); }

    static std::uint64_t bytes(T value) noexcept {
        std::uint64_t result = 0;
        std::memcpy(&result, &value, sizeof value);
        return result;
    }

    T* cell_;
};

}  // namespace futon

#include <futon/detail/end.hpp>
