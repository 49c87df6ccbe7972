// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <cstddef>

#include <futon/atomics.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>
#include <futon/word.hpp>

// Functions that change a word and wake its waiters in one call. `notify` begins with a memory barrier, so it finds the
// waiter, or the waiter sees the change. These changes are such barriers themselves and save the second one. If no
// waiter is queued, a call costs little more than the change alone. Use them wherever a notify follows a change.
//
//     ready = 1;                                    futon::store_and_notify(ready, 1);
//     futon::notify(ready);                         // the same, with one barrier
//
// Each changes the word, then wakes up to `count` of its waiters as `notify` does. A word is a `Word` or a
// `std::atomic`.
//
// Ordering  the change is sequentially consistent; the rest as `notify`
// Threads   any, as `notify`
// Throws    nothing
// Cost      without a waiter at the word, the change and two loads; else as `notify`
// Spec      Atomics.store, exchange, add, sub, and, or, xor or compareExchange, then Atomics.notify
namespace futon {

namespace detail {

FUTON_API std::size_t notify_changed(const void* address, std::size_t count) noexcept;

}  // namespace detail

/// Stores `value` and notifies. Returns how many waiters were woken.
///
///     futon::store_and_notify(ready, 1);
template <WaitWord W>
std::size_t store_and_notify(W&& word, WordValue<W> value, NotifyCount count = everyone) noexcept {
    const auto view = detail::word_of(word);
    view.store(value);
    return detail::notify_changed(view.address(), count.value());
}

/// Replaces the value and notifies. Returns the old value.
///
///     if (futon::exchange_and_notify(state, idle, 1) == closing) finish();
template <WaitWord W>
WordValue<W> exchange_and_notify(W&& word, WordValue<W> value, NotifyCount count = everyone) noexcept {
    const auto view = detail::word_of(word);
    const auto old = view.exchange(value);
    detail::notify_changed(view.address(), count.value());
    return old;
}

/// Stores `desired` if the word holds `expected`, and notifies if it did. Returns the old value, which has the bytes of
/// `expected` if and only if the word was changed. Use it where several callers may make the change, and only the first may.
/// A call that changes nothing wakes no waiter. Bytes are compared, as by `std::atomic`: a struct's `==` is not called.
///
///     futon::compare_exchange_and_notify(state, running, done);
template <WaitWord W>
WordValue<W> compare_exchange_and_notify(W&& word, WordValue<W> expected, WordValue<W> desired,
                                         NotifyCount count = everyone) noexcept {
    const auto view = detail::word_of(word);
    const detail::AtomicRef<WordValue<W>> cell(*view.address());  // which says whether it stored
    if (cell.compare_exchange_strong(expected, desired)) detail::notify_changed(view.address(), count.value());
    return expected;
}

/// Adds and notifies. Returns the old value, as the functions below do.
///
///     futon::fetch_add_and_notify(items, 1, 1);   // one more item, one more waiter awake
template <WaitWord W>
    requires WaitInteger<WordValue<W>> WordValue<W> fetch_add_and_notify(W&& word, WordValue<W> operand,
                                                                         NotifyCount count = everyone)
noexcept {
    const auto view = detail::word_of(word);
    const auto old = view.fetch_add(operand);
    detail::notify_changed(view.address(), count.value());
    return old;
}

/// Subtracts and notifies.
///
///     if (futon::fetch_sub_and_notify(pending, 1) == 1) log("the last has ended");
///     while (int n = pending.load()) futon::wait(pending, n);
template <WaitWord W>
    requires WaitInteger<WordValue<W>> WordValue<W> fetch_sub_and_notify(W&& word, WordValue<W> operand,
                                                                         NotifyCount count = everyone)
noexcept {
    const auto view = detail::word_of(word);
    const auto old = view.fetch_sub(operand);
    detail::notify_changed(view.address(), count.value());
    return old;
}

/// Clears the bits that `operand` does not have, and notifies.
///
///     futon::fetch_and_and_notify(flags, ~busy);
template <WaitWord W>
    requires WaitInteger<WordValue<W>> WordValue<W> fetch_and_and_notify(W&& word, WordValue<W> operand,
                                                                         NotifyCount count = everyone)
noexcept {
    const auto view = detail::word_of(word);
    const auto old = view.fetch_and(operand);
    detail::notify_changed(view.address(), count.value());
    return old;
}

/// Sets the bits of `operand`, and notifies.
///
///     futon::fetch_or_and_notify(flags, finished);
template <WaitWord W>
    requires WaitInteger<WordValue<W>> WordValue<W> fetch_or_and_notify(W&& word, WordValue<W> operand,
                                                                        NotifyCount count = everyone)
noexcept {
    const auto view = detail::word_of(word);
    const auto old = view.fetch_or(operand);
    detail::notify_changed(view.address(), count.value());
    return old;
}

/// Flips the bits of `operand`, and notifies.
///
///     futon::fetch_xor_and_notify(flags, toggled);
template <WaitWord W>
    requires WaitInteger<WordValue<W>> WordValue<W> fetch_xor_and_notify(W&& word, WordValue<W> operand,
                                                                         NotifyCount count = everyone)
noexcept {
    const auto view = detail::word_of(word);
    const auto old = view.fetch_xor(operand);
    detail::notify_changed(view.address(), count.value());
    return old;
}

}  // namespace futon

#include <futon/detail/atomics/change_misuse.hpp>  // near misses, which do not compile

#include <futon/detail/end.hpp>
