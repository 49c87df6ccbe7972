// SPDX-License-Identifier: MIT
#include "environment.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include <futon/core/operation/operation.hpp>
#include <futon/sync/async_lock.hpp>

namespace futon::node {

using core::process_table;
using Access = core::WaiterAccess;
using Clock = std::chrono::steady_clock;

namespace {

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

void Environment::acquired(AsyncLock& lock) noexcept {
    held_locks_.note(&lock);
    mailbox_->acquisition = held_locks_.last_acquisition();
    mailbox_->next_note = held_locks_.next_place();
    keep();
}

bool Environment::has_acquired(const AsyncLock& lock, std::int32_t acquisition) const noexcept {
    const int place = held_locks_.place_of(&lock);
    return place >= 0 && held_locks_.acquisition_at(place) == acquisition;
}

WaitResult Environment::take(AsyncLock::Guard guard) noexcept {
    const WaitResult result = guard.result();
    if (AsyncLock* lock = guard.release(); lock != nullptr) acquired(*lock);
    return result;
}

WaitResult Environment::take(Condition::Wakeup wakeup) noexcept {
    if (AsyncLock* lock = wakeup.guard.release(); lock != nullptr) acquired(*lock);
    return wakeup.result;
}

WaitResult Environment::to_wait_result(ChannelResult result) noexcept {
    switch (result) {
        case ChannelResult::ok:
            return WaitResult::ok;
        case ChannelResult::closed:
            return WaitResult::not_equal;
        case ChannelResult::timed_out:
        case ChannelResult::would_block:
            return WaitResult::timed_out;
        case ChannelResult::cancelled:
            break;
    }
    return WaitResult::cancelled;
}

WaitResult Environment::take(Received<ByteChannel::Message> received) noexcept {
    if (received) message_ = {std::move(received->bytes), received->kind};
    return to_wait_result(received.result());
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
    note_awake();
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
    if (wait.select() != nullptr) {
        if (!wait.select()->cancel()) return false;
        disarm(wait);
        release(wait);
        return true;
    }
    if (wait.has_outlasted() || !process_table().dequeue(wait, WaitResult::cancelled)) return false;
    if (wait.has_operation()) {
        if (std::holds_alternative<Condition::Waiting>(*wait.limits()->operation)) {  // it must lock again
            settled_.push_back(wait);
            uv_async_send(&async_);
            return false;
        }
        std::visit([](auto& op) { core::left(op); }, *wait.limits()->operation);
    }
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
    if (limits->deadline.is_never() || wait.has_outlasted()) return;
    limits->is_armed = true;
    timers_.arm(*limits, limits->deadline.time_point());
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
    if (wait.select() != nullptr ? wait.select()->claim_timed_out()
                                 : process_table().dequeue(wait, WaitResult::timed_out))
        settled_.push_back(wait);
}

void Environment::deliver(PendingWait& wait) noexcept {
    if (is_here() && is_in_call_) {
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

/// Until JavaScript settles the wait.
void Environment::keep_message(PendingWait& wait) noexcept {
    wait.limits()->message = std::move(message_);
}

bool Environment::is_select_over(PendingWait& wait, WaitResult& result) noexcept {
    pace_.note_arrival();
    PendingSelect& select = *wait.select();
    if (!select.proceed()) {  // it was woken in vain
        if (wait.limits()->is_cancelled && select.cancel()) {
            result = WaitResult::cancelled;
            return true;
        }
        if (select.start()) {
            arm(wait);
            return false;
        }
    }
    result = select.selection().take_result(*this);
    keep_message(wait);
    return true;
}

bool Environment::is_over(PendingWait& wait, WaitResult& result) noexcept {
    if (wait.select() != nullptr) return is_select_over(wait, result);
    result = wait.result();
    if (!wait.has_operation()) return true;

    pace_.note_arrival();
    WaitLimits& limits = *wait.limits();
    const bool is_abort = result == WaitResult::ok && limits.is_cancelled;  // if it does not lock now
    const Deadline deadline = is_abort ? Deadline(std::chrono::milliseconds(0)) : limits.deadline;
    const bool is_queued = std::visit(
        [&](auto& op) {
            const PromiseCall call(std::remove_cvref_t<decltype(op)>::name, !deadline.is_never(), &wait);
            const core::Progress progress = core::proceed<core::Caller::task>(op, wait, result, deadline);
            if (progress == core::Progress::queued) return true;
            result = take(op.result(core::to_ending(progress)));
            return false;
        },
        *limits.operation);
    if (!is_queued) keep_message(wait);
    if (is_queued) {
        arm(wait);
        return false;
    }
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
    auto& environment = *static_cast<Environment*>(async->data);
    environment.note_awake();
    environment.settle_in_callback();
}

void Environment::on_timer(uv_timer_t* timer) {
    auto& environment = *static_cast<Environment*>(timer->data);
    environment.timers_.advance(Clock::now());
    environment.arm_loop_timer();
    environment.settle_in_callback();
}

}  // namespace futon::node
