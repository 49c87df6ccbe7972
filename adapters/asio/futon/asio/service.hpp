// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <atomic>
#include <concepts>
#include <cstddef>
#include <optional>
#include <thread>
#include <type_traits>
#include <typeinfo>

#include <futon/asio/namespace.hpp>
#include <futon/core/operation/pace.hpp>

namespace futon::asio::detail {

/// A lock that is held for a few instructions, and calls of a table.
class Guard {
public:
    explicit Guard(std::atomic_flag& flag) noexcept : flag_(flag) {
        while (flag_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();  // with the release below
    }
    ~Guard() { flag_.clear(std::memory_order_release); }  // with the acquire above
    Guard(const Guard&) = delete;
    Guard& operator=(const Guard&) = delete;

private:
    std::atomic_flag& flag_;
};

class Service;

/// A wait that is pending in a context. The service lists it from its first enqueueing until it ends.
class PendingBase {
public:
    PendingBase(const PendingBase&) = delete;
    PendingBase& operator=(const PendingBase&) = delete;

    /// Its waiter was dequeued. Called once, under no lock, by the thread that dequeued it. [last-touch]
    virtual void deliver() noexcept = 0;

    /// Whether the calling thread runs the handler's executor, as far as the executor tells.
    virtual bool is_here() const noexcept = 0;

    Service& service() const noexcept { return service_; }

protected:
    explicit PendingBase(Service& service) noexcept : service_(service) {}
    ~PendingBase() = default;

private:
    friend class Service;

    /// The context ends: leaves the queue, unless a waker was faster, and destroys the handler then.
    virtual void shut_down() noexcept = 0;

    Service& service_;
    PendingBase* previous_ = nullptr;
    PendingBase* next_ = nullptr;
    bool is_listed_ = false;
};

/// The pending waits of an execution context.
///
/// When the context ends, its services are shut down in reverse order of construction, before any is destroyed.
/// `owed_`, the number of enqueued waiters whose delivery has not been posted, orders this with wakers on other
/// threads:
///
///   - Each thread raises it before it enqueues a waiter. The thread that dequeues the waiter lowers it: a waker after
///     its post, when it no longer uses the executor. That is a waker's last touch, so the waiter may be gone by then.
///   - Shutdown dequeues all that it can, and waits until nothing is owed. A waker that was faster has posted by then.
///     The scheduler destroys that post: it was made first, so it is shut down later.
class Service final : public net::execution_context::service {
public:
    using key_type = Service;
    inline static net::execution_context::id id;

    explicit Service(net::execution_context& context) : net::execution_context::service(context) {}
    ~Service() override { ends().fetch_add(1, std::memory_order_release); }  // with the acquire in `of`

    /// Returns the service of a context. Asio's own lookup takes a lock and searches all services, so each thread
    /// remembers the last result, until any service has ended.
    static Service& of(net::execution_context& context) {
        struct Last {
            const net::execution_context* context = nullptr;
            Service* service = nullptr;
            std::size_t ends = 0;
        };
        thread_local Last last;
        const std::size_t now = ends().load(std::memory_order_acquire);  // with the release above
        if (last.context != &context || last.ends != now) last = {&context, &net::use_service<Service>(context), now};
        return *last.service;
    }

    void add(PendingBase& wait) noexcept {
        const Guard hold(busy_);
        wait.is_listed_ = true;
        wait.previous_ = nullptr;
        wait.next_ = first_;
        if (first_ != nullptr) first_->previous_ = &wait;
        first_ = &wait;
    }

    void remove(PendingBase& wait) noexcept {
        const Guard hold(busy_);
        if (wait.is_listed_) unlink(wait);
    }

    /// When handlers of the context run, as far as known: the context is what an agent's loop is elsewhere.
    core::Pace& pace() noexcept { return pace_; }

    void owe() noexcept {
        owed_.fetch_add(1, std::memory_order_relaxed);  // the queue's lock orders it before the delivery
    }
    void settle() noexcept {
        owed_.fetch_sub(1, std::memory_order_release);  // with the acquire in shutdown
    }

private:
    static std::atomic<std::size_t>& ends() noexcept {
        static std::atomic<std::size_t> count{0};
        return count;
    }

    void shutdown() noexcept override {
        while (PendingBase* wait = take_first()) wait->shut_down();
        while (owed_.load(std::memory_order_acquire) != 0) std::this_thread::yield();  // with the release in settle
    }

    PendingBase* take_first() noexcept {
        const Guard hold(busy_);
        PendingBase* const wait = first_;
        if (wait != nullptr) unlink(*wait);
        return wait;
    }

    void unlink(PendingBase& wait) noexcept {
        (wait.previous_ != nullptr ? wait.previous_->next_ : first_) = wait.next_;
        if (wait.next_ != nullptr) wait.next_->previous_ = wait.previous_;
        wait.is_listed_ = false;
    }

    std::atomic_flag busy_{};
    PendingBase* first_ = nullptr;
    std::atomic<std::size_t> owed_{0};
    core::Pace pace_;
};

template <class Executor>
inline constexpr bool has_context = net::can_query<Executor, net::execution::context_t>::value;

/// The context of an executor, in either of Asio's executor models. An executor without one is treated as the system's.
template <class Executor>
net::execution_context& context_of(const Executor& executor) {
    if constexpr (!net::execution::is_executor<Executor>::value) {
        return executor.context();
    } else if constexpr (has_context<Executor>) {
        return net::query(executor, net::execution::context);
    } else {
        return net::query(net::system_executor(), net::execution::context);
    }
}

/// The context's executor inside an executor of any type; nothing if it is another, or does not tell.
template <class Executor>
std::optional<net::io_context::executor_type> context_executor_in([[maybe_unused]] const Executor& executor) noexcept {
    using Held = net::io_context::executor_type;
    if constexpr (std::is_same_v<Executor, Held>) return executor;
#ifdef __cpp_rtti
    // clang-format off
    if constexpr (requires {
                      { executor.target_type() } -> std::same_as<const std::type_info&>;
                      { executor.template target<Held>() } -> std::same_as<const Held*>;
                  }) {
        // Asked first, because any_io_executor accepts any requested type.
        if (executor.target_type() == typeid(Held)) return *executor.template target<Held>();
    }
    // clang-format on
#endif
    return std::nullopt;
}

/// Whether the calling thread is running the executor; false also if the executor does not tell.
template <class Executor>
bool runs_here(const Executor& executor) noexcept {
    if constexpr (requires { executor.running_in_this_thread(); }) {
        return executor.running_in_this_thread();
    } else {
        const auto held = context_executor_in(executor);
        return held && held->running_in_this_thread();
    }
}

/// An executor that a timer can use.
template <class Executor>
auto timer_executor_of(const Executor& executor) {
    if constexpr (!net::execution::is_executor<Executor>::value || has_context<Executor>) {
        return executor;
    } else {
        return net::system_executor();
    }
}

}  // namespace futon::asio::detail

#include <futon/detail/end.hpp>
