// SPDX-License-Identifier: MIT
#include <algorithm>
#include <mutex>
#include <new>
#include <utility>

#include <futon/core/probe.hpp>
#include <futon/diagnostics.hpp>

#include "diagnostics/abandoned.hpp"
#include "diagnostics/deadlock.hpp"
#include "diagnostics/report.hpp"
#include "diagnostics/sampling.hpp"
#include "diagnostics/trace.hpp"

// Coroutines of the library's own types, from their beginning until their frames are freed, and the promises that they settle.
//
// What a coroutine holds at its end goes to the coroutine that awaits it, as a function that locks leaves the lock to its caller. If
// its promise may be awaited later, it stays with the promise. If it can be awaited by none, and no guard owns the hold, the lock is
// reported: no one is known who would release it. A coroutine ends where its frame is freed, after its parameters are destroyed.
namespace futon::diagnostics::detail {

constinit std::atomic<bool> has_coroutines{false};

namespace {

/// Whether it is certain that a holder that ends leaves the lock locked, as far as no other caller unlocks it.
bool is_abandoned(const Object& object, const Holder& holder) noexcept {
    const bool is_exclusive = holder.hold != Hold::shared && holder.hold != Hold::permits;
    return is_exclusive && !holder.is_guarded && !object.is_passed_on && holder.ended.empty();
}

Abandoned abandon(const void* address, Holder& holder, std::string actor) {
    holder.ended = actor;
    holder.left_with = nullptr;
    return {std::move(actor), text_of(address), holder.place, now() - holder.since};
}

/// Calls the function with each hold of the ended actor that is known; afterwards it holds nothing.
template <class Function>
void take_holds_of(const Actor& actor, Function function) {
    Registry& registry = Registry::get();
    const auto found = registry.held.find(key_of(actor));
    if (found == registry.held.end()) return;
    const std::vector<const void*> addresses = std::move(found->second);
    registry.held.erase(found);
    for (const void* const address : addresses) {
        const auto object = registry.objects.find(address);
        if (object == registry.objects.end()) continue;
        for (Holder& holder : object->second.holders)
            if (holder.actor == actor && holder.hold != Hold::permits) function(address, object->second, holder);
    }
}

/// The frame is freed. What it held is another's now, its promise's, or abandoned.
void end_coroutine(const void* frame, std::vector<Abandoned>& found) {
    Registry& registry = Registry::get();
    const auto known = registry.coroutines.find(frame);
    // Of another library's coroutine it is not known who goes on with what it held.
    const Coroutine ended = known == registry.coroutines.end() ? Coroutine{} : std::move(known->second);
    if (known != registry.coroutines.end()) registry.coroutines.erase(known);
    for (const void* const promise : {ended.promise, ended.whole}) {
        const auto settlers = registry.settlers.find(promise);
        if (settlers == registry.settlers.end()) continue;
        settlers->second.frames.erase(frame);
        if (settlers->second.frames.empty() && settlers->second.awaiters == 0) registry.settlers.erase(settlers);
    }
    const Actor actor{ended.thread, frame};
    take_holds_of(actor, [&](const void* address, const Object& object, Holder& holder) {
        const std::string text = text_of(holder.actor);
        holder.actor.task = ended.heir;
        if (ended.heir != nullptr) {
            registry.held[ended.heir].push_back(address);
        } else if (ended.is_reachable) {
            if (ended.whole == nullptr || !ended.has_handle) return;
            holder.left_with = ended.whole;
            registry.left[ended.whole].push_back({address, text});
        } else if (is_abandoned(object, holder)) {
            found.push_back(abandon(address, holder, text));
        }
    });
    registry.tasks.erase(frame);
}

/// Calls the function with each hold that is left with the promise; afterwards there is none.
template <class Function>
void take_left(const void* promise, Function function) {
    Registry& registry = Registry::get();
    const auto left = registry.left.find(promise);
    if (left == registry.left.end()) return;
    const std::vector<Left> all = std::move(left->second);
    registry.left.erase(left);
    for (const Left& one : all) {
        const auto object = registry.objects.find(one.address);
        if (object == registry.objects.end()) continue;
        for (Holder& holder : object->second.holders)
            if (std::exchange(holder.left_with, holder.left_with == promise ? nullptr : holder.left_with) == promise)
                function(one, object->second, holder);
    }
}

void give_left(const void* promise, const void* frame) {
    take_left(promise, [&](const Left& left, const Object&, Holder& holder) {
        holder.actor.task = frame;
        Registry::get().held[frame].push_back(left.address);
    });
}

/// Does it under the mutex, and then reports what it found. Without memory something is forgotten.
template <class Function>
void change(Function function) noexcept {
    Registry& registry = Registry::get();
    std::vector<Abandoned> found;
    {
        const std::scoped_lock hold(registry.mutex);
        try {
            function(registry, found);
        } catch (const std::bad_alloc&) {
            ++registry.forgotten;
        }
    }
    report(found);
}

}  // namespace

void end_thread(const ThreadRecord& thread, std::vector<Abandoned>& found) {
    const Actor actor{const_cast<ThreadRecord*>(&thread), nullptr};
    const std::string text = "thread " + std::to_string(thread.id) + " (LWP " + std::to_string(thread.number) + ")";
    take_holds_of(actor, [&](const void* address, const Object& object, Holder& holder) {
        if (holder.left_with == nullptr && is_abandoned(object, holder))
            found.push_back(abandon(address, holder, text));
    });
}

void report(const std::vector<Abandoned>& found) noexcept {
    if (!reports_abandoned.load()) return;
    for (const Abandoned& one : found) {
        std::string text = one.actor + " has ended while it held " + one.object + ", for " + text_of(one.held_for);
        if (const std::string where = text_of(one.place); !where.empty()) text += "\n  acquired at " + where;
        text +=
            "\n  no guard owns it, and none is known who would unlock it"
            "\n  What to do: keep the lock in a guard, which unlocks it however the function ends.";
        report_only(What::abandoned_hold, std::move(text));
    }
}

}  // namespace futon::diagnostics::detail

namespace futon::core::probe {

namespace {

namespace detail = diagnostics::detail;
using detail::Abandoned;
using detail::Coroutine;
using detail::Holder;
using detail::Registry;

}  // namespace

void guarded_seen(const void* address, bool is_owned) noexcept {
    const detail::ThreadRecord* const thread = detail::this_thread_if_known();
    Registry& registry = Registry::get();
    const std::scoped_lock hold(registry.mutex);
    const auto object = registry.objects.find(address);
    if (object == registry.objects.end()) return;
    for (Holder& holder : object->second.holders) {
        if (holder.hold == Hold::shared || holder.hold == Hold::permits) continue;
        if (is_owned || holder.actor.thread == thread) holder.is_guarded = is_owned;
    }
}

void coroutine_begins_seen(const void* frame, const void* promise) noexcept {
    detail::ThreadRecord* const thread = detail::this_thread();
    detail::Place place;
    if (detail::keeps_all_places()) detail::take_place(place, 1);
    detail::change([&](Registry& registry, std::vector<Abandoned>& found) {
        if (detail::is_sampling()) return;
        detail::has_coroutines.store(true, std::memory_order_relaxed);  // for this thread, and those it hands over to
        detail::end_coroutine(frame, found);                            // one of which the end was not seen
        registry.coroutines[frame] = {thread, promise, promise, place};
        registry.coroutines[frame].serial = ++registry.last_serial;
        registry.settlers[promise].frames.insert(frame);
    });
}

void coroutine_ends_seen(const void* frame) noexcept {
    detail::change([&](Registry& registry, std::vector<Abandoned>& found) {
        const auto known = registry.coroutines.find(frame);
        if (known == registry.coroutines.end()) return;
        known->second.is_reachable = false;  // no one gets anything of it from its scope's promise
        detail::end_coroutine(frame, found);
    });
}

void memory_freed_seen(const void* memory) noexcept {
    detail::change([&](Registry& registry, std::vector<Abandoned>& found) {
        if (registry.coroutines.contains(memory)) detail::end_coroutine(memory, found);
    });
}

void promise_settles_seen(const void* promise, bool is_reachable) noexcept {
    detail::change([&](Registry& registry, std::vector<Abandoned>&) {
        const auto settlers = registry.settlers.find(promise);
        if (settlers == registry.settlers.end()) return;
        const void* const heir = settlers->second.awaiters == 1 ? settlers->second.awaiter : nullptr;
        for (const void* const frame : settlers->second.frames) {
            Coroutine& coroutine = registry.coroutines[frame];
            if (coroutine.whole != promise) continue;
            coroutine.is_reachable = is_reachable;
            coroutine.heir = heir;
        }
        if (heir != nullptr) detail::give_left(promise, heir);
    });
}

void promise_taken_seen(const void* frame, const void* promise) noexcept {
    detail::change([&](Registry&, std::vector<Abandoned>&) { detail::give_left(promise, frame); });
}

void promise_joins_seen(const void* part, const void* whole) noexcept {
    if (detail::is_sampling()) return;
    detail::change([&](Registry& registry, std::vector<Abandoned>&) {
        if (const auto own = registry.settlers.find(part); own != registry.settlers.end())
            for (const void* const frame : own->second.frames) {
                registry.coroutines[frame].whole = whole;
                registry.settlers[whole].frames.insert(frame);
                registry.settlers[whole].is_any = true;
            }
        detail::take_left(part, [&](const detail::Left& left, const detail::Object&, Holder& holder) {
            holder.left_with = whole;
            registry.left[whole].push_back(left);
        });
    });
}

void promise_dropped_seen(const void* promise, bool has_listened) noexcept {
    detail::change([&](Registry& registry, std::vector<Abandoned>& found) {
        if (const auto settlers = registry.settlers.find(promise); settlers != registry.settlers.end())
            for (const void* const frame : settlers->second.frames) {
                // It has not ended yet. If something has listened, that may go on with what it leaves.
                Coroutine& coroutine = registry.coroutines[frame];
                if (coroutine.whole != promise) continue;
                coroutine.has_handle = false;
                coroutine.is_reachable = has_listened;
            }
        detail::take_left(promise, [&](const detail::Left& left, const detail::Object& object, Holder& holder) {
            if (!has_listened && detail::is_abandoned(object, holder))
                found.push_back(detail::abandon(left.address, holder, left.actor));
        });
    });
}

void promise_lost(const void* promise) noexcept {
    struct Awaiter {
        std::string text;
        detail::Place place;
    };
    std::vector<Awaiter> awaiters;
    try {
        Registry& registry = Registry::get();
        const std::scoped_lock hold(registry.mutex);
        for (const WaitRecord* wait = registry.queued.next; wait != &registry.queued; wait = wait->next)
            if (wait->is_promise && wait->address == promise)
                awaiters.push_back({detail::text_of(wait->actor), wait->place});
    } catch (const std::bad_alloc&) {
        return;
    }
    for (const Awaiter& awaiter : awaiters) {
        std::string text = awaiter.text + " awaits a promise that nothing can settle any more";
        if (const std::string where = detail::text_of(awaiter.place); !where.empty()) text += "\n  waiting at " + where;
        text +=
            "\n  the event loop of the promise has ended or was closed, and the coroutine's own goes on"
            "\n  What to do: let the loop of a promise live until it has settled, or end the loop of the coroutine "
            "first.";
        detail::report_only(diagnostics::What::lost_promise, std::move(text));
    }
}

void PromiseWait::begin_seen(const void* frame, const void* promise, const char* operation, bool is_limited) noexcept {
    const Attempt attempt(frame, operation, is_limited);  // finds the place
    detail::ThreadRecord* const thread = detail::this_thread();
    Registry& registry = Registry::get();
    const std::scoped_lock hold(registry.mutex);
    if (detail::is_sampling()) return;
    WaitRecord* const wait = stamp_.begin();
    if (wait == nullptr) {
        ++registry.forgotten;
        return;
    }
    wait->actor = {thread, frame};
    wait->address = promise;
    wait->operation = operation;
    wait->place = attempt.place;
    wait->since = detail::now();
    wait->is_limited = is_limited;
    wait->is_task = wait->is_promise = true;
    detail::link(*wait);
    const auto settlers = registry.settlers.find(promise);
    if (settlers == registry.settlers.end()) return;
    ++settlers->second.awaiters;
    settlers->second.awaiter = frame;
}

void PromiseWait::end_seen(WaitRecord& wait) noexcept {
    Registry& registry = Registry::get();
    const std::scoped_lock hold(registry.mutex);
    const auto settlers = registry.settlers.find(wait.address);
    if (settlers != registry.settlers.end() && settlers->second.awaiters != 0) {
        --settlers->second.awaiters;
        settlers->second.awaiter = nullptr;
        if (settlers->second.awaiters == 0 && settlers->second.frames.empty()) registry.settlers.erase(settlers);
    }
    wait.woken_at = detail::now();
    detail::note_wait(wait);
    detail::unlink(wait);
}

void PromiseWait::look_seen(const void* frame) const {
    detail::check_for_deadlock({detail::this_thread(), frame}, detail::MayThrow::yes);
}

void PromiseWait::look_only_seen(const void* frame) const noexcept {
    detail::check_for_deadlock({detail::this_thread(), frame}, detail::MayThrow::no);
}

}  // namespace futon::core::probe
