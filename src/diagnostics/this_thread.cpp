// SPDX-License-Identifier: MIT
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "diagnostics/abandoned.hpp"
#include "diagnostics/quiet_thread.hpp"
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

/// What the thread still holds after the objects of the thread are destroyed, which may release it, is reported. By another thread:
/// what a program's function uses of this one may be destroyed. Not of the main thread of a process that ends.
void look_for_holds(void* ended) noexcept {
    try {
        std::vector<Abandoned> found;
        {
            const std::scoped_lock hold(Registry::get().mutex);
            end_thread(*static_cast<const ThreadRecord*>(ended), found);
        }
        if (!found.empty()) quiet_thread([&] { report(found); }).join();
    } catch (const std::exception&) {
        return;  // for want of memory, or of threads
    }
}

struct Farewell {
    Farewell() noexcept { has_key = pthread_key_create(&key, &again) == 0; }

    /// Other keys' functions may release something, too: the second round comes after them.
    static void again(void* ended) noexcept;
    static void end(void* ended) noexcept { look_for_holds(ended); }

    pthread_key_t key{};
    bool has_key = false;
};

Farewell& farewell() noexcept {
    static Farewell& farewell = *new Farewell;
    return farewell;
}

thread_local constinit bool is_second_round = false;

void Farewell::again(void* ended) noexcept {
    if (std::exchange(is_second_round, true)) return end(ended);
    pthread_setspecific(farewell().key, ended);
}

}  // namespace

ThreadRecord* this_thread() noexcept {
    if (presence != Presence::unknown) return record;
    // Not by operator new, which may be the program's own, and lock: a queue's lock may be held.
    void* const memory = std::calloc(1, sizeof(ThreadRecord));
    if (memory == nullptr) return nullptr;
    static thread_local Goodbye goodbye;
    if (farewell().has_key) pthread_setspecific(farewell().key, memory);
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
