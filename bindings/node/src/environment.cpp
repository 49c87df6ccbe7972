// SPDX-License-Identifier: MIT
#include "environment.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <utility>

#include <futon/core/operation.hpp>
#include <futon/sync/async_lock.hpp>

#include "engine_promise.hpp"
#include "loop_watch.hpp"

namespace futon::node {

using core::process_table;
using Access = core::WaiterAccess;
using Clock = std::chrono::steady_clock;

namespace {

/// How long a blocked thread sleeps before it has its loop watched; most waits are shorter. If its loop cannot be watched, it
/// checks that often whether Node is ending it.
constexpr std::chrono::milliseconds slice{20};

/// How often it checks that while its loop is watched: for messages that Node sends together with one before, which the
/// thread was not ended for.
constexpr std::chrono::seconds long_slice{2};

PendingWait* next_of(PendingWait& wait) noexcept {
    return static_cast<PendingWait*>(Access::next(wait));
}

}  // namespace

void Environment::Chain::push_back(PendingWait& wait) noexcept {
    Access::next(wait) = nullptr;
    if (first_ == nullptr) {
        first_ = &wait;
    } else {
        Access::next(*last_) = &wait;
    }
    last_ = &wait;
}

void Environment::Chain::push_front(PendingWait& wait) noexcept {
    Access::next(wait) = first_;
    if (first_ == nullptr) last_ = &wait;
    first_ = &wait;
}

PendingWait& Environment::Chain::pop_front() noexcept {
    PendingWait& wait = *first_;
    first_ = next_of(wait);
    return wait;
}

/// What Node calls back when the owner is collected, which may be after the environment has ended.
struct Environment::Owner {
    Environment* environment;
};

Environment* Environment::open(napi_env env, std::int32_t thread_id, std::int32_t modules,
                               napi_value* mailbox) noexcept {
    void* memory = nullptr;
    uv_loop_t* loop = nullptr;
    if (napi_get_uv_event_loop(env, &loop) != napi_ok ||
        napi_create_arraybuffer(env, sizeof(Mailbox), &memory, mailbox) != napi_ok) {
        napi_throw_error(env, nullptr, "futon: this environment has no event loop");
        return nullptr;
    }
    auto* environment = new Environment(env, thread_id, *new (memory) Mailbox{}, *loop);
    environment->has_engine_promises_ = engine_promise::is_usable(modules);
    environment->offer_slots();
    must(napi_create_reference(env, *mailbox, 1, &environment->mailbox_buffer_), "napi_create_reference");

    must(napi_add_async_cleanup_hook(env, on_end, environment, &environment->cleanup_), "napi_add_async_cleanup_hook");
    return environment;
}

Environment::Environment(napi_env env, std::int32_t thread_id, Mailbox& mailbox, uv_loop_t& loop) noexcept
    : env_(env), thread_id_(thread_id), mailbox_(&mailbox), loop_(loop), held_locks_(thread_id), timers_(Clock::now()) {}

void Environment::belong_to(napi_value object) noexcept {
    owner_ = new Owner{this};
    must(napi_wrap(env_, object, owner_, on_collected, nullptr, nullptr), "napi_wrap");
}

void Environment::on_collected(napi_env, void* data, void*) {
    const std::unique_ptr<Owner> owner(static_cast<Owner*>(data));
    if (owner->environment == nullptr) return;
    owner->environment->owner_ = nullptr;
    owner->environment->close();
}

/// Before the first wait, so that a copy of lib/ that only was loaded costs its loop nothing.
void Environment::open_handles() noexcept {
    if (open_handles_ > 0) return;
    napi_value name = nullptr;
    must(napi_create_string_utf8(env_, "futon", NAPI_AUTO_LENGTH, &name), "napi_create_string_utf8");
    must(napi_async_init(env_, nullptr, name, &context_), "napi_async_init");
    // Pending waits keep the loop running, these handles by themselves do not.
    uv_async_init(&loop_, &async_, on_arrival);
    uv_timer_init(&loop_, &timer_);
    uv_prepare_init(&loop_, &prepare_);
    for (uv_handle_t* handle : handles()) {
        handle->data = this;
        uv_unref(handle);
        ++open_handles_;
    }
}

void Environment::set_callbacks(napi_value settle, napi_value nothing) noexcept {
    must(napi_create_reference(env_, settle, 0, &settle_), "napi_create_reference");
    must(napi_create_reference(env_, nothing, 0, &nothing_), "napi_create_reference");
}

void Environment::keep() noexcept {
    if (is_kept_) return;
    is_kept_ = true;
    open_handles();
    must(napi_reference_ref(env_, settle_, nullptr), "napi_reference_ref");
    uv_prepare_start(&prepare_, on_prepare);
}

void Environment::let_go_if_idle() noexcept {
    if (in_use_ > 0 || mailbox_->batch_size > 0 || !held_locks_.is_empty()) return;
    is_kept_ = false;
    must(napi_reference_unref(env_, settle_, nullptr), "napi_reference_unref");
    uv_prepare_stop(&prepare_);
}

bool Environment::acquired(AsyncLock& lock) noexcept {
    held_locks_.note(&lock);
    mailbox_->next_note = held_locks_.next_place();
    keep();
    return lock.take_abandonment();
}

void Environment::forget(const AsyncLock& lock) noexcept {
    mailbox_->taken_note = held_locks_.forget(&lock);
    mailbox_->next_note = held_locks_.next_place();
}

void Environment::add_chunk() {
    auto* chunk = static_cast<PendingWait*>(::operator new(chunk_size * sizeof(PendingWait)));
    const auto first_slot = static_cast<std::uint32_t>(chunks_.size() * chunk_size);
    chunks_.emplace_back(chunk, [](PendingWait* waits) {
        std::destroy_n(waits, chunk_size);
        ::operator delete(waits);
    });
    // The last one first, so that the slots are used in their order.
    for (std::uint32_t i = chunk_size; i-- > 0;) release(*new (&chunk[i]) PendingWait(*this, first_slot + i));
}

void Environment::offer_slots() noexcept {
    if (chunks_.empty()) {
        mailbox_->light_slot = 0;
        mailbox_->heavy_slot = PendingWait::light_slots;
        return;
    }
    mailbox_->light_slot = light_.is_empty() ? -1 : static_cast<std::int32_t>(light_.front().slot());
    // If none is free: the first of the chunk that will be added.
    mailbox_->heavy_slot = heavy_.is_empty() ? static_cast<std::int32_t>(chunks_.size() * chunk_size)
                                             : static_cast<std::int32_t>(heavy_.front().slot());
}

PendingWait& Environment::begin_wait(bool is_light) {
    if (chunks_.empty()) add_chunk();
    keep();
    Chain& free = is_light && !light_.is_empty() ? light_ : heavy_;
    if (free.is_empty()) add_chunk();
    PendingWait& wait = free.pop_front();
    offer_slots();
    return wait;
}

void Environment::release(PendingWait& wait) noexcept {
    end_work(wait);
    if (wait.is_in_use) --in_use_;
    wait.is_in_use = false;
    wait.reset();
    if (wait.is_light()) {
        light_.push_front(wait);
    } else {
        heavy_.push_front(wait);
    }
    offer_slots();
}

void Environment::give_back(PendingWait& wait) noexcept {
    release(wait);
}

void Environment::enqueued(PendingWait& wait) noexcept {
    wait.is_in_use = true;
    ++in_use_;
    begin_work(wait);
    arm(wait);
}

bool Environment::cancel(std::uint32_t slot) noexcept {
    PendingWait& wait = wait_at(slot);
    if (wait.limits() != nullptr) wait.limits()->is_cancelled = true;
    if (!process_table().dequeue(wait, WaitResult::cancelled)) return false;
    if (wait.is_for_lock()) core::left(*wait.limits()->locking);
    disarm(wait);
    release(wait);
    return true;
}

void Environment::set_work(std::uint32_t slot, bool is_work) noexcept {
    PendingWait& wait = wait_at(slot);
    if (is_work) {
        begin_work(wait);
    } else {
        end_work(wait);
    }
}

void Environment::begin_work(PendingWait& wait) noexcept {
    if (wait.is_work) return;
    wait.is_work = true;
    if (work_++ == 0) uv_ref(reinterpret_cast<uv_handle_t*>(&async_));
}

void Environment::end_work(PendingWait& wait) noexcept {
    if (!wait.is_work) return;
    wait.is_work = false;
    if (--work_ == 0) uv_unref(reinterpret_cast<uv_handle_t*>(&async_));
}

void Environment::arm(PendingWait& wait) noexcept {
    WaitLimits* limits = wait.limits();
    if (limits == nullptr) return;
    disarm(wait);
    Deadline end = limits->deadline;
    if (limits->locking) end = core::end_of_wait(*limits->locking, core::Caller::task, end);
    if (end.is_never()) return;
    limits->is_armed = true;
    timers_.arm(*limits, end.time_point());
    arm_loop_timer();
}

void Environment::disarm(PendingWait& wait) noexcept {
    if (wait.limits() != nullptr && std::exchange(wait.limits()->is_armed, false)) timers_.disarm(*wait.limits());
}

void Environment::arm_loop_timer() noexcept {
    const Clock::time_point next = timers_.next_deadline();
    if (next == Clock::time_point::max()) {
        uv_timer_stop(&timer_);
        return;
    }
    // The loop counts whole milliseconds of the same clock from `now`, which may be in the past. So the time point is
    // rounded up, and the loop gets the duration from `now` to it.
    const std::chrono::milliseconds due = std::chrono::ceil<std::chrono::milliseconds>(next.time_since_epoch());
    const std::uint64_t now = uv_now(&loop_);
    const auto time_point = static_cast<std::uint64_t>(due.count());
    if (uv_is_active(reinterpret_cast<uv_handle_t*>(&timer_)) != 0 &&
        uv_timer_get_due_in(&timer_) <= time_point - now && time_point > now)
        return;  // it fires in time
    uv_timer_start(&timer_, on_timer, time_point > now ? time_point - now : 0, 0);
}

void Environment::time_out(PendingWait& wait) noexcept {
    if (process_table().dequeue(wait, WaitResult::timed_out)) settled_.push_back(wait);
}

void Environment::deliver(PendingWait& wait) noexcept {
    if (std::this_thread::get_id() == thread_ && is_in_call_) {
        settled_.push_back(wait);
        return;
    }
    // The environment lives at least until this wait has arrived, and then until `senders_` is zero.
    ++senders_;
    PendingWait* newest = arrivals_.load();
    do {
        Access::next(wait) = newest;
    } while (!arrivals_.compare_exchange_weak(newest, &wait));
    if (newest == nullptr) uv_async_send(&async_);
    --senders_;
}

void Environment::collect_arrivals() noexcept {
    if (arrivals_.load() == nullptr) return;
    PendingWait* newest = arrivals_.exchange(nullptr);
    Chain in_order;
    while (newest != nullptr) in_order.push_front(*std::exchange(newest, next_of(*newest)));
    while (!in_order.is_empty()) settled_.push_back(in_order.pop_front());
}

bool Environment::is_over(PendingWait& wait, WaitResult& result) noexcept {
    result = wait.result();
    if (!wait.is_for_lock()) return true;

    WaitLimits& limits = *wait.limits();
    const bool is_abort = result == WaitResult::ok && limits.is_cancelled;  // if it does not lock now
    const Deadline deadline = is_abort ? Deadline(std::chrono::milliseconds(0)) : limits.deadline;
    const core::Progress progress = core::proceed<core::Caller::task>(*limits.locking, wait, result, deadline, {});
    if (progress == core::Progress::queued) {
        arm(wait);
        return false;
    }
    AsyncLock::Guard guard = limits.locking->result(core::to_ending(progress));
    result = guard.result();
    // JavaScript has a guard of its own.
    if (AsyncLock* lock = guard.release(); lock != nullptr && acquired(*lock)) result = abandoned;
    if (is_abort && result == WaitResult::timed_out) result = WaitResult::cancelled;
    return true;
}

void Environment::release_taken() noexcept {
    while (!taken_.is_empty()) release(taken_.pop_front());
}

void Environment::offer_settled() noexcept {
    if (mailbox_->batch_size == 0 && mailbox_->is_settling == 0) {
        take_settled();
    } else {
        mailbox_->has_more = 1;
    }
}

void Environment::take_settled() noexcept {
    release_taken();
    collect_arrivals();
    std::int32_t count = 0;
    while (count < Mailbox::max_batch && !settled_.is_empty()) {
        PendingWait& wait = settled_.pop_front();
        WaitResult result = WaitResult::ok;
        if (!is_over(wait, result)) continue;
        disarm(wait);
        const std::uint32_t has_promise = wait.has_promise;
        mailbox_->batch[static_cast<std::size_t>(count++)] =
            wait.slot() << 3 | has_promise << 2 | static_cast<std::uint32_t>(result);
        taken_.push_back(wait);
    }
    mailbox_->batch_size = count;
    mailbox_->has_more = settled_.is_empty() ? 0 : 1;
}

bool Environment::may_run_javascript() noexcept {
    const HandleScope scope(env_);
    napi_value nothing = nullptr;
    napi_value undefined = nullptr;
    napi_value result = nullptr;
    return napi_get_reference_value(env_, nothing_, &nothing) == napi_ok &&
           napi_get_undefined(env_, &undefined) == napi_ok &&
           napi_call_function(env_, undefined, nothing, 0, nullptr, &result) == napi_ok;
}

Environment::Wake Environment::sleep_long(InterruptibleWaiter& waiter, Deadline deadline) noexcept {
    const LoopWatch watch(loop_, waiter);
    while (true) {
        if (!may_run_javascript()) return Wake::ended;
        const Clock::time_point now = Clock::now();
        if (deadline.time_point() <= now) return Wake::due;
        const Clock::time_point next = now + (watch.is_active() ? Clock::duration(long_slice) : Clock::duration(slice));
        if (waiter.wait_until(std::min(next, deadline.time_point()))) return Wake::delivered;
    }
}

std::optional<WaitResult> Environment::sleep(InterruptibleWaiter& waiter, core::WaitQueues& table,
                                             Deadline deadline) noexcept {
    const Clock::time_point end_of_slice = Clock::now() + slice;
    if (waiter.wait_until(std::min(end_of_slice, deadline.time_point()))) return waiter.result();
    const Wake wake = deadline.time_point() <= end_of_slice ? Wake::due : sleep_long(waiter, deadline);
    if (waiter.drain() || wake == Wake::delivered) return waiter.result();
    if (wake == Wake::ended) return std::nullopt;
    if (table.dequeue(waiter, WaitResult::timed_out)) return WaitResult::timed_out;
    waiter.wait_for_delivery();  // [once] another thread dequeued it first
    return waiter.result();
}

void Environment::settle_in_callback() noexcept {
    const bool has_something = !settled_.is_empty() || arrivals_.load() != nullptr || mailbox_->batch_size > 0;
    if (settle_ == nullptr || !has_something) return;
    const HandleScope scope(env_);
    napi_value settle = nullptr;
    napi_value receiver = nullptr;
    must(napi_get_reference_value(env_, settle_, &settle), "napi_get_reference_value");
    must(napi_get_global(env_, &receiver), "napi_get_global");
    // Also runs the reactions of the promises: Node runs the microtasks after each callback.
    if (napi_make_callback(env_, context_, receiver, settle, 0, nullptr, nullptr) == napi_pending_exception) {
        napi_value error = nullptr;
        if (napi_get_and_clear_last_exception(env_, &error) == napi_ok) napi_fatal_exception(env_, error);
    }
}

void Environment::on_arrival(uv_async_t* async) {
    static_cast<Environment*>(async->data)->settle_in_callback();
}

void Environment::on_timer(uv_timer_t* timer) {
    auto& environment = *static_cast<Environment*>(timer->data);
    environment.timers_.advance(Clock::now());
    environment.arm_loop_timer();
    environment.settle_in_callback();
}

void Environment::on_prepare(uv_prepare_t* prepare) {
    auto& environment = *static_cast<Environment*>(prepare->data);
    if (environment.mailbox_->batch_size > 0) {
        environment.settle_in_callback();  // a call threw before it could, because the stack was full
    } else {
        environment.release_taken();
        environment.let_go_if_idle();
    }
}

void Environment::abandon_waits() noexcept {
    std::size_t on_their_way = 0;
    for (auto& chunk : chunks_) {
        for (std::size_t i = 0; i < chunk_size; ++i) {
            PendingWait& wait = chunk[i];
            if (!wait.is_in_use) continue;
            disarm(wait);
            if (!process_table().dequeue(wait, WaitResult::cancelled)) {
                ++on_their_way;
            } else if (wait.is_for_lock()) {
                core::left(*wait.limits()->locking);
            }
        }
    }
    while (!taken_.is_empty()) {
        taken_.pop_front();
        --on_their_way;
    }
    while (on_their_way > 0) {
        collect_arrivals();
        if (settled_.is_empty()) std::this_thread::yield();
        while (!settled_.is_empty()) {
            PendingWait& wait = settled_.pop_front();
            --on_their_way;
            // A lock that was handed off, or a wake-up of a lock's waiter, goes to the next waiter.
            if (wait.result() == WaitResult::ok && wait.is_for_lock()) core::abandon(*wait.limits()->locking, wait);
        }
    }
    while (senders_.load() > 0) std::this_thread::yield();
}

/// Node ends the thread.
void Environment::on_end(napi_async_cleanup_hook_handle, void* environment) {
    static_cast<Environment*>(environment)->close();
}

void Environment::close() noexcept {
    if (std::exchange(is_closing_, true)) return;
    abandon_waits();
    held_locks_.abandon_all();
    chunks_.clear();
    if (owner_ != nullptr) owner_->environment = nullptr;
    for (napi_ref reference : {settle_, nothing_, mailbox_buffer_})
        if (reference != nullptr) napi_delete_reference(env_, reference);
    if (open_handles_ == 0) {
        end();
        return;
    }
    napi_async_destroy(env_, context_);
    for (uv_handle_t* handle : handles()) uv_close(handle, on_closed);
}

void Environment::on_closed(uv_handle_t* handle) {
    auto* environment = static_cast<Environment*>(handle->data);
    if (--environment->open_handles_ == 0) environment->end();
}

void Environment::end() noexcept {
    napi_remove_async_cleanup_hook(cleanup_);
    delete this;
}

}  // namespace futon::node
