// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <cstddef>
#include <exception>
#include <memory>
#include <utility>

#include <futon/agent.hpp>
#include <futon/detail/loop/sourced_promise.hpp>
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

/// Settles one promise by hand, once, from any thread. `make_promise` makes both. Use it where the result comes from a
/// worker thread, or from the callback of another library. For more than one value, use `Channel`.
///
///     auto [promise, source] = futon::make_promise<std::string>();
///     http.get(url, [source = std::move(source)](std::string page) mutable { source.fulfil(std::move(page)); });
///     std::string page = co_await std::move(promise);
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
    PromiseSource& operator=(PromiseSource&& other) noexcept;
    ~PromiseSource();

    /// Whether this source has settled its promise, or was moved from.
    bool is_settled() const noexcept { return link_ == nullptr || link_->is_settled.load(); }

    /// Settles the promise with a value made from `args`.
    ///
    /// Throws  std::logic_error if it was settled before; what constructing the value throws: the promise is still
    ///         pending then. If moving the value throws, the promise is rejected with that exception
    template <class... Args>
    void fulfil(Args&&... args);

    /// Settles the promise with an exception.
    ///
    /// Throws  std::logic_error as `fulfil`; std::invalid_argument if `exception` is null: the promise is still pending
    ///         then
    void reject(std::exception_ptr exception);

private:
    friend std::pair<Promise<T>, PromiseSource<T>> make_promise<T>(Agent&);

    explicit PromiseSource(std::shared_ptr<Link> link) noexcept : link_(std::move(link)) {}

    template <std::size_t index, class Outcome>
    void settle(Outcome&& outcome);
    template <std::size_t index, class Outcome>
    void deliver(Outcome&& outcome) noexcept;
    void drop() noexcept;

    std::shared_ptr<Link> link_;
};

}  // namespace futon

#include <futon/detail/loop/promise_settling.hpp>  // how a source settles its promise

#include <futon/detail/end.hpp>
