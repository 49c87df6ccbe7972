// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <memory>
#include <new>
#include <stop_token>
#include <utility>

#include <gio/gio.h>

namespace futon::glib {

/// A stop token that follows a GCancellable: for one wait, a coroutine or an object.
///
///     const futon::glib::CancellableStop stop(cancellable);
///     const auto guard = co_await lock.scoped_lock_async(stop.token());
///
/// It may be destroyed at any time, even by a handler of the cancellable's `cancelled` signal, and does not wait for
/// running handlers. Its tokens are not stopped after that. Resetting the cancellable does not take a stop back.
///
/// Threads  any, one at a time; any thread may cancel the cancellable meanwhile. Stop callbacks run in the cancelling
///          thread
/// Cost     two allocations, and a connected signal handler
class CancellableStop {
public:
    /// Follows this cancellable. A null pointer is never cancelled, as everywhere in GIO.
    ///
    /// Throws  std::bad_alloc
    explicit CancellableStop(GCancellable* cancellable) : cancellable_(cancellable) {
        if (cancellable_ == nullptr) return;
        auto source = std::make_unique<std::stop_source>(source_);
        g_object_ref(cancellable_);
        connection_ = g_cancellable_connect(cancellable_, reinterpret_cast<GCallback>(&on_cancelled), source.release(),
                                            [](gpointer data) { delete static_cast<std::stop_source*>(data); });
    }
    CancellableStop(const CancellableStop&) = delete;
    CancellableStop& operator=(const CancellableStop&) = delete;
    ~CancellableStop() {
        if (cancellable_ == nullptr) return;
        // g_cancellable_disconnect would wait for running handlers. The signal keeps alive what they need.
        if (connection_ != 0) g_signal_handler_disconnect(cancellable_, connection_);
        g_object_unref(cancellable_);
    }

    /// The token that is stopped when the cancellable is cancelled.
    std::stop_token token() const noexcept { return source_.get_token(); }

private:
    static void on_cancelled(GCancellable*, gpointer data) {
        std::stop_source source = *static_cast<std::stop_source*>(data);  // keeps the state alive meanwhile
        source.request_stop();
    }

    GCancellable* cancellable_;
    std::stop_source source_;
    gulong connection_ = 0;
};

/// A GCancellable that follows a stop token: for calls to GIO from code that is stopped by a token.
///
///     const futon::glib::StopCancellable cancellable(stop);
///     g_file_load_contents(file, cancellable.get(), ...);
///
/// The handlers of its `cancelled` signal run in the thread that requests the stop.
///
/// Threads   any, one at a time; destroying it waits while another thread is cancelling it
/// Lifetime  the GCancellable lives as long as it is referred to, but is not cancelled after this is destroyed
class StopCancellable {
public:
    /// Throws  std::bad_alloc
    explicit StopCancellable(std::stop_token stop)
        : cancellable_(g_cancellable_new()), on_stop_(std::move(stop), Cancel{cancellable_.get()}) {}
    StopCancellable(const StopCancellable&) = delete;
    StopCancellable& operator=(const StopCancellable&) = delete;

    /// The cancellable that is cancelled when the stop is requested. This object owns it.
    GCancellable* get() const noexcept { return cancellable_.get(); }

private:
    struct Unref {
        void operator()(GCancellable* cancellable) const noexcept { g_object_unref(cancellable); }
    };
    struct Cancel {
        GCancellable* cancellable;
        void operator()() const noexcept { g_cancellable_cancel(cancellable); }
    };

    std::unique_ptr<GCancellable, Unref> cancellable_;
    std::stop_callback<Cancel> on_stop_;
};

}  // namespace futon::glib

#include <futon/detail/end.hpp>
