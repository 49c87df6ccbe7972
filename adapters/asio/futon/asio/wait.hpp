// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <new>
#include <optional>
#include <stop_token>
#include <utility>

#include <futon/asio/namespace.hpp>
#include <futon/asio/post_room.hpp>
#include <futon/asio/service.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/deadline.hpp>

namespace futon::asio::detail {

/// A stop token that is already stopped, or one that never is.
inline const std::stop_token& stop_if(bool is_requested) {
    static const std::stop_token never;
    static const std::stop_token requested = [] {
        std::stop_source source;
        source.request_stop();
        return source.get_token();
    }();
    return is_requested ? requested : never;
}

/// The executor of `use_future`'s handlers names no place: it runs a function at once, or on Asio's own thread. What it is for is
/// to catch what the function throws, for the future. Asio has no public name for it.
template <class Executor>
inline constexpr bool catches_for_future = false;
template <class... Ts>
inline constexpr bool catches_for_future<net::detail::promise_executor<Ts...>> = true;

template <class Handler>
inline constexpr bool sets_future =
    catches_for_future<typename net::associated_executor<Handler, net::system_executor>::type>;

/// What a step of a wait returns: it has ended with a result, or it waits.
enum class Step : std::uint8_t { ended, waits };

/// One pending wait: the handler, the awaited operation, and the waiter, in one block from the handler's allocator.
///
/// `Machine` is an operation with its waiter, or a select. It has
///
///     try_now(), start(),
///     proceed(is_cancelled)           a step, on the waiting thread, under the guard. Nothing is queued before `start`
///     finish(result), expire(),
///     take_out()                      take the waiter out of its queue. True if the call did: then no delivery follows
///     end_of_wait()                   when to call `expire`. That does nothing to a waiter that is in no queue then:
///                                     the waiter's next step sees that the time is over
///     discard()                       the caller is gone; the waiter is in no queue
///     take_result(), was_cancelled()  once a step has ended it
///
/// References to the block are held by the wait itself, until it has ended; by a thread that is in one of its
/// functions; by a timer's handler; and by the cancellation slot's handler. A delivery uses the wait's reference.
///
/// Steps run on the handler's executor, which may have several threads. `busy_` orders them with the timer's handler
/// and the slot's. Wakers do not use `busy_`: the queue decides which of them dequeued the waiter. [once]
template <class Machine, class Handler, class Executor>
class Wait final : public PendingBase {
    using Allocator =
        typename std::allocator_traits<typename net::associated_allocator<Handler>::type>::template rebind_alloc<Wait>;
    using TimerExecutor = decltype(timer_executor_of(std::declval<const Executor&>()));
    using Timer = net::basic_waitable_timer<std::chrono::steady_clock, net::wait_traits<std::chrono::steady_clock>,
                                            TimerExecutor>;

public:
    /// If allocator, timer, slot, or an executor without a context throws, nothing is done; the handler is destroyed.
    template <class... Args>
    static void start(Handler& handler, const Executor& executor, Args&&... args) {
        Service& service = Service::of(context_of(executor));
        Allocator allocator(net::get_associated_allocator(handler));
        Wait* const memory = std::allocator_traits<Allocator>::allocate(allocator, 1);
        Wait* wait = nullptr;
        try {
            wait = new (static_cast<void*>(memory))
                Wait(allocator, service, handler, executor, std::forward<Args>(args)...);
        } catch (...) {
            std::allocator_traits<Allocator>::deallocate(allocator, memory, 1);
            throw;
        }
        wait->begin();
    }

    void deliver() noexcept override {
        Service& owed = service();
        post();
        owed.settle();
    }

    bool is_here() const noexcept override {
        return context_ ? context_->running_in_this_thread() : runs_here(work_->get_executor());
    }

private:
    class Reference {
    public:
        explicit Reference(Wait& wait) noexcept : wait_(&wait) {
            wait.references_.fetch_add(1, std::memory_order_relaxed);  // the caller has a reference
        }
        Reference(Reference&& other) noexcept : wait_(std::exchange(other.wait_, nullptr)) {}
        Reference& operator=(Reference&&) = delete;
        ~Reference() {
            if (wait_ != nullptr) wait_->release();
        }
        Wait* operator->() const noexcept { return wait_; }

    private:
        Wait* wait_;
    };

    /// The posted completion.
    class Arrival {
    public:
        using allocator_type = PostAllocator<void*>;

        explicit Arrival(Wait& wait) noexcept : wait_(&wait), room_(&wait.room_) {}
        Arrival(Arrival&& other) noexcept : wait_(std::exchange(other.wait_, nullptr)), room_(other.room_) {}
        Arrival& operator=(Arrival&&) = delete;
        ~Arrival() {
            if (wait_ != nullptr) wait_->discard_delivered();  // the context ends
        }

        allocator_type get_allocator() const noexcept { return allocator_type(*room_); }
        void operator()() { std::exchange(wait_, nullptr)->arrive(); }

    private:
        Wait* wait_;
        PostRoom* room_;
    };

    struct OnTimer {
        using allocator_type = typename net::associated_allocator<Handler>::type;

        Reference wait;
        allocator_type allocator;

        allocator_type get_allocator() const noexcept { return allocator; }
        void operator()(const error_code& error) {
            if (!error) wait->expire();
        }
    };

#if FUTON_ASIO_VERSION >= 101900
    struct OnCancel {
        explicit OnCancel(Wait& cancelled) noexcept : wait(cancelled) {}
        Reference wait;
        void operator()(net::cancellation_type type) noexcept {
            if (type != net::cancellation_type::none) wait->cancel();
        }
    };
#endif

    template <class... Args>
    Wait(const Allocator& allocator, Service& service, Handler& handler, const Executor& executor, Args&&... args)
        : PendingBase(service),
          allocator_(allocator),
          context_(context_executor_in(executor)),
          work_(std::in_place, executor),
          handler_(std::in_place, std::move(handler)) {
        machine_.emplace(*this, service.context(), std::forward<Args>(args)...);
    }
    ~Wait() = default;

    /// Once the waiter is queued, the release of the guard is the last touch of this call: the next step takes the guard first.
    void begin() {
        try {
            if (try_or_enqueue() == Step::waits) return;
        } catch (...) {
            refuse();
            throw;
        }
        try_post();  // never inside the initiating call
    }

    /// Everything that can fail comes before the enqueueing. [enqueue-safe]
    Step try_or_enqueue() {
#if FUTON_ASIO_VERSION >= 101900
        // Before the enqueueing, because the completion clears the slot.
        auto slot = net::get_associated_cancellation_slot(*handler_);
        if (slot.is_connected()) slot.template emplace<OnCancel>(*this);
#endif
        const Guard guard(busy_);
        if (machine_->try_now() == Step::waits) {
            arm();
            service().add(*this);
            if (machine_->start() == Step::waits) return Step::waits;
        }
        is_ended_ = true;
        return Step::ended;
    }

    /// The wait is in no queue, its timer is not armed, and the caller gets an exception.
    void refuse() noexcept {
        clear_slot();
        is_ended_ = true;
        [[maybe_unused]] const std::optional<Handler> handler(std::move(handler_));  // destroyed last
        drop();
        release();
    }

    /// Throws what the executor throws. The posted function is destroyed then, and with it the wait.
    void try_post() {
        // An `any` executor allocates for its posts; a context's own executor uses the room in the wait.
        if (context_) {
            const net::io_context::executor_type executor = *context_;
            net::post(executor, Arrival(*this));
        } else {
            const Executor executor = work_->get_executor();
            net::post(executor, Arrival(*this));
        }
    }

    void post() noexcept {
        try {
            try_post();
        } catch (...) {
            std::fputs("futon::asio: an executor's post does not throw while a wait is pending\n", stderr);
            std::abort();
        }
    }

    void arrive() {
        service().pace().note_arrival();
        step([] { return true; });
    }

    /// Called by the timer's handler, which has a reference.
    void expire() {
        step([this] {
            if (is_ended_ || !machine_->expire()) return false;
            service().settle();
            return true;
        });
    }

    /// Continues on the handler's executor, if `dequeued` says so.
    template <class F>
    void step(F dequeued) {
        {
            const Guard guard(busy_);
            if (!dequeued()) return;
            if (!is_ended_ && machine_->proceed(is_cancelled_) == Step::waits) return;
            is_ended_ = true;
            timer_.reset();
            clear_slot();
        }
        if constexpr (sets_future<Handler>) {
            const auto catching = net::get_associated_executor(*handler_);
            net::dispatch(catching, [this] { complete(); });  // here, at once
        } else {
            complete();
        }
    }

    /// The wait has ended: other threads can only find that out.
    void complete() {
        service().remove(*this);
        const auto work = std::move(*work_);
        Handler handler(std::move(*handler_));
        const bool was_cancelled = machine_->was_cancelled();
        typename Machine::Result result = [&] {
            const End ending(*this);  // frees the memory before the handler starts new work
            return machine_->take_result();
        }();
        std::move(handler)(was_cancelled ? error_code(net::error::operation_aborted) : error_code(), std::move(result));
    }

    /// No other thread uses what is dropped here: each asks first, under the guard, whether the wait has ended.
    struct End {
        explicit End(Wait& ended) noexcept : wait(ended) {}
        ~End() {
            wait.drop();
            wait.release();
        }
        Wait& wait;
    };

    void drop() noexcept {
        machine_.reset();
        handler_.reset();
        timer_.reset();
        work_.reset();
    }

    void clear_slot() noexcept {
#if FUTON_ASIO_VERSION >= 101900
        auto slot = net::get_associated_cancellation_slot(*handler_);
        if (slot.is_connected()) slot.clear();
#endif
    }

    /// Once per wait: a waiter that is woken in vain keeps its original deadline.
    void arm() {
        const Deadline end = machine_->end_of_wait();
        if (end.is_never()) return;
        timer_.emplace(timer_executor_of(work_->get_executor()));
        timer_->expires_at(end.time_point());
        timer_->async_wait(OnTimer{Reference(*this), net::get_associated_allocator(*handler_)});
    }

    /// Called by the cancellation slot, on the thread that emits the signal. The handler never runs inside this call.
    void cancel() noexcept {
        const Reference self(*this);  // the completion clears the slot
        {
            const Guard guard(busy_);
            if (is_ended_) return;
            is_cancelled_ = true;
            if (!machine_->finish(WaitResult::cancelled)) return;  // its delivery is under way, and will see it
        }
        deliver();
    }

    void shut_down() noexcept override {
        const Reference self(*this);
        bool is_dequeued = false;
        {
            const Guard guard(busy_);
            is_dequeued = !is_ended_ && machine_->take_out();
        }
        if (!is_dequeued) return;  // the posted delivery ends it
        service().settle();
        discard();
    }

    void discard_delivered() noexcept {
        service().remove(*this);
        discard();
    }

    void discard() noexcept {
        {
            [[maybe_unused]] const std::optional<Handler> handler =
                take_all();  // its destructor may end other waits, and a coroutine's frame
        }
        release();
    }

    std::optional<Handler> take_all() noexcept {
        const Guard guard(busy_);
        machine_->discard(is_ended_);
        is_ended_ = true;
        std::optional<Handler> handler(std::move(handler_));
        drop();
        return handler;
    }

    void release() noexcept {
        const bool is_only = references_.load(std::memory_order_acquire) == 1;  // with the other decrements
        if (!is_only && references_.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
        Allocator allocator(allocator_);
        this->~Wait();
        std::allocator_traits<Allocator>::deallocate(allocator, this, 1);
    }

    Allocator allocator_;
    std::atomic<std::uint32_t> references_{1};
    std::atomic_flag busy_{};
    bool is_ended_ = false;      // a step has ended it; its completion may still follow
    bool is_cancelled_ = false;  // by the cancellation slot
    const std::optional<net::io_context::executor_type> context_;  // what the handler's executor holds, if it tells
    std::optional<net::executor_work_guard<Executor>> work_;
    std::optional<Handler> handler_;
    std::optional<Machine> machine_;
    std::optional<Timer> timer_;
    PostRoom room_;
};

}  // namespace futon::asio::detail

#include <futon/detail/end.hpp>
