// SPDX-License-Identifier: MIT
#include "platform/doorbell.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <system_error>

#include <emscripten/em_js.h>
#include <emscripten/emscripten.h>
#include <emscripten/eventloop.h>

#include "platform/address_wait.hpp"
#include "platform/clock.hpp"

namespace futon::platform {

namespace {

using TimePoint = std::chrono::steady_clock::time_point;

}  // namespace

/// The word of a bell that has a listener, and what its thread knows of the listener.
struct BellCell {
    static constexpr std::uint32_t idle = 0;
    static constexpr std::uint32_t asleep = 1;
    static constexpr std::uint32_t token = 2;

    detail::Atomic<std::uint32_t> word{idle};
    /// By a bell, or by a listener that outlives its bell. JavaScript clears it.
    detail::Atomic<std::uint32_t> is_taken{0};

    // The thread that listens.
    void (*turn)(void*) noexcept = nullptr;
    void* context = nullptr;
    bool is_listening = false;  // futon_bell_rang will be called once, at the latest when the word is woken
    bool is_called = false;     // futon_bell_called will be called once
    TimePoint until{};          // the latest time of the call of futon_bell_rang
    long keeper = 0;            // the timer that keeps the thread alive; zero if there is none
};

static_assert(offsetof(BellCell, word) == 0 && offsetof(BellCell, is_taken) == 4, "JavaScript knows where both are");

namespace {

// As many as can listen at the same time.
constexpr std::size_t cell_count = 256;
constinit std::array<BellCell, cell_count> cells;

BellCell& take_cell() {
    for (BellCell& cell : cells) {
        std::uint32_t expected = 0;
        if (cell.is_taken.compare_exchange_strong(expected, 1)) return cell;
    }
    throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again),
                            "futon::EventLoop::start: 256 event loops are run by their threads' own loops already");
}

// clang-format off
// The JavaScript of a thread's bells. Returns whether it can listen.
//
// A record counts the callbacks that are still to come for its cell. Once the bell has ended, they do not enter the
// program: the thread may have ended, too. The last of them gives the cell back.
EM_JS(int, futon_bells_begin, (void* cell), {
    if (!Module['futonBells']) {
        const records = new Map();
        const sleepers = [];  // workers that have nothing to do

        // A task of its own, behind the engine's own work; a promise would come before that work.
        let soon;
        if (typeof setImmediate == 'function') {
            soon = setImmediate;
        } else {
            const channel = new MessageChannel();
            const queue = [];
            channel.port1.onmessage = () => queue.shift()();
            soon = (run) => { queue.push(run); channel.port2.postMessage(0); };
        }

        const giveBack = (at, record) => {
            if (record.sleeper) sleepers.push(record.sleeper);
            records.delete(at);
            Atomics.store(HEAP32, (at >> 2) + 1, 0);
        };
        const come = (at, record, call) => {
            --record.coming;
            if (!record.isEnded) {
                try {
                    call(at);
                } catch (error) {
                    // An exception of JavaScript left a job, passing frames of C++ by; or exit did, or a switch to the
                    // engine's loop. The next turn makes up for what the frames have not done.
                    if (error && error.name === 'ExitStatus') return;
                    if (!record.isEnded) bells.call(at);
                    if (error !== 'unwind') setTimeout(() => { throw error; });
                }
            } else if (record.coming === 0) {
                giveBack(at, record);
            }
        };

        // Without Atomics.waitAsync a worker blocks instead of us, and a timer of this thread keeps the time. The
        // sleeping worker has no time limit: it keeps the cell until the word is woken.
        const makeSleeper = () => {
            const text = 'onmessage = ({ data: [words, word] }) => { Atomics.wait(words, word, 1); postMessage(0); };';
            const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));
            const worker = new Worker(url);
            worker.onerror = () => setTimeout(() => {
                throw new Error('futon::EventLoop: this engine has no Atomics.waitAsync, and the worker that stands in for it ' +
                    'cannot start. A Content-Security-Policy must allow worker-src blob:');
            });
            return worker;
        };
        const setTimer = (at, record, milliseconds) => {
            clearTimeout(record.timer);
            if (milliseconds === Infinity) return;
            const longest = 2147483647;
            record.timer = setTimeout(() => {
                ++record.coming;
                record.rang();
            }, Math.min(Math.ceil(milliseconds), longest));
        };
        const sleep = (at, record, milliseconds) => {
            setTimer(at, record, milliseconds);
            if (record.isAsleep) return;
            record.isAsleep = true;
            ++record.coming;
            record.sleeper.onmessage = () => {
                record.isAsleep = false;
                clearTimeout(record.timer);
                record.rang();
            };
            record.sleeper.postMessage([new Int32Array(HEAP32.buffer), at >> 2]);
        };

        const bells = {
            begin: (at) => {
                const record = { coming: 0, isEnded: false, isAsleep: false, sleeper: null, timer: 0, rang: null };
                if (typeof Atomics.waitAsync != 'function') record.sleeper = sleepers.pop() || makeSleeper();
                record.rang = () => come(at, record, _futon_bell_rang);
                records.set(at, record);
            },
            listen: (at, milliseconds) => {
                const record = records.get(at);
                if (record.sleeper) return sleep(at, record, milliseconds);
                ++record.coming;
                const answer = Atomics.waitAsync(HEAP32, at >> 2, 1, milliseconds);
                if (answer.async) answer.value.then(record.rang);
                else soon(record.rang);
            },
            hurry: (at, milliseconds) => {
                const record = records.get(at);
                if (record.sleeper) setTimer(at, record, milliseconds);
                else Atomics.notify(HEAP32, at >> 2);
            },
            call: (at) => {
                const record = records.get(at);
                ++record.coming;
                soon(() => come(at, record, _futon_bell_called));
            },
            end: (at) => {
                const record = records.get(at);
                record.isEnded = true;
                clearTimeout(record.timer);
                if (record.coming === 0) giveBack(at, record);
            },
        };
        Module['futonBells'] = bells;
    }
    try {
        Module['futonBells'].begin(cell);
    } catch (error) {
        return 0;
    }
    return 1;
});

/// Calls futon_bell_rang once: if the word is not 1, when it is woken, or after that time.
EM_JS(void, futon_bells_listen, (void* cell, double milliseconds), { Module['futonBells'].listen(cell, milliseconds); });

/// Replaces the time that was given by a shorter one.
EM_JS(void, futon_bells_hurry, (void* cell, double milliseconds), { Module['futonBells'].hurry(cell, milliseconds); });

/// Calls futon_bell_called once, in a task of its own.
EM_JS(void, futon_bells_call, (void* cell), { Module['futonBells'].call(cell); });

/// Gives the cell back once no callback is to come for it.
EM_JS(void, futon_bells_end, (void* cell), { Module['futonBells'].end(cell); });

/// In a task of its own: if nothing else is left, the program or the thread exits. The thread may have ended by then.
EM_JS(void, futon_bells_may_exit, (), {
    const thread = _pthread_self();
    setTimeout(() => { if (_pthread_self() === thread) callUserCallback(() => {}); });
});
// clang-format on

void turn(BellCell& cell) noexcept {
    if (cell.turn != nullptr) cell.turn(cell.context);
}

void do_nothing(void*) {}

}  // namespace

extern "C" {

EMSCRIPTEN_KEEPALIVE void futon_bell_rang(BellCell* cell) {
    cell->is_listening = false;
    turn(*cell);
}

EMSCRIPTEN_KEEPALIVE void futon_bell_called(BellCell* cell) {
    cell->is_called = false;
    turn(*cell);
}
}

Doorbell::~Doorbell() {
    if (cell_ == nullptr) return;
    cell_->turn = nullptr;
    cell_->word.store(BellCell::token);
    AddressWait::wake_all(cell_->word);  // the listener returns, and gives the cell back
    futon_bells_end(cell_);
}

void Doorbell::ring() noexcept {
    Word& word = *word_;
    // The exchange is the last touch: afterwards the bell may be gone. A cell's word may belong to another bell by
    // then, whose listener is called once for nothing.
    if (word.exchange(BellCell::token, std::memory_order_release) == BellCell::asleep)  // [parker-token]
        AddressWait::wake_all(word);
}

void Doorbell::wait() noexcept {
    std::uint32_t seen = BellCell::idle;
    if (word_->compare_exchange_strong(seen, BellCell::asleep, std::memory_order_acquire) ||  // [parker-token]
        seen == BellCell::asleep) {                                                           // it has a listener
        while (word_->load(std::memory_order_acquire) == BellCell::asleep)                    // [parker-token]
            AddressWait::wait(*word_, BellCell::asleep);
    }
    word_->store(BellCell::idle,
                 std::memory_order_relaxed);  // the token was taken: no other thread writes until the next sleep
}

bool Doorbell::wait_until(TimePoint deadline) noexcept {
    std::uint32_t seen = BellCell::idle;
    if (word_->compare_exchange_strong(seen, BellCell::asleep, std::memory_order_acquire) ||  // [parker-token]
        seen == BellCell::asleep) {                                                           // as above
        while (word_->load(std::memory_order_acquire) == BellCell::asleep) {                  // [parker-token]
            if (now() >= deadline) {
                seen = BellCell::asleep;
                if (word_->compare_exchange_strong(seen, BellCell::idle, std::memory_order_acquire))  // [parker-token]
                    return false;
                break;
            }
            AddressWait::wait_until(*word_, BellCell::asleep, deadline);
        }
    }
    word_->store(BellCell::idle, std::memory_order_relaxed);  // as above
    return true;
}

NativeHandle Doorbell::native_handle() {
    throw std::system_error(
        std::make_error_code(std::errc::function_not_supported),
        "futon::EventLoop::native_handle: an engine has no native handles; start has it run the loop");
}

void Doorbell::listen(void (*turn)(void*) noexcept, void* context) {
    if (cell_ == nullptr) {
        BellCell& cell = take_cell();
        if (futon_bells_begin(&cell) == 0) {
            cell.is_taken.store(0);
            throw std::system_error(
                std::make_error_code(std::errc::operation_not_permitted),
                "futon::EventLoop::start: this engine has no Atomics.waitAsync, and starts no worker "
                "from a blob in its stead");
        }
        cell.word.store(BellCell::idle);
        cell.is_listening = cell.is_called = false;
        cell_ = &cell;
        word_ = &cell.word;
    }
    cell_->turn = turn;
    cell_->context = context;
}

void Doorbell::unlisten() noexcept {
    cell_->turn = nullptr;
}

void Doorbell::set_alarm(TimePoint deadline) noexcept {
    if (cell_ == nullptr || cell_->turn == nullptr) return;
    double left = INFINITY;  // milliseconds
    if (deadline == TimePoint::min()) {
        left = 0;
    } else if (deadline != TimePoint::max()) {
        left = std::chrono::duration<double, std::milli>(deadline - now()).count();
    }
    std::uint32_t seen = BellCell::idle;
    // In this order: announce, then listen. This code sees a ring before the announcement. The engine's comparison sees
    // a ring before it listens. A later ring wakes the listener.
    if (left > 0 && (word_->compare_exchange_strong(seen, BellCell::asleep) || seen == BellCell::asleep)) {
        if (!cell_->is_listening) {
            cell_->is_listening = true;
            cell_->until = deadline;
            futon_bells_listen(cell_, left);
        } else if (deadline < cell_->until) {
            cell_->until = deadline;
            futon_bells_hurry(cell_, left);
        }
    } else if (!cell_->is_called) {
        cell_->is_called = true;
        futon_bells_call(cell_);
    }
}

// A timer that never fires: Node waits for it, and so does a program that would exit with nothing left to do.
void Doorbell::keep_alive(bool is_alive) noexcept {
    constexpr double longest = 2147483647;
    if (is_alive) {
        cell_->keeper = emscripten_set_interval(do_nothing, longest, nullptr);
    } else {
        emscripten_clear_interval(cell_->keeper);
        futon_bells_may_exit();
    }
}

}  // namespace futon::platform
