// SPDX-License-Identifier: MIT
// What can be done with a futon::addon::Thread. Each function takes words: Int32Array. A thread waits on words[0] until it is
// to stop, and then increments words[1].

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <utility>

#include <futon/addon.h>

namespace {

using futon::addon::Thread;
using Words = futon::addon::SharedWords<std::int32_t>;

std::optional<Words> words_of(napi_env env, napi_callback_info info) {
    std::size_t count = 1;
    napi_value argument = nullptr;
    napi_get_cb_info(env, info, &count, &argument, nullptr, nullptr);
    return Words::from(env, argument, "words");
}

/// A thread that only a stop ends.
Thread waiting(napi_env env, const Words& words) {
    return Thread(env, [words](const std::stop_token& stop) {
        while (!stop.stop_requested()) futon::wait(words[0], 0, stop);
        words[1].fetch_add(1);
    });
}

/// Its destructor runs here.
napi_value drop(napi_env env, napi_callback_info info) {
    if (const auto words = words_of(env, info)) waiting(env, *words);
    return nullptr;
}

napi_value replace(napi_env env, napi_callback_info info) {
    const auto words = words_of(env, info);
    if (!words) return nullptr;
    Thread thread = waiting(env, *words);
    thread = waiting(env, *words);
    words->at(2).store((*words)[1].load());  // how many have ended by now
    Thread moved = std::move(thread);
    words->at(3).store(moved.joinable() ? 1 : 0);
    return nullptr;
}

napi_value detach(napi_env env, napi_callback_info info) {
    if (const auto words = words_of(env, info)) waiting(env, *words).detach();
    return nullptr;
}

napi_value join(napi_env env, napi_callback_info info) {
    const auto words = words_of(env, info);
    if (!words) return nullptr;
    Thread thread(env, [words = *words] { words[1].fetch_add(1); });
    thread.join();
    words->at(2).store(thread.joinable() ? 1 : 0);
    return nullptr;
}

Thread kept;

napi_value keep(napi_env env, napi_callback_info info) {
    if (const auto words = words_of(env, info)) kept = waiting(env, *words);
    return nullptr;
}

/// Returns whether the thread that `keep` has begun was still there.
napi_value forget(napi_env env, napi_callback_info) {
    napi_value result = nullptr;
    napi_get_boolean(env, kept.joinable(), &result);
    kept = Thread();
    return result;
}

/// Returns whether a thread without an environment was refused.
napi_value without_environment(napi_env env, napi_callback_info) {
    bool is_refused = false;
    try {
        const Thread thread(nullptr, [] {});
    } catch (const std::invalid_argument&) {
        is_refused = true;
    }
    napi_value result = nullptr;
    napi_get_boolean(env, is_refused, &result);
    return result;
}

void define(napi_env env, napi_value exports, const char* name, napi_callback callback) {
    napi_value function = nullptr;
    napi_create_function(env, name, NAPI_AUTO_LENGTH, callback, nullptr, &function);
    napi_set_named_property(env, exports, name, function);
}

}  // namespace

NAPI_MODULE_INIT() {
    define(env, exports, "drop", drop);
    define(env, exports, "replace", replace);
    define(env, exports, "detach", detach);
    define(env, exports, "join", join);
    define(env, exports, "keep", keep);
    define(env, exports, "forget", forget);
    define(env, exports, "withoutEnvironment", without_environment);
    return exports;
}
