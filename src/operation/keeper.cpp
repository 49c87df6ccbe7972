// SPDX-License-Identifier: MIT
#include "operation/keeper.hpp"

#include <futon/core/queue/wait_table.hpp>

#include "platform/background.hpp"
#include "platform/clock.hpp"
#include "platform/fork.hpp"
#include "queue/copies.hpp"

namespace futon::core {

namespace {

constinit Keeper own_keeper;

FUTON_EARLY const platform::BackgroundHandler begins_anew([]() noexcept { own_keeper.begin_anew(); });

}  // namespace

Keeper& keeper() noexcept {
    return own_keeper;
}

bool Keeper::keep(const void* address, Look examine, const void* rules) noexcept {
    // Before the note, so that a note never lacks a thread that sees it; and after, for the thread may be asleep by
    // then.
    return ensure_runs() && note(address, examine, rules) && ensure_runs();
}

/// A queue has one slot. If two threads race to note it, it may have two, and is looked at twice a tick.
bool Keeper::note(const void* address, Look examine, const void* rules) noexcept {
    const auto wanted = reinterpret_cast<Address>(address);
    const std::size_t used = used_.load();
    for (std::size_t i = 0; i < used; ++i) {
        Slot& slot = slots_[i];
        Address seen = slot.address.load();
        while ((seen & ~is_noted) == wanted && slot.rules.load() == rules) {
            if ((seen & is_noted) != 0 || slot.address.compare_exchange_weak(seen, wanted | is_noted)) return true;
        }
    }
    for (std::size_t i = 0; i < slot_count; ++i) {
        Slot& slot = slots_[i];
        Address seen = slot.address.load();
        constexpr Address filling = is_noted;  // no address yet
        if (seen != 0 || !slot.address.compare_exchange_strong(seen, filling)) continue;
        slot.look.store(examine);
        slot.rules.store(rules);
        for (std::size_t before = used_.load(); before <= i && !used_.compare_exchange_weak(before, i + 1);) {
        }
        slot.address.store(wanted | is_noted);
        return true;
    }
    return false;
}

bool Keeper::look() noexcept {
    bool has_any = false;
    const std::size_t used = used_.load();
    for (std::size_t i = 0; i < used; ++i) {
        Slot& slot = slots_[i];
        const Address seen = slot.address.load();
        if (seen == 0) continue;
        has_any = true;
        Address address = seen & ~is_noted;
        if (address == 0) continue;  // it is being filled
        // Before the look: a thread that marks the queue later notes it again, and the queue keeps its slot.
        slot.address.store(address);
        // NOLINTNEXTLINE(performance-no-int-to-ptr): an address, and a bit
        if (!slot.look.load()(reinterpret_cast<const void*>(address), slot.rules.load()))
            slot.address.compare_exchange_strong(address, 0);
    }
    return has_any;
}

bool Keeper::has_any() const noexcept {
    const std::size_t used = used_.load();
    for (std::size_t i = 0; i < used; ++i)
        if (slots_[i].address.load() != 0) return true;
    return false;
}

/// Either the thread sees an earlier note before it sleeps, or this sees that it sleeps.
bool Keeper::ensure_runs() noexcept {
    Thread seen = thread_.load();
    if (seen == Thread::ticks || seen == Thread::starting) return true;
    if (seen == Thread::sleeps) {
        if (thread_.compare_exchange_strong(seen, Thread::ticks)) parker_->unpark();
        return true;
    }
    if (!thread_.compare_exchange_strong(seen, Thread::starting)) return true;
    if (platform::start_background(&Keeper::run, this)) return true;
    thread_.store(Thread::none);
    let_all_try();
    return false;
}

/// No thread can be made: the waiters of the kept queues look for themselves. They were queued before the lock was held under which the
/// queue was marked. [noted]
void Keeper::let_all_try() noexcept {
    const std::size_t used = used_.load();
    for (std::size_t i = 0; i < used; ++i) {
        Address seen = slots_[i].address.load() & ~is_noted;
        // NOLINTNEXTLINE(performance-no-int-to-ptr): an address, and a bit
        if (seen != 0) process_table().notify(reinterpret_cast<const void*>(seen), everyone);
    }
}

void Keeper::run(void* self) noexcept {
    keep_this_copy_loaded();
    Keeper& keeper = *static_cast<Keeper*>(self);
    platform::Parker parker;
    keeper.parker_ = &parker;
    keeper.thread_.store(Thread::ticks);
    for (int idle = 0;;) {
        idle = keeper.look() ? 0 : idle + 1;
        if (idle < idle_ticks) {
            parker.park_until(platform::now() + tick);  // a keeper that ticks is never unparked
            continue;
        }
        keeper.thread_.store(Thread::sleeps);
        Thread seen = Thread::sleeps;
        if (keeper.has_any() && keeper.thread_.compare_exchange_strong(seen, Thread::ticks)) continue;
        parker.park();
        idle = 0;
    }
}

void Keeper::begin_anew() noexcept {
    const std::size_t used = used_.load(std::memory_order_relaxed);  // there is one thread
    for (std::size_t i = 0; i < used; ++i) slots_[i].address.store(0, std::memory_order_relaxed);  // the same
    used_.store(0, std::memory_order_relaxed);                                                     // the same
    thread_.store(Thread::none, std::memory_order_relaxed);                                        // the same
}

}  // namespace futon::core
