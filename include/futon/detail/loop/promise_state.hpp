// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <coroutine>
#include <cstdint>
#include <exception>
#include <type_traits>
#include <utility>
#include <variant>

#include <futon/agent.hpp>
#include <futon/core/probe.hpp>
#include <futon/detail/contract.hpp>
#include <futon/detail/export.hpp>
#include <futon/detail/loop/reused_memory.hpp>
#include <futon/executor.hpp>

namespace futon::detail {

/// What runs when a promise settles: a job that waits in the promise's list, then in its executor's queue. If the agent
/// ends first, it is discarded.
class FUTON_API Reaction : public Job, private RingLinks {
public:
    /// Reacts on an agent of the calling thread. Throws NoExecutor.
    explicit Reaction(Agent& agent) : agent_(&agent) { agent.require_executor(); }

protected:
    virtual ~Reaction() = default;

    /// Whether `discard` ends a coroutine, which closing its agent is to do also where the promise has settled.
    virtual bool is_of_coroutine() const noexcept { return false; }

private:
    friend class PromiseStateBase;
    friend class futon::Agent;
    enum class Stage : std::uint8_t { idle, listed, posted };

    /// Leaves the ring of its agent that it is in.
    void leave() noexcept {
        unlink();
        stage_ = Stage::idle;
    }

    union {
        Agent* agent_;        // until it is posted
        Executor* executor_;  // once it is posted: the agent may end first
    };
    Job** link_ = nullptr;  // while listed: where the pointer to it is
    PromiseStateBase* promise_ = nullptr;
    Stage stage_ = Stage::idle;
};

/// What all promises share, whatever their value: a count of references, a list of reactions, the rules of dropping.
///
/// Threads  the agent's own only; that is why nothing here is atomic.
class FUTON_API PromiseStateBase : public InReusedMemory {
public:
    PromiseStateBase() noexcept;
    PromiseStateBase(const PromiseStateBase&) = delete;
    PromiseStateBase& operator=(const PromiseStateBase&) = delete;

    void retain() noexcept { ++references_; }
    void release() noexcept;

    /// The one handle that the user holds is gone.
    void drop_handle() noexcept;

    /// Runs `reaction` once the promise has settled, posted to the reaction's executor. Counts as listening.
    void add_reaction(Reaction& reaction) noexcept {
        observe();
        react(reaction);
    }

    /// The same, for a reaction that may turn away from what the promise settles with. It must be added by a watcher.
    void react(Reaction& reaction) noexcept;

    /// A watcher may take what this promise settles with, or leave it. An exception that all watchers have left counts as
    /// unseen, unless something listens.
    void begin_watching() noexcept;
    void end_watching() noexcept;

    /// Takes a reaction back, wherever it is. Returns false if its executor has it and does not give it back.
    static bool remove_reaction(Reaction& reaction) noexcept;

    /// Discards a reaction whose promise is still pending.
    static void discard_listed(Reaction& reaction) noexcept;

    /// Discards a reaction that is posted. Returns false if its executor does not give it back.
    static bool discard_posted(Reaction& reaction) noexcept;

    /// Tells a reaction that it runs or is discarded, so that nothing takes it back any more.
    static void mark_delivered(Reaction& reaction) noexcept { reaction.leave(); }

    bool is_settled() const noexcept { return status_ == Status::fulfilled || status_ == Status::rejected; }
    bool is_pending() const noexcept { return status_ == Status::pending; }
    bool is_abandoned() const noexcept { return status_ == Status::abandoned; }

    /// Whether nothing will ever see what it settles with.
    bool is_unreachable() const noexcept { return !has_handle_ && reactions_ == nullptr; }

    /// The exception that this promise may carry has been seen, or will be.
    void observe() noexcept { observed_ = true; }

    /// Lets the event loop end while this promise is pending. Only waits hold a loop.
    virtual void unref() noexcept {}

    /// This promise will never settle. What listens to it ends with its own agent.
    void abandon() noexcept;

protected:
    virtual ~PromiseStateBase() = default;

    /// The promise is pending, its handle is gone and nothing listens.
    virtual void on_dropped() noexcept {}

    virtual std::exception_ptr exception() const noexcept = 0;

    void settle_fulfilled() noexcept;
    void settle_rejected() noexcept;

private:
    enum class Status : std::uint8_t { pending, fulfilled, rejected, abandoned };

    void settle(Status status) noexcept;
    void list(Reaction& reaction) noexcept;
    void unlist(Reaction& reaction) noexcept;
    static void post(Reaction& reaction) noexcept;
    void report_if_unobserved() noexcept;
    void check_thread() const noexcept;

    static constexpr std::uint8_t many = 255;

    Job* reactions_ = nullptr;  // the newest first
    const void* home_;          // the slot of the thread it belongs to
    std::uint32_t generation_;  // of the process that made it [fork]
    std::uint32_t references_ = 1;
    Status status_ = Status::pending;
    bool observed_ = false;
    bool has_handle_ = true;
    std::uint8_t watchers_ = 0;  // `many`: not counted any more
};

/// A reference to a promise's state that keeps it alive.
template <class State>
class StateRef {
public:
    explicit StateRef(State& state) noexcept : state_(&state) { state.retain(); }
    StateRef(StateRef&& other) noexcept : state_(std::exchange(other.state_, nullptr)) {}
    StateRef& operator=(StateRef&&) = delete;
    ~StateRef() {
        if (state_ != nullptr) state_->release();
    }

    State& operator*() const noexcept { return *state_; }
    State* operator->() const noexcept { return state_; }
    explicit operator bool() const noexcept { return state_ != nullptr; }

private:
    State* state_;
};

struct Nothing {};

[[noreturn]] FUTON_API void throw_broken_promise();
[[noreturn]] FUTON_API void throw_moved_promise();

template <class T>
class PromiseState : public PromiseStateBase {
public:
    using Value = std::conditional_t<std::is_void_v<T>, Nothing, T>;

    template <class... Args>
    void fulfil(Args&&... args) {
        set_value(std::forward<Args>(args)...);
        settle_fulfilled();
    }

    void reject(std::exception_ptr exception) noexcept {
        set_exception(std::move(exception));
        settle_rejected();
    }

    /// The outcome that `settle` will give it, unless another is set before.
    template <class... Args>
    void set_value(Args&&... args) {
        outcome_.template emplace<1>(std::forward<Args>(args)...);
    }
    void set_exception(std::exception_ptr exception) noexcept { outcome_.template emplace<2>(std::move(exception)); }

    void settle() noexcept {
        if (outcome_.index() == 2) {
            settle_rejected();
        } else {
            settle_fulfilled();
        }
    }

    /// The value of a settled promise; throws what it was rejected with, or std::logic_error if it will never settle.
    Value& value() {
        observe();
        if (outcome_.index() == 0) throw_broken_promise();
        if (outcome_.index() == 2) std::rethrow_exception(std::get<2>(outcome_));
        return std::get<1>(outcome_);
    }

protected:
    std::exception_ptr exception() const noexcept final {
        const auto* held = std::get_if<2>(&outcome_);
        return held == nullptr ? nullptr : *held;
    }

private:
    std::variant<std::monostate, Value, std::exception_ptr> outcome_;
};

/// The state of a promise that was fulfilled with nothing, with a reference for the caller. It is one for all of a thread, for nothing tells
/// such promises apart.
FUTON_API PromiseState<void>& fulfilled_with_nothing();

/// Whether P is the promise type of a coroutine that returns a futon::Promise.
template <class P>
inline constexpr bool is_own_coroutine = false;

/// A suspended coroutine, and what becomes of it.
class FUTON_API Continuation {
public:
    Continuation() noexcept = default;

    template <class P>
    explicit Continuation(std::coroutine_handle<P> coroutine) noexcept
        : coroutine_(coroutine), is_own_(is_own_coroutine<P>) {}

    void resume() const { coroutine_.resume(); }

    /// What it waits for will not come. A coroutine of ours is destroyed; the frame of any other belongs to another
    /// library, so it is resumed, and what it awaits tells it.
    void abandon() const {
        if (is_own_) {
            coroutine_.destroy();
        } else {
            coroutine_.resume();
        }
    }

private:
    std::coroutine_handle<> coroutine_;
    bool is_own_ = false;
};

/// When a coroutine that awaits a settled promise goes on.
enum class Resume { at_once, always_later };

/// Resumes a coroutine when a promise settles; lives in the coroutine's frame. `Result` is what `co_await` gives: void,
/// a const reference to the value, or the value, moved out.
template <class T, class Result, Resume resume = Resume::at_once>
class PromiseAwaiter final : private Reaction {
public:
    explicit PromiseAwaiter(PromiseState<T>& state) : Reaction(Agent::current()), state_(state) {
        if (state.is_abandoned()) throw_broken_promise();
    }

    ~PromiseAwaiter() override {
        expects(PromiseStateBase::remove_reaction(*this),
                "a coroutine must not be destroyed while its wake is on its way to an executor that cannot retract it");
    }

    bool await_ready() const noexcept {
        if constexpr (core::probe::is_enabled) return false;  // so that the coroutine is known
        return resume == Resume::at_once && state_->is_settled();
    }

    template <class P>
    auto await_suspend(std::coroutine_handle<P> coroutine) noexcept(!core::probe::is_enabled) {
        continuation_ = Continuation(coroutine);
        if constexpr (core::probe::is_enabled) {
            return must_wait(coroutine.address());
        } else {
            state_->add_reaction(*this);
        }
    }

    Result await_resume() {
        if constexpr (std::is_void_v<Result>) {
            state_->value();
        } else {
            return static_cast<Result&&>(state_->value());
        }
    }

private:
    bool is_of_coroutine() const noexcept override { return true; }

    void run() noexcept override {
        PromiseStateBase::mark_delivered(*this);
        wait_.end();
        continuation_.resume();
    }

    void discard() noexcept override {
        PromiseStateBase::mark_delivered(*this);
        continuation_.abandon();
    }

    /// Only where a probe asks. What throws ends the wait.
    bool must_wait(const void* frame) {
        const auto* const promise = static_cast<const PromiseStateBase*>(&*state_);
        if (state_->is_settled()) core::probe::promise_taken(frame, promise);
        if (resume == Resume::at_once && state_->is_settled()) return false;
        state_->add_reaction(*this);
        if (!state_->is_pending()) return true;
        wait_.begin(frame, promise, "futon::Promise::co_await", false);
        try {
            wait_.look(frame);
        } catch (...) {
            static_cast<void>(PromiseStateBase::remove_reaction(*this));  // it is listed: nothing has run meanwhile
            throw;
        }
        return true;
    }

    StateRef<PromiseState<T>> state_;
    Continuation continuation_;
    [[no_unique_address]] core::probe::PromiseWait wait_;
};

}  // namespace futon::detail

#include <futon/detail/end.hpp>
