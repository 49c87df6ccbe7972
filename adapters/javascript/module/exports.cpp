// SPDX-License-Identifier: MIT
// What futon-web/module calls of a program. Addresses and values were checked there, in src/module/.
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>

#include <emscripten/em_js.h>
#include <emscripten/emscripten.h>

#include <futon/agent.hpp>
#include <futon/atomics.hpp>
#include <futon/core/atomic.hpp>
#include <futon/core/driver/block.hpp>
#include <futon/core/operation/operation.hpp>
#include <futon/core/queue/wait_table.hpp>
#include <futon/sync/async_lock.hpp>

#include "held_locks.hpp"
#include "pending.hpp"
#include "this_thread.hpp"
#include "waiters.hpp"

// Newer toolchains leave out what they do not see used.
#ifdef EM_JS_DEPS
EM_JS_DEPS(futon_module, "$UTF8ToString")
#endif

// clang-format off
// What the functions of C++ and the package share in a thread: in `settlers` what is called for a pending promise, by its address.
EM_JS(void, futon_module_js_begin, (), {
    if (!Module['futonModule']) Module['futonModule'] = { 'settlers': new Map(), 'waiters': [], 'failure': "" };
});
EM_JS(void, futon_module_js_settle, (const void* pending, int answer, int acquisition), {
    const settlers = Module['futonModule']['settlers'];
    const settler = settlers.get(pending);
    settlers.delete(pending);
    if (settler) settler(answer, acquisition);  // none if the stack was full when it should have been kept
});
EM_JS(void, futon_module_js_fail, (const char* text), { Module['futonModule']['failure'] = UTF8ToString(text); });
EM_JS(void, futon_module_js_waiter, (const void* address, int is_blocked, int is_native, int thread, const char* operation,
                                     int is_held, int holder), {
    Module['futonModule']['waiters'].push([address, is_blocked, is_native, thread, UTF8ToString(operation), is_held, holder]);
});
// clang-format on

namespace futon::javascript {

void settle(const Pending* pending, Outcome outcome) noexcept {
    futon_module_js_settle(pending, static_cast<int>(outcome.answer), outcome.acquisition);
}

void tell_failure(const char* text) noexcept {
    futon_module_js_fail(text);
}

namespace {

/// So that the main thread's JavaScript sees that the program has started.
const bool has_started = (futon_module_js_begin(), true);
core::Atomic<std::uint32_t> probe{0};
thread_local int last_acquisition = 0;

Deadline deadline_after(double milliseconds) noexcept {
    if (std::isinf(milliseconds)) return Deadline::never();
    return Deadline(std::chrono::duration<double, std::milli>(milliseconds));
}

AsyncLock& lock_at(std::int32_t* word) noexcept {
    return AsyncLock::at(Word<std::int32_t>(*word));
}

/// The specification orders a wait that does not block after each notify before it, and each later notify after the wait. The
/// comparison outside of the queue's lock does not; with this fence and notify's, it does.
WordWait wait_for(void* word, int is_wide, std::uint32_t low, std::uint32_t high) noexcept {
    core::fence_seq_cst();
    if (is_wide == 0) return waiting(Word<std::uint32_t>(*static_cast<std::uint32_t*>(word)), low);
    return waiting(Word<std::uint64_t>(*static_cast<std::uint64_t*>(word)), std::uint64_t{high} << 32 | low);
}

/// What `f` returns. If it throws, JavaScript is told why.
template <class F>
int attempt(F&& f) noexcept {
    try {
        return f();
    } catch (const std::exception& error) {
        tell_failure(error.what());
        return static_cast<int>(Answer::failed);
    }
}

int answer_of(Outcome outcome) noexcept {
    last_acquisition = outcome.acquisition;
    return static_cast<int>(outcome.answer);
}

template <core::Operation Op>
int block(Op op, double timeout) noexcept {
    return attempt([&] {
        return answer_of(core::block<Op, core::PlainSleep, BlockedCall<Op>>(std::move(op), deadline_after(timeout)));
    });
}

/// An answer, or the address of what is pending.
template <core::Operation Op>
int begin(Op op, double timeout, int is_work) noexcept {
    return attempt([&] {
        const Deadline deadline = deadline_after(timeout);
        if (const auto ended = core::attempt<core::Caller::task>(op, deadline)) return answer_of(op.result(*ended));
        auto pending = std::make_unique<PendingOperation<Op>>(std::move(op), deadline, agent_here());
        if (!pending->start()) return answer_of(pending->operation().result(core::Ending::at_once));
        pending->set_work(is_work != 0);
        return static_cast<int>(reinterpret_cast<std::uintptr_t>(pending.release()));
    });
}

}  // namespace

}  // namespace futon::javascript

namespace javascript = futon::javascript;

extern "C" {

/// Makes the thread's loop, if it needs one. If that fails, the first wait says why.
EMSCRIPTEN_KEEPALIVE void futon_module_begin() {
    futon_module_js_begin();
    javascript::attempt([] { return static_cast<void>(javascript::agent_here()), 0; });
}

/// Writes the mark, and returns where it is: memory in which it can be read there is the program's.
EMSCRIPTEN_KEEPALIVE void* futon_module_mark(std::uint32_t mark) {
    javascript::probe.store(mark);
    return &javascript::probe;
}

EMSCRIPTEN_KEEPALIVE std::uint32_t futon_module_marked() {
    return javascript::probe.load();
}

EMSCRIPTEN_KEEPALIVE int futon_module_can_block() {
    return futon::Agent::current().can_block() ? 1 : 0;
}

EMSCRIPTEN_KEEPALIVE int futon_module_wait(void* word, int is_wide, std::uint32_t low, std::uint32_t high,
                                           double timeout) {
    return javascript::block(javascript::wait_for(word, is_wide, low, high), timeout);
}

EMSCRIPTEN_KEEPALIVE int futon_module_wait_async(void* word, int is_wide, std::uint32_t low, std::uint32_t high,
                                                 double timeout, int is_work) {
    return javascript::begin(javascript::wait_for(word, is_wide, low, high), timeout, is_work);
}

EMSCRIPTEN_KEEPALIVE double futon_module_notify(void* word, double count) {
    constexpr auto most = static_cast<double>(futon::core::everyone);
    const std::size_t limit = count >= most ? futon::core::everyone : static_cast<std::size_t>(count);
    return static_cast<double>(futon::core::table_for(word).notify(word, limit));
}

EMSCRIPTEN_KEEPALIVE int futon_module_cancel(javascript::Pending* pending) {
    return pending->cancel() ? 1 : 0;
}

EMSCRIPTEN_KEEPALIVE void futon_module_set_work(javascript::Pending* pending, int is_work) {
    pending->set_work(is_work != 0);
}

// Each returns an answer; after Answer::ok, futon_module_acquisition() tells which acquisition it is.

EMSCRIPTEN_KEEPALIVE int futon_module_acquisition() {
    return javascript::last_acquisition;
}

EMSCRIPTEN_KEEPALIVE int futon_module_try_lock(std::int32_t* word) {
    futon::AsyncLock& lock = javascript::lock_at(word);
    if (!lock.try_lock()) return static_cast<int>(javascript::Answer::not_equal);
    return javascript::answer_of(futon::AsyncLock::Guard(lock, std::adopt_lock));
}

EMSCRIPTEN_KEEPALIVE int futon_module_lock(std::int32_t* word, double timeout) {
    return javascript::block(javascript::lock_at(word).locking(), timeout);
}

EMSCRIPTEN_KEEPALIVE int futon_module_lock_async(std::int32_t* word, double timeout, int is_work) {
    return javascript::begin(javascript::lock_at(word).locking(), timeout, is_work);
}

/// Releases that acquisition; if the number is zero, any, also of C++.
EMSCRIPTEN_KEEPALIVE int futon_module_unlock(std::int32_t* word, int acquisition) {
    futon::AsyncLock& lock = javascript::lock_at(word);
    if (!javascript::forget_acquired(lock, acquisition) && acquisition != 0) return 0;
    return lock.try_unlock() ? 1 : 0;
}

EMSCRIPTEN_KEEPALIVE int futon_module_is_acquired(std::int32_t* word, int acquisition) {
    return javascript::is_acquired(javascript::lock_at(word), acquisition) ? 1 : 0;
}

/// The acquisition by which JavaScript of this thread holds the lock; zero if it does not.
EMSCRIPTEN_KEEPALIVE int futon_module_held_here(const std::int32_t* word) {
    const javascript::Acquisition held = javascript::acquisition_of(word);
    return held.thread == static_cast<int>(javascript::number_of_this_thread()) ? held.number : 0;
}

/// Tells JavaScript the waiters at the word, in the order of their queue; all of the program, if it is null.
EMSCRIPTEN_KEEPALIVE int futon_module_waiters(const void* word) {
    return javascript::attempt([&] {
        for (const javascript::SeenWaiter& seen : javascript::waiters_at(word)) {
            futon_module_js_waiter(seen.address, seen.is_blocked ? 1 : 0, seen.thread < 0 ? 1 : 0,
                                   static_cast<int>(seen.thread), seen.operation, seen.holder.number != 0 ? 1 : 0,
                                   seen.holder.thread);
        }
        return static_cast<int>(javascript::Answer::ok);
    });
}
}
