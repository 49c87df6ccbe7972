// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <concepts>
#include <functional>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <type_traits>
#include <utility>

#include <QtCore/QObject>
#include <QtCore/QThread>
#include <futon/core/driver/call_back.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/limits.hpp>

namespace futon::qt {

namespace detail {

/// Connects a pending call and its receiver.
struct Link {
    Link() = default;
    Link(const Link&) = delete;
    Link& operator=(const Link&) = delete;
    ~Link() { QObject::disconnect(connection); }

    /// The receiver is being destroyed, and with it this and the callback.
    void end() noexcept {
        if (QThread::currentThread() != home)
            qFatal("futon::qt::call_back: a receiver stays in its thread while a call is pending");
        CallHandle call = std::move(handle);
        call.cancel();
    }

    QThread* const home = QThread::currentThread();
    CallHandle handle;
    QMetaObject::Connection connection;
};

/// The callback, which keeps the link while the call is pending.
template <class Receiver, class F, class Result>
struct Callback {
    void operator()(Result result) {
        link.reset();
        if constexpr (std::invocable<F&, Result>) {
            std::invoke(f, std::move(result));
        } else {
            std::invoke(f, receiver, std::move(result));
        }
    }

    std::unique_ptr<Link> link;
    Receiver* receiver;
    F f;
};

template <class Receiver, class F, class Result>
concept CallableOn = std::invocable<F&, Result> || std::invocable<F&, Receiver*, Result>;

}  // namespace detail

/// Does `op`, now or later, and then calls `f(result)` on the current agent's loop, never inside this call. `f` may be
/// a member function of the receiver: `call_back(locking(lock), this, &Window::locked)`.
///
///     futon::qt::call_back(channel.receiving(), label, [label](auto text) { label->setText(*text); });
///
/// If the receiver is destroyed first, the wait leaves its queue at once, and `f` is destroyed without being called. If
/// the operation was done by then, its lock or item is given back.
///
/// Errors    what `f` throws goes to the loop's handler. So does what the operation's result throws; `f` is not called
///           then
/// Cancel    limits that are over end the wait: `f` is called with a result that says so. If the receiver or the loop
///           ends, `f` is not called
/// Requires  the receiver stays in its thread until then; if another thread destroys it, the program ends
/// Threads   the receiver's, which has an agent (`futon::qt::Loop`)
/// Throws    std::invalid_argument if the receiver is null or lives in another thread; NoExecutor; std::logic_error if
///           the operation was used before; std::system_error (not_enough_memory) if the table is full; std::bad_alloc
/// Cost      two allocations, and Qt's cost of a connection
template <core::Operation Op, std::derived_from<QObject> Receiver, class F>
void call_back(Op op, const Limits& limits, Receiver* receiver, F&& f) {
    constexpr bool takes_the_result = detail::CallableOn<Receiver, std::decay_t<F>, typename Op::Result>;
    static_assert(
        takes_the_result,
        "futon::qt::call_back: the function must take what the operation yields, or be a member function of the "
        "receiver that does: lock.locking() yields an AsyncLock::Guard, event.waiting() a WaitResult, "
        "channel.receiving() a Received<T>");
    if (receiver == nullptr) throw std::invalid_argument("futon::qt::call_back: the receiver is null");
    const QObject& object = *receiver;
    if (object.thread() != QThread::currentThread())
        throw std::invalid_argument("futon::qt::call_back: the receiver lives in another thread");
    if constexpr (takes_the_result) {
        auto link = std::make_unique<detail::Link>();
        detail::Link& kept = *link;
        kept.connection = QObject::connect(receiver, &QObject::destroyed, [&kept] { kept.end(); });
        using Callback = detail::Callback<Receiver, std::decay_t<F>, typename Op::Result>;
        kept.handle = core::call_back(std::move(op), limits, Callback{std::move(link), receiver, std::forward<F>(f)});
    }
}
template <core::Operation Op, std::derived_from<QObject> Receiver, class F>
void call_back(Op op, Receiver* receiver, F&& f) {
    call_back(std::move(op), Limits(), receiver, std::forward<F>(f));
}

}  // namespace futon::qt

#include <futon/detail/end.hpp>
