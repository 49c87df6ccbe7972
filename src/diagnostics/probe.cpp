// SPDX-License-Identifier: MIT
#include <futon/core/probe.hpp>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <string_view>
#include <utility>
#include <vector>

#include <futon/limits.hpp>
#include <futon/sync/shared_lock.hpp>

#include "diagnostics/deadlock.hpp"
#include "diagnostics/environment.hpp"
#include "diagnostics/lock_order.hpp"
#include "diagnostics/profile.hpp"
#include "diagnostics/registry.hpp"
#include "diagnostics/runtime.hpp"
#include "diagnostics/sampling.hpp"
#include "diagnostics/trace.hpp"
#include "diagnostics/usdt.hpp"

// What the library tells the diagnostics. Nothing here calls it back.
namespace futon::core::probe {

namespace {

namespace detail = diagnostics::detail;
using detail::Actor;
using detail::Holder;
using detail::Object;
using detail::Registry;

bool is_limiting(const Limits& limits) noexcept {
    return limits.has_deadline() || limits.stop().stop_possible();
}

/// The holder that a release by `actor` ends.
std::vector<Holder>::iterator holder_to_end(Object& object, const Actor& actor, Hold hold) noexcept {
    auto& holders = object.holders;
    const auto is_alike = [&](const Holder& holder) { return holder.hold == hold || hold != Hold::permits; };
    auto found = std::find_if(holders.begin(), holders.end(),
                              [&](const Holder& holder) { return holder.actor == actor && holder.hold == hold; });
    if (found == holders.end())  // upgraded, or downgraded
        found = std::find_if(holders.begin(), holders.end(),
                             [&](const Holder& h) { return h.actor == actor && is_alike(h); });
    if (found == holders.end())  // a guard that a coroutine of this thread's loop destroys
        found = std::find_if(holders.begin(), holders.end(),
                             [&](const Holder& h) { return h.actor.thread == actor.thread; });
    if (found == holders.end()) {  // released by another thread than acquired it
        found = holders.begin();
        object.is_passed_on = true;
    }
    if (!found->ended.empty()) object.is_passed_on = true;
    return found;
}

/// Before main, where this file is linked: and each program that uses the library links it.
[[maybe_unused]] const bool environment_is_read = (detail::read_environment(), true);

}  // namespace

void Attempt::begin(const void* whose, const char* name, bool may_end) noexcept {
    outer = detail::this_attempt();
    weight = detail::draw();
    if (weight == 0 && outer == nullptr && detail::is_sampling()) {
        passed_over_at = uncounted;  // drawing has counted it
        return;
    }
    task = whose;
    operation = name;
    is_limited = may_end;
    queued = nullptr;
    if (weight != 0) detail::wanted.fetch_add(1, std::memory_order_relaxed);  // read by this thread
    if (weight != 0 || !detail::is_sampling()) {
        static_cast<void>(detail::this_thread());  // makes its record under no lock
        detail::take_place(place, 1);
    }
    detail::this_attempt() = this;
}

void Attempt::begin(const void* whose, const char* name, const Limits& limits) noexcept {
    begin(whose, name, is_limiting(limits));
}

void Attempt::end() noexcept {
    if (weight != 0) detail::wanted.fetch_sub(1, std::memory_order_relaxed);  // as above
    detail::this_attempt() = outer;
}

void WaitRecord::end() noexcept {
    const std::scoped_lock hold(Registry::get().mutex);
    detail::note_wait(*this);
    detail::unlink(*this);
}

// Not by operator new, which may be the program's own, and lock: a queue's lock may be held.
WaitRecord* Stamp::begin() noexcept {
    if (record_ == nullptr) {
        void* const memory = std::malloc(sizeof(WaitRecord));
        if (memory == nullptr) return nullptr;
        record_ = new (memory) WaitRecord;
    }
    record_->begin();
    return record_;
}

void Stamp::free() noexcept {
    record_->~WaitRecord();
    std::free(std::exchange(record_, nullptr));
}

namespace {

void count_as_forgotten() noexcept {
    const std::scoped_lock lock(Registry::get().mutex);
    ++Registry::get().forgotten;
}

/// Whether what is at the address is a primitive that callers acquire: an event, for instance, is not.
bool is_acquired(const void* address) noexcept {
    const std::scoped_lock hold(Registry::get().mutex);
    return Registry::get().objects.contains(address);
}

/// As tools see it. Never null.
const char* operation_of(const Waiter& waiter) noexcept {
    const char* const operation = waiter.describe().operation;
    return operation != nullptr ? operation : "";
}

/// An upgrade waits in a queue of its own, at a key inside its lock. What it waits for is the lock.
bool is_for_upgrade(const void* key, const Waiter& waiter) noexcept {
    if (reinterpret_cast<std::uintptr_t>(key) % sizeof(std::uint64_t) == 0) return false;
    return std::string_view(operation_of(waiter)) == SharedLock::Upgrading::name;
}

/// Of a sample only its record changes, until the wait is over.
void enqueued_sample(const void* address, Waiter& waiter, Attempt* attempt) noexcept {
    Stamp& stamp = WaiterAccess::stamp(waiter);
    WaitRecord* const last = stamp.record();
    if (last != nullptr && last->address == address) {  // woken in vain
        ++last->barged;
        return;
    }
    // A coroutine that was woken in vain makes a new attempt: its wait is as it was.
    const bool is_sample = attempt != nullptr && attempt->weight != 0 && stamp.passed_over != address;
    if (last == nullptr && !is_sample) {
        stamp.passed_over = address;
        return;
    }
    if (last != nullptr) {
        const std::scoped_lock hold(Registry::get().mutex);
        detail::note_wait(*last);
        detail::unlink(*last);
    }
    if (!is_sample) return;
    WaitRecord* const wait = stamp.begin();
    if (wait == nullptr) return count_as_forgotten();
    const bool is_task = waiter.owner().caller == Caller::task;
    FUTON_USDT(wait, address, static_cast<int>(is_task));
    if (is_acquired(address)) FUTON_USDT(contended, address, static_cast<int>(is_task));
    wait->weight = attempt->weight;
    wait->actor = {detail::this_thread_if_known(), attempt->task};
    wait->operation = attempt->operation;
    wait->place = attempt->place;
    wait->is_task = is_task;
    wait->address = address;
    wait->since = detail::now();
    attempt->queued = wait;
}

}  // namespace

void enqueued(const void* key, Waiter& waiter) noexcept {
    const bool is_upgrade = is_for_upgrade(key, waiter);
    const void* const address = is_upgrade ? futon::detail::SharedLockWord::address_of(key) : key;
    Attempt* const attempt = detail::this_attempt();
    if (detail::is_sampling()) return enqueued_sample(address, waiter, attempt);
    detail::ThreadRecord* const thread = detail::this_thread();
    const std::int64_t now = detail::now();
    const std::scoped_lock hold(Registry::get().mutex);
    if (detail::is_sampling()) return;
    Stamp& stamp = WaiterAccess::stamp(waiter);
    WaitRecord* wait = stamp.record();
    const bool is_again = wait != nullptr && wait->address == address && wait->weight == 0;  // woken in vain
    if (is_again) {
        ++wait->barged;
    } else {
        if (wait != nullptr) detail::note_wait(*wait);
        wait = stamp.begin();
        if (wait == nullptr) {
            ++Registry::get().forgotten;
            return;
        }
        wait->since = now;
    }
    if (attempt != nullptr) {
        wait->actor = {thread, attempt->task};
        wait->operation = attempt->operation;
        wait->is_limited = attempt->is_limited;
        wait->place = attempt->place;
        attempt->queued = wait;
    } else if (!is_again) {
        wait->actor = {thread, nullptr};
        wait->is_limited = true;  // what ends it is not known
        wait->operation = operation_of(waiter);
    }
    wait->is_task = waiter.owner().caller == Caller::task;
    FUTON_USDT(wait, address, static_cast<int>(wait->is_task));
    wait->waiter = &waiter;
    wait->is_upgrade = is_upgrade;
    wait->address = address;
    wait->woken_at = 0;
    detail::link(*wait);
    const auto found = Registry::get().objects.find(address);
    if (found == Registry::get().objects.end()) return;
    if (!is_again) FUTON_USDT(contended, address, static_cast<int>(wait->is_task));
    ++(is_again ? found->second.profile.barged : found->second.profile.contended);
}

void woken([[maybe_unused]] const void* address, Waiter& waiter) noexcept {
    WaitRecord* const wait = WaiterAccess::stamp(waiter).record();
    if (wait == nullptr) return;
    FUTON_USDT(wake, address, detail::now() - wait->since);
    if (!wait->is_queued) {
        wait->woken_at = detail::now();
        return;
    }
    const std::scoped_lock hold(Registry::get().mutex);
    wait->woken_at = detail::now();
    wait->wake = detail::note_wake();
    detail::unlink(*wait);
}

void dequeued([[maybe_unused]] const void* address, Waiter& waiter) noexcept {
    WaitRecord* const wait = WaiterAccess::stamp(waiter).record();
    if (wait == nullptr) return;
    if (WaiterAccess::result(waiter) == WaitResult::timed_out)
        FUTON_USDT(timeout, address, detail::now() - wait->since);
    else
        FUTON_USDT(leave, address, detail::now() - wait->since);
    if (!wait->is_queued) return;
    const std::scoped_lock hold(Registry::get().mutex);
    detail::unlink(*wait);
}

void requeued(const void* /*from*/, const void* to, Waiter& waiter) noexcept {
    WaitRecord* const wait = WaiterAccess::stamp(waiter).record();
    if (wait == nullptr) return;
    const std::scoped_lock hold(Registry::get().mutex);
    detail::move_to(*wait, to);
    wait->is_moved = true;
}

void acquired_seen(const void* address, Hold hold, std::uint64_t amount, Way way) noexcept {
    Attempt* const attempt = detail::this_attempt();
    const bool is_sampling = detail::is_sampling();
    const std::uint32_t weight = !is_sampling ? 0 : attempt != nullptr ? attempt->weight : detail::draw();
    if (is_sampling && weight == 0) return;
    FUTON_USDT(acquire, address, static_cast<int>(attempt != nullptr && attempt->queued != nullptr));
    try {
        if (is_sampling) return detail::sample_acquired(address, hold, amount, attempt, weight);
        Holder holder;
        holder.actor = detail::this_actor();
        holder.hold = hold;
        holder.amount = amount;
        if (attempt != nullptr) {
            holder.place = attempt->place;
        } else if (detail::keeps_all_places()) {
            detail::take_place(holder.place, 1);
        }
        holder.since = detail::now();
        Registry& registry = Registry::get();
        detail::Inversion inversion;
        {
            const std::scoped_lock lock(registry.mutex);
            if (detail::is_sampling()) return;
            Object& object = registry.objects[address];
            if (*object.kind == '\0') object.kind = detail::kind_of(hold, attempt != nullptr ? attempt->operation : "");
            ++object.profile.acquisitions;
            holder.site = detail::site_of(address, detail::kind_of(hold), holder.place);
            ++holder.site->profile.acquisitions;
            if (way == Way::ready_to_wait && hold != Hold::permits && !detail::this_call().is_promise)
                inversion = detail::note_order(address, holder);
            holder.is_certain = !object.is_passed_on;
            object.holders.push_back(holder);
            if (hold != Hold::permits) registry.held[detail::key_of(holder.actor)].push_back(address);
        }
        detail::report(inversion);
    } catch (const std::bad_alloc&) {
        count_as_forgotten();
    }
}

void releasing_seen(const void* address, Hold hold, std::uint64_t amount) noexcept {
    const bool is_sampling = detail::is_sampling();
    if (is_sampling && !detail::may_be_sampled(address)) return;
    FUTON_USDT(release, address, static_cast<int>(hold));
    if (is_sampling) return detail::sample_released(address, hold);
    const Actor actor = detail::this_actor();
    const std::int64_t now = detail::now();
    Registry& registry = Registry::get();
    const std::scoped_lock lock(registry.mutex);
    const auto found = registry.objects.find(address);
    if (found == registry.objects.end()) return;
    Object& object = found->second;
    while (amount > 0 && !object.holders.empty()) {
        const auto ending = holder_to_end(object, actor, hold);
        object.profile.hold.add(now - ending->since);
        ending->site->profile.hold.add(now - ending->since);
        detail::note_hold(address, object, *ending, now);
        const std::uint64_t part = std::min(amount, ending->amount);
        ending->amount -= part;
        amount -= part;
        if (ending->amount != 0) continue;
        const Actor ended = ending->actor;
        const bool was_shared = ending->hold == Hold::shared;
        if (ending->hold != Hold::permits) detail::forget_held(ended, address);
        object.holders.erase(ending);
        // Readers are alike: which coroutine of a loop has released is not known, if several may have.
        if (was_shared && ended.task != nullptr)
            for (Holder& other : object.holders)
                if (other.actor.thread == ended.thread && other.actor.task != nullptr) other.is_certain = false;
    }
}

void handing_off(const void* address, const Waiter& waiter) noexcept {
    WaitRecord* const wait = WaiterAccess::stamp(waiter).record();  // guarded by the queue's lock, as its waiter
    if (wait != nullptr) ++wait->handoffs;
    if (detail::is_sampling() && wait == nullptr) return;
    if (waiter.owner().caller == Caller::task) {
        FUTON_USDT(offer, address, 0);
    } else {
        FUTON_USDT(handoff, address, 0);
    }
    if (detail::is_sampling() || (wait != nullptr && wait->weight != 0)) return;  // noted when the wait is over
    Registry& registry = Registry::get();
    const std::scoped_lock lock(registry.mutex);
    const auto found = registry.objects.find(address);
    if (found == registry.objects.end()) return;
    ++found->second.profile.handoffs;
    if (wait != nullptr && wait->is_task) found->second.offered_to = wait->actor.thread;
}

void offer_expired(const void* address) noexcept {
    FUTON_USDT(expire, address, 0);
    Registry& registry = Registry::get();
    const std::scoped_lock lock(registry.mutex);
    const auto found = registry.objects.find(address);
    if (found == registry.objects.end()) return;
    Object& object = found->second;
    ++object.profile.offers_expired;
    if (object.offered_to != object.reported_for) object.expired_for = object.offered_to;
}

void ended(const void* address) noexcept {
    Registry& registry = Registry::get();
    const std::scoped_lock lock(registry.mutex);
    if (const auto found = registry.objects.find(address); found != registry.objects.end()) {
        for (const Holder& holder : found->second.holders) detail::forget_held(holder.actor, address);
        registry.objects.erase(found);
    }
    detail::forget_name(address);
    detail::forget_order(address);
    detail::forget_sampled(address);
}

void look_before_sleep() {
    detail::check_for_deadlock(detail::this_actor(), detail::MayThrow::yes);
}

void look_again() noexcept {
    detail::check_for_deadlock(detail::this_actor(), detail::MayThrow::no);
}

/// What they wait for now may close a circle, and they cannot look themselves: their notifier does.
void sleep_elsewhere_seen(const void* address) noexcept {
    try {
        std::vector<Actor> moved;
        {
            Registry& registry = Registry::get();
            const std::scoped_lock hold(registry.mutex);
            for (WaitRecord* wait = registry.waits_at(address); wait != nullptr; wait = wait->next_at_address)
                if (wait->address == address && std::exchange(wait->is_moved, false)) moved.push_back(wait->actor);
        }
        for (const Actor& actor : moved) detail::check_for_deadlock(actor, detail::MayThrow::no);
    } catch (const std::bad_alloc&) {
        count_as_forgotten();
    }
}

}  // namespace futon::core::probe
