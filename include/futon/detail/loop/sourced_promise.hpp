// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstdint>
#include <exception>
#include <memory>
#include <utility>
#include <variant>

#include <futon/agent.hpp>
#include <futon/core/loop/agent_waiter.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/loop/promise_state.hpp>
#include <futon/detail/this_thread.hpp>
#include <futon/wait_result.hpp>

namespace futon::detail {

/// Throws  std::logic_error
[[noreturn]] FUTON_API void throw_settled_twice();
[[noreturn]] FUTON_API void throw_null_exception();
FUTON_API std::exception_ptr source_dropped() noexcept;

/// What a source and its promise share: it carries the outcome from one thread to another.
///
///     is_settled  set once, by the source, before it writes the outcome; only that caller writes it then
///     outcome     the source's until it dequeues the waiter, the promise's from the delivery on
///     waiter      only the promise's thread uses it
template <class T>
struct SourceLink {
    using Value = typename PromiseState<T>::Value;

    const void* home = &this_agent_slot();  // of the thread that the promise belongs to
    core::AgentWaiter* waiter = nullptr;    // that thread's: null once the promise has settled, or never will
    Atomic<bool> is_settled{false};         // the source sets it
    bool is_broken = false;                 // the source was dropped; written and read as the outcome is
    std::variant<std::monostate, Value, std::exception_ptr> outcome;  // the source's, from the settling to the delivery
};

/// The promise and its waiter, which is queued at the address of the link until the source settles it, its agent ends,
/// or the promise is dropped. So the guarantees of the wait queues for these races hold for it. [once] [owner]
template <class T>
class SourcedPromise final : public PromiseState<T>, public core::AgentWaiter {
public:
    SourcedPromise(Agent& agent, std::shared_ptr<SourceLink<T>> link) : AgentWaiter(agent), link_(std::move(link)) {
        link_->waiter = this;
    }

    void start() noexcept {
        this->retain();
        enqueue(core::process_table(), {link_.get(), 0, [](void*, std::uint64_t) noexcept { return true; }});
    }

    void unref() noexcept override { AgentWaiter::unref(); }

    core::WaiterDescription describe() const noexcept override {
        return {core::WaiterDescription::Kind::task, "futon::PromiseSource", &agent()};
    }

    /// Settles with the outcome that the source left, and drops the link.
    void settle() noexcept {
        link_->waiter = nullptr;
        if (link_->is_broken) this->observe();  // a broken promise is no failure if nothing listens
        if (auto* exception = std::get_if<2>(&link_->outcome)) {
            this->reject(std::move(*exception));
        } else {
            try {
                this->fulfil(std::move(std::get<1>(link_->outcome)));
            } catch (...) {
                this->reject(std::current_exception());
            }
        }
        this->release();
    }

private:
    ~SourcedPromise() override = default;

    void on_complete(WaitResult) noexcept override { settle(); }

    void on_teardown(bool) noexcept override {
        link_->waiter = nullptr;
        this->abandon();
        this->release();
    }

    void on_dropped() noexcept override {
        if (!withdraw()) {    // the source has settled it on another thread: the completion is under way
            this->observe();  // it was dropped while it was pending, so what it is rejected with is no failure
            return;           // the completion returns the reference
        }
        link_->waiter = nullptr;
        this->release();
    }

    const std::shared_ptr<SourceLink<T>> link_;
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
