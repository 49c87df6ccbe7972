// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstring>
#include <type_traits>

#include <futon/explorer/kernel.hpp>

/// Atomics whose every operation is a schedule point, and whose loads may miss newer stores where the orders allow it.
namespace futon::detail {

template <class T>
class AtomicRef {
public:
    explicit AtomicRef(T& cell) noexcept : cell_(&cell) {}

    T load(std::memory_order order = std::memory_order_seq_cst) const noexcept {
        // A value that is loaded relaxed under a lock is also written under it: no other fiber could change it
        // meanwhile.
        if (order != std::memory_order_relaxed || explorer::held_locks() == 0)
            explorer::point("load", cell_, explorer::Access::read);
        return from_bits(explorer::load(cell_, bits(*cell_), order));
    }

    void store(T value, std::memory_order order = std::memory_order_seq_cst) const noexcept {
        explorer::point("store", cell_, explorer::Access::write);
        explorer::store(cell_, bits(*cell_), bits(value), order);
        *cell_ = value;
    }

    T exchange(T value, std::memory_order order = std::memory_order_seq_cst) const noexcept {
        return modify("exchange", order, [&](T) { return value; });
    }

    bool compare_exchange_strong(T& expected, T desired, std::memory_order success,
                                 std::memory_order failure) const noexcept {
        explorer::point("compare_exchange", cell_, explorer::Access::write);
        if (bits(*cell_) != bits(expected)) {
            explorer::read_newest(cell_, bits(*cell_), failure);
            expected = *cell_;
            return false;
        }
        explorer::read_modify_write(cell_, bits(*cell_), bits(desired), success);
        *cell_ = desired;
        return true;
    }

    bool compare_exchange_strong(T& expected, T desired,
                                 std::memory_order order = std::memory_order_seq_cst) const noexcept {
        return compare_exchange_strong(expected, desired, order, failure_order(order));
    }

    // Spurious failures are left out: they only lead to another round of a loop.
    template <class... Orders>
    bool compare_exchange_weak(T& expected, T desired, Orders... orders) const noexcept {
        return compare_exchange_strong(expected, desired, orders...);
    }

    T fetch_add(T operand, std::memory_order order = std::memory_order_seq_cst) const noexcept {
        return modify("fetch_add", order, [&](T old) { return static_cast<T>(old + operand); });
    }
    T fetch_sub(T operand, std::memory_order order = std::memory_order_seq_cst) const noexcept {
        return modify("fetch_sub", order, [&](T old) { return static_cast<T>(old - operand); });
    }
    T fetch_and(T operand, std::memory_order order = std::memory_order_seq_cst) const noexcept {
        return modify("fetch_and", order, [&](T old) { return static_cast<T>(old & operand); });
    }
    T fetch_or(T operand, std::memory_order order = std::memory_order_seq_cst) const noexcept {
        return modify("fetch_or", order, [&](T old) { return static_cast<T>(old | operand); });
    }
    T fetch_xor(T operand, std::memory_order order = std::memory_order_seq_cst) const noexcept {
        return modify("fetch_xor", order, [&](T old) { return static_cast<T>(old ^ operand); });
    }

private:
    template <class F>
    T modify(const char* what, std::memory_order order, F f) const noexcept {
        explorer::point(what, cell_, explorer::Access::write);
        const T old = *cell_;
        const T value = f(old);
        explorer::read_modify_write(cell_, bits(old), bits(value), order);
        *cell_ = value;
        return old;
    }

    static constexpr std::memory_order failure_order(std::memory_order success) noexcept {
        switch (success) {
            case std::memory_order_acq_rel:
                return std::memory_order_acquire;
            case std::memory_order_release:
                return std::memory_order_relaxed;
            default:
                return success;
        }
    }

    static std::uint64_t bits(const T& value) noexcept {
        std::uint64_t result = 0;
        std::memcpy(&result, &value, sizeof(T));
        return result;
    }

    static T from_bits(std::uint64_t value) noexcept {
        std::remove_const_t<T> result;
        std::memcpy(&result, &value, sizeof(T));
        return result;
    }

    T* cell_;
};

template <class T>
class Atomic {
public:
    using value_type = T;
    static constexpr bool is_always_lock_free = true;

    constexpr Atomic() noexcept : Atomic(T{}) {}
    constexpr Atomic(T value) noexcept : cell_(value) {
        if (!std::is_constant_evaluated()) explorer::forget(&cell_);
    }
    Atomic(const Atomic&) = delete;
    Atomic& operator=(const Atomic&) = delete;

    T load(std::memory_order order = std::memory_order_seq_cst) const noexcept { return ref().load(order); }
    void store(T value, std::memory_order order = std::memory_order_seq_cst) noexcept { ref().store(value, order); }
    T exchange(T value, std::memory_order order = std::memory_order_seq_cst) noexcept {
        return ref().exchange(value, order);
    }
    template <class... Orders>
    bool compare_exchange_strong(T& expected, T desired, Orders... orders) noexcept {
        return ref().compare_exchange_strong(expected, desired, orders...);
    }
    template <class... Orders>
    bool compare_exchange_weak(T& expected, T desired, Orders... orders) noexcept {
        return ref().compare_exchange_weak(expected, desired, orders...);
    }
    T fetch_add(T operand, std::memory_order order = std::memory_order_seq_cst) noexcept {
        return ref().fetch_add(operand, order);
    }
    T fetch_sub(T operand, std::memory_order order = std::memory_order_seq_cst) noexcept {
        return ref().fetch_sub(operand, order);
    }
    T fetch_and(T operand, std::memory_order order = std::memory_order_seq_cst) noexcept {
        return ref().fetch_and(operand, order);
    }
    T fetch_or(T operand, std::memory_order order = std::memory_order_seq_cst) noexcept {
        return ref().fetch_or(operand, order);
    }
    T fetch_xor(T operand, std::memory_order order = std::memory_order_seq_cst) noexcept {
        return ref().fetch_xor(operand, order);
    }

private:
    AtomicRef<T> ref() const noexcept { return AtomicRef<T>(cell_); }

    mutable T cell_;
};

inline void fence_seq_cst() noexcept {
    explorer::fence();
}

}  // namespace futon::detail
