// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <type_traits>
#include <utility>
#include <variant>

#include <futon/agent.hpp>
#include <futon/core/loop/agent_waiter.hpp>
#include <futon/detail/atomic.hpp>
#include <futon/detail/export.hpp>
#include <futon/errors.hpp>
#include <futon/promise.hpp>

namespace futon {

template <class T>
class PromiseSource;

/// Makes a pending promise of `agent`, and the source with which any thread settles it.
///
///     auto [promise, source] = futon::make_promise<int>();
///     std::jthread worker([source = std::move(source)]() mutable { source.fulfil(compute()); });
///     int result = co_await promise;
///
/// Throws   NoExecutor; std::bad_alloc. Nothing is pending then
/// Threads  `agent`'s own
/// Spec     Promise.withResolvers
template <class T>
[[nodiscard]] std::pair<Promise<T>, PromiseSource<T>> make_promise(Agent& agent = Agent::current());

namespace detail {

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
        if (!withdraw()) return;  // the source is settling it just now; the completion returns the reference
        link_->waiter = nullptr;
        this->release();
    }

    const std::shared_ptr<SourceLink<T>> link_;
};

}  // namespace detail

/// Settles one promise by hand, once, from any thread. `make_promise` makes both.
///
/// A pending promise with a source keeps its event loop running, as a wait does, unless it is unref'd.
///
/// Settles   on the promise's own thread within the call; on any other later, as a job of the promise's executor.
///           Listeners run later in either case.
/// Cancel    if the promise is dropped while nothing listens, settling does nothing. If the source is dropped before it
///           settles, the promise is rejected with BrokenPromise, or with std::bad_alloc if there is no memory for
///           that; neither is reported if nothing listens.
/// Teardown  once the promise's agent has ended, settling does nothing: a worker need not know.
/// Threads   any, one at a time.
template <class T>
class [[nodiscard]] PromiseSource {
    using Link = detail::SourceLink<T>;

public:
    PromiseSource(PromiseSource&& other) noexcept = default;
    PromiseSource& operator=(PromiseSource&& other) noexcept {
        PromiseSource taken(std::move(other));
        std::swap(link_, taken.link_);
        return *this;
    }
    ~PromiseSource() {
        if (link_ != nullptr && !link_->is_settled.exchange(true)) drop();
    }

    /// Whether this source has settled its promise, or was moved from.
    bool is_settled() const noexcept { return link_ == nullptr || link_->is_settled.load(); }

    /// Settles the promise with a value made from `args`.
    ///
    /// Throws  std::logic_error if it was settled before; what constructing the value throws: the promise is still
    ///         pending then. If moving the value throws, the promise is rejected with that exception
    template <class... Args>
    void fulfil(Args&&... args) {
        typename Link::Value value(std::forward<Args>(args)...);
        settle<1>(std::move(value));
    }

    /// Settles the promise with an exception.
    ///
    /// Throws  std::logic_error as `fulfil`; std::invalid_argument if `exception` is null: the promise is still pending
    ///         then
    void reject(std::exception_ptr exception) {
        if (exception == nullptr) detail::throw_null_exception();
        settle<2>(std::move(exception));
    }

private:
    friend std::pair<Promise<T>, PromiseSource<T>> make_promise<T>(Agent&);

    explicit PromiseSource(std::shared_ptr<Link> link) noexcept : link_(std::move(link)) {}

    template <std::size_t index, class Outcome>
    void settle(Outcome&& outcome) {
        if (link_ == nullptr || link_->is_settled.exchange(true)) detail::throw_settled_twice();
        deliver<index>(std::forward<Outcome>(outcome));
    }

    /// Does nothing if the promise was dropped or its agent has ended.
    template <std::size_t index, class Outcome>
    void deliver(Outcome&& outcome) noexcept {
        try {
            link_->outcome.template emplace<index>(std::forward<Outcome>(outcome));
        } catch (...) {
            link_->outcome.template emplace<2>(std::current_exception());
        }
        if (link_->home == &detail::this_agent_slot()) {
            auto* promise = static_cast<detail::SourcedPromise<T>*>(link_->waiter);
            if (promise != nullptr && promise->withdraw()) promise->settle();
        } else {
            core::process_table().notify(link_.get(), 1);
        }
    }

    void drop() noexcept {
        link_->is_broken = true;
        deliver<2>(detail::source_dropped());
    }

    std::shared_ptr<Link> link_;
};

template <class T>
std::pair<Promise<T>, PromiseSource<T>> make_promise(Agent& agent) {
    auto link = std::make_shared<detail::SourceLink<T>>();
    auto& promise = *new detail::SourcedPromise<T>(agent, link);
    promise.start();
    return {detail::PromiseAccess::handle_of<T>(promise), PromiseSource<T>(std::move(link))};
}

}  // namespace futon

#include <futon/detail/end.hpp>
