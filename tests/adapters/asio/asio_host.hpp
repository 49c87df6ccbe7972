// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <stop_token>
#include <thread>
#include <utility>

#include <futon/asio.hpp>

#include "adapters/host.hpp"
#include "support/gtest.hpp"

namespace futon::test {

namespace net = futon::asio::net;

/// Runs handlers by the context itself.
struct InContext {
    static auto executor_of(net::io_context& context) { return context.get_executor(); }
};
/// Runs handlers in a strand.
struct InStrand {
    static auto executor_of(net::io_context& context) { return net::make_strand(context); }
};

/// A context of Asio, run by one thread, which is no agent. To the suite the context is both the host and futon's loop: it is
/// made again when it ends. What does not apply:
///
///     nests, may_end_in_job   Asio forbids to run a context within its run, and to destroy it there
///     has_own_events          the host has no life without the context
///     ends_by_itself          it could, but the suite's other threads post to it without a guard; so it runs until `stop`
///     is_agent                there are no promises, handles, `close` and handler for exceptions: those leave from `run`
///
/// A stop token is a cancellation signal that is emitted in the context.
template <class Place>
class AsioHost {
public:
    static constexpr bool ends_by_itself = false;
    static constexpr bool may_end_first = false;
    static constexpr bool may_end_in_job = false;
    static constexpr bool nests = false;
    static constexpr bool has_own_events = false;
    static constexpr bool is_agent = false;
    static constexpr bool tells_sleep = false;
    static constexpr bool takes_stops = FUTON_ASIO_VERSION >= 101900;  // Boost.Asio 1.74 has no cancellation slots

    AsioHost() { begin_loop(); }

    void run() {
        const auto guard = net::make_work_guard(*context_);
        context_->restart();
        context_->run();
    }
    void stop() { context_->stop(); }
    void turn() {
        if (!context_) return;
        context_->restart();
        context_->poll();
    }
    template <class F>
    void from_host(F f) {
        if (!context_) begin_loop();
        post(std::move(f));
    }
    void begin_loop() {
        context_.emplace();
        executor_.emplace(Place::executor_of(*context_));
    }
    void end_loop() {
        executor_.reset();
        context_.reset();
    }
    template <class F>
    void post(F f) {
        net::post(*executor_, std::move(f));
    }

    template <class Op, class F>
    void call(Op op, const Limits& limit, const std::stop_token& stop, F f) {
#if FUTON_ASIO_VERSION >= 101900
        // Without a token the handler's slot is that of a plain handler, one of no signal.
        const auto stopping = stop.stop_possible() ? std::make_shared<Stopping>(*executor_) : nullptr;
        futon::asio::async(
            *executor_, std::move(op), limit.deadline(),
            net::bind_cancellation_slot(stopping ? stopping->signal.slot() : net::cancellation_slot(),
                                        [f = std::move(f), stopping](auto, typename Op::Result result) mutable {
                                            if (stopping) stopping->callback.reset();
                                            f(std::move(result));
                                        }));
        if (stopping) stopping->callback.emplace(stop, [weak = std::weak_ptr(stopping)] { Stopping::emit(weak); });
#else
        EXPECT_FALSE(stop.stop_possible());
        futon::asio::async(*executor_, std::move(op), limit.deadline(),
                           [f = std::move(f)](auto, typename Op::Result result) mutable { f(std::move(result)); });
#endif
    }

private:
    using Executor = decltype(Place::executor_of(std::declval<net::io_context&>()));

#if FUTON_ASIO_VERSION >= 101900
    struct Stopping {
        explicit Stopping(const Executor& e) : executor(e) {}

        static void emit(const std::weak_ptr<Stopping>& weak) {
            const auto self = weak.lock();
            if (!self) return;
            if (std::this_thread::get_id() == self->thread) {
                self->signal.emit(net::cancellation_type::total);
            } else {
                net::post(self->executor, [weak] {
                    if (const auto later = weak.lock()) later->signal.emit(net::cancellation_type::total);
                });
            }
        }

        Executor executor;
        std::thread::id thread = std::this_thread::get_id();
        net::cancellation_signal signal;
        std::optional<std::stop_callback<std::function<void()>>> callback;
    };
#endif

    std::optional<net::io_context> context_;
    std::optional<Executor> executor_;
};

}  // namespace futon::test
