// SPDX-License-Identifier: MIT
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <mutex>
#include <new>

#include "diagnostics/registry.hpp"

// Who calls. The model has its own answers, for its threads are fibers: tests/model/diagnosed.
namespace futon::diagnostics::detail {

namespace {

enum class Presence : std::uint8_t { unknown, present, ended };

thread_local constinit ThreadRecord* record = nullptr;
thread_local constinit Presence presence = Presence::unknown;

/// Notes the end of a thread.
struct Goodbye {
    ~Goodbye() {
        if (record != nullptr) {
            const std::scoped_lock hold(Registry::get().mutex);
            record->has_ended = true;
        }
        presence = Presence::ended;
    }
};

}  // namespace

ThreadRecord* this_thread() noexcept {
    if (presence != Presence::unknown) return record;
    // Not by operator new, which may be the program's own, and lock: a queue's lock may be held.
    void* const memory = std::calloc(1, sizeof(ThreadRecord));
    if (memory == nullptr) return nullptr;
    static thread_local Goodbye goodbye;
    auto& made = *::new (memory) ThreadRecord;
    made.number = syscall(SYS_gettid);
    made.handle = pthread_self();
    Registry& registry = Registry::get();
    const std::scoped_lock hold(registry.mutex);
    made.id = registry.last_thread != nullptr ? registry.last_thread->id + 1 : 1;
    made.next = registry.last_thread;
    registry.last_thread = record = &made;
    presence = Presence::present;
    return record;
}

ThreadRecord* this_thread_if_known() noexcept {
    return record;
}

core::probe::Attempt*& this_attempt() noexcept {
    return sampler.attempt;
}

Actor this_actor() noexcept {
    const core::probe::Attempt* const attempt = sampler.attempt;
    return {this_thread(), attempt != nullptr ? attempt->task : nullptr};
}

}  // namespace futon::diagnostics::detail
