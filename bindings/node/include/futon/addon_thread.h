// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <memory>
#include <stdexcept>
#include <stop_token>
#include <thread>
#include <type_traits>
#include <utility>

#include <node_api.h>

namespace futon::addon {

/// A native thread that ends before its environment does: the main thread's or a worker's.
///
/// When the environment ends, a stop is requested, and the environment waits until the thread has ended. So does the
/// destructor, whichever comes first. The thread must therefore block only in calls that its stop token ends, such as
/// `futon::wait` and `AsyncLock::lock` with a stop token.
///
/// An environment does not end by process.exit() in the main thread: then the thread ends with the process.
///
/// Threads  that of the environment, for all functions; after the environment has ended, any one thread.
class Thread {
public:
    /// No thread.
    Thread() noexcept = default;

    /// Begins to run `body`, with a std::stop_token as its argument if it takes one. As in a std::thread, an exception that
    /// leaves `body` ends the process. `body` must not use N-API.
    ///
    /// Throws  std::system_error if no thread can be started, and std::invalid_argument if `env` is null.
    template <class Body>
        requires std::invocable<std::decay_t<Body>, std::stop_token> || std::invocable<std::decay_t<Body>> Thread(
            napi_env env, Body&& body)
            : state_(std::make_unique<State>(env)) {
            if (env == nullptr) throw std::invalid_argument("futon::addon::Thread: there is no environment");
            state_->thread = std::jthread(std::forward<Body>(body));
            napi_add_env_cleanup_hook(env, State::end, state_.get());
        }

        Thread(Thread&&) noexcept = default;

        /// Ends the thread that was here, as the destructor does.
        Thread& operator=(Thread&& other) noexcept {
            Thread(std::move(other)).swap(*this);
            return *this;
        }

        /// Requests a stop, if the thread has not ended yet, and waits for its end.
        ///
        /// Blocks  until the thread has ended.
        ~Thread() {
            if (state_ == nullptr || state_->env == nullptr) return;
            napi_remove_env_cleanup_hook(state_->env, State::end, state_.get());
        }

        void swap(Thread& other) noexcept {
            state_.swap(other.state_);
        }

        /// Whether this has a thread that was not joined: neither by `join` nor by the end of its environment.
        bool joinable() const noexcept {
            return state_ != nullptr && state_->thread.joinable();
        }

        /// Waits for the end of the thread without a request to stop.
        ///
        /// Blocks  until the thread has ended.
        /// Requires  `joinable()`.
        void join() {
            state_->thread.join();
        }

        /// Requests a stop of the thread, and does not wait for it. Returns whether this was the first request.
        bool request_stop() noexcept {
            return state_ != nullptr && state_->thread.request_stop();
        }

        /// Leaves the thread to its environment, which ends it. What is left of it takes some memory until then, even if the
        /// thread has ended before.
        void detach() noexcept {
            if (state_ == nullptr) return;
            if (state_->env == nullptr) {
                state_.reset();
            } else {
                state_->is_detached = true;
                static_cast<void>(state_.release());
            }
        }

    private:
        struct State {
            explicit State(napi_env environment) noexcept : env(environment) {}

            /// The environment ends. A handle may still be there, and is destroyed later.
            static void end(void* data) {
                auto* const state = static_cast<State*>(data);
                state->env = nullptr;
                if (state->thread.joinable()) {
                    state->thread.request_stop();
                    state->thread.join();
                }
                if (state->is_detached) delete state;
            }

            napi_env env;  // null once it has ended
            bool is_detached = false;
            std::jthread thread;
        };

        std::unique_ptr<State> state_;
};

}  // namespace futon::addon
