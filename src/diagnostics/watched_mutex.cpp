// SPDX-License-Identifier: MIT
#include <futon/watched_mutex.hpp>

#include <algorithm>
#include <mutex>
#include <new>

#include "diagnostics/registry.hpp"
#include "diagnostics/trace.hpp"

// Mutexes of other libraries. Their wait queues are not known, so a thread enters its wait before it blocks, and removes it after it
// has acquired the mutex. In between it is the owner and a waiter. That closes no cycle: its hold is entered after its wait is
// removed.
namespace futon::diagnostics::detail {

MutexWait::MutexWait(const void* mutex, const char* kind, const char* operation, bool is_limited) noexcept
    : attempt_(nullptr, operation, is_limited), mutex_(mutex), kind_(kind) {
    if (is_sampling()) return;
    ThreadRecord* const thread = this_thread();
    Registry& registry = Registry::get();
    const std::scoped_lock hold(registry.mutex);
    wait_.begin();
    wait_.actor = {thread, nullptr};
    wait_.address = mutex;
    wait_.operation = operation;
    wait_.place = attempt_.place;
    wait_.since = now();
    wait_.is_limited = is_limited;
    link(wait_);
    attempt_.queued = &wait_;
    if (const auto found = registry.objects.find(mutex); found != registry.objects.end())
        ++found->second.profile.contended;
}

void MutexWait::got(core::probe::Hold hold) noexcept {
    {
        const std::scoped_lock lock(Registry::get().mutex);
        note_wait(wait_);
        unlink(wait_);
    }
    mutex_acquired(mutex_, kind_, hold, core::probe::Way::ready_to_wait);
}

bool is_held_by_caller(const void* mutex) noexcept {
    const Actor actor = this_actor();
    Registry& registry = Registry::get();
    const std::scoped_lock lock(registry.mutex);
    const auto found = registry.objects.find(mutex);
    if (found == registry.objects.end()) return false;
    const auto& holders = found->second.holders;
    return std::any_of(holders.begin(), holders.end(), [&](const Holder& holder) { return holder.actor == actor; });
}

void mutex_acquired(const void* mutex, const char* kind, core::probe::Hold hold, core::probe::Way way) noexcept {
    try {
        Registry& registry = Registry::get();
        const std::scoped_lock lock(registry.mutex);
        registry.objects[mutex].kind = kind;
    } catch (const std::bad_alloc&) {
        return;
    }
    core::probe::acquired(mutex, hold, 1, way);
}

}  // namespace futon::diagnostics::detail
