// SPDX-License-Identifier: MIT
// Threads of C++ that use the primitives of JavaScript, over the same bytes.

#include <cstddef>
#include <cstdint>
#include <exception>
#include <iterator>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>

#include <futon/addon.h>

#include "family_scenarios.hpp"

namespace {

using family::Awaiting;
using family::Blocking;
using family::Run;
using family::Words;

using Body = futon::Promise<void> (*)(Run&);

struct Scenario {
    std::string_view name;
    Body blocking;
    Body awaiting;
};

constexpr Scenario scenarios[] = {
    {"lock", family::lock<Blocking>, family::lock<Awaiting>},
    {"sharedLock", family::shared_lock<Blocking>, family::shared_lock<Awaiting>},
    {"semaphore", family::semaphore<Blocking>, family::semaphore<Awaiting>},
    {"event", family::event<Blocking>, family::event<Awaiting>},
    {"signal", family::signal<Blocking>, family::signal<Awaiting>},
    {"latch", family::latch<Blocking>, family::latch<Awaiting>},
    {"barrier", family::barrier<Blocking>, family::barrier<Awaiting>},
    {"condition", family::condition<Blocking>, family::condition<Awaiting>},
    {"channel", family::channel<Blocking>, family::channel<Awaiting>},
    {"select", family::select<Blocking>, family::select<Awaiting>},
    {"lockInOrder", family::lock_in_order<Blocking>, family::lock_in_order<Awaiting>},
    {"sharedLockInOrder", family::shared_lock_in_order<Blocking>, family::shared_lock_in_order<Awaiting>},
    {"semaphoreInOrder", family::semaphore_in_order<Blocking>, family::semaphore_in_order<Awaiting>},
    {"signalInOrder", family::signal_in_order<Blocking>, family::signal_in_order<Awaiting>},
    {"conditionInOrder", family::condition_in_order<Blocking>, family::condition_in_order<Awaiting>},
};

void run(Run& run, Body body, futon::CanBlock can_block) {
    try {
        if (run.rounds > 1) begin(run);
        futon::EventLoop loop(can_block);
        loop.run_until(body(run));
    } catch (const family::Stopped&) {
        return;
    } catch (const std::exception&) {
        run.expect(false);
    }
    run.word(family::done).fetch_add(1);
    futon::notify(run.word(family::done));
}

std::int32_t integer(napi_env env, napi_value value) {
    std::int32_t result = 0;
    napi_get_value_int32(env, value, &result);
    return result;
}

/// start(words: Int32Array, scenario: string, awaits: boolean, id: number, participants: number, rounds: number): begins
/// a thread, which increments the word `done` when it has ended.
napi_value start(napi_env env, napi_callback_info info) {
    napi_value arguments[6] = {};
    std::size_t count = std::size(arguments);
    napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
    const auto words = Words::from(env, arguments[0], "words");
    if (!words) return nullptr;
    char name[32] = {};
    bool awaits = false;
    napi_get_value_string_utf8(env, arguments[1], name, sizeof name, nullptr);
    napi_get_value_bool(env, arguments[2], &awaits);
    for (const Scenario& scenario : scenarios) {
        if (scenario.name != name) continue;
        const Body body = awaits ? scenario.awaiting : scenario.blocking;
        const auto can_block = awaits ? Awaiting::can_block : Blocking::can_block;
        Run task{*words, {}, integer(env, arguments[3]), integer(env, arguments[4]), integer(env, arguments[5])};
        futon::addon::Thread(env, [task, body, can_block](std::stop_token stop) mutable {
            task.stop = std::move(stop);
            run(task, body, can_block);
        }).detach();
        return nullptr;
    }
    napi_throw_error(env, nullptr, "there is no such scenario");
    return nullptr;
}

/// refuses(words: Int32Array, byteOffset: number): whether no semaphore can lie there.
napi_value refuses(napi_env env, napi_callback_info info) {
    napi_value arguments[2] = {};
    std::size_t count = std::size(arguments);
    napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr);
    const auto words = Words::from(env, arguments[0], "words");
    if (!words) return nullptr;
    bool is_refused = false;
    try {
        words->object<futon::Semaphore>(static_cast<std::size_t>(integer(env, arguments[1])));
    } catch (const std::out_of_range&) {
        is_refused = true;
    }
    napi_value result = nullptr;
    napi_get_boolean(env, is_refused, &result);
    return result;
}

}  // namespace

NAPI_MODULE_INIT() {
    napi_value function = nullptr;
    napi_create_function(env, "start", NAPI_AUTO_LENGTH, start, nullptr, &function);
    napi_set_named_property(env, exports, "start", function);
    napi_create_function(env, "refuses", NAPI_AUTO_LENGTH, refuses, nullptr, &function);
    napi_set_named_property(env, exports, "refuses", function);
    return exports;
}
