// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>

#include "arguments.hpp"
#include "environment.hpp"
#include "functions.hpp"

namespace futon::node {

namespace {

void define(napi_env env, napi_value object, const char* name, napi_callback function, Environment& environment) {
    napi_value value = nullptr;
    must(napi_create_function(env, name, NAPI_AUTO_LENGTH, function, &environment, &value), "napi_create_function");
    must(napi_set_named_property(env, object, name, value), "napi_set_named_property");
}

/// Opens the environment of this thread: takes its number, returns its functions and its mailbox.
napi_value open(napi_env env, napi_callback_info info) {
    std::size_t count = 1;
    napi_value argument = nullptr;
    std::int32_t thread_id = 0;
    must(napi_get_cb_info(env, info, &count, &argument, nullptr, nullptr), "napi_get_cb_info");
    must(napi_get_value_int32(env, argument, &thread_id), "napi_get_value_int32");

    napi_value mailbox = nullptr;
    Environment* environment = Environment::open(env, thread_id, &mailbox);
    if (environment == nullptr) return nullptr;

    napi_value functions = nullptr;
    must(napi_create_object(env, &functions), "napi_create_object");
    must(napi_set_named_property(env, functions, "mailbox", mailbox), "napi_set_named_property");
    define(env, functions, "notify", notify, *environment);
    define(env, functions, "wait", wait, *environment);
    define(env, functions, "join", join, *environment);
    define(env, functions, "joinDeferred", join_deferred, *environment);
    define(env, functions, "settleDeferred", settle_deferred, *environment);
    define(env, functions, "takeSettled", take_settled, *environment);
    define(env, functions, "cancel", cancel, *environment);
    define(env, functions, "setWork", set_work, *environment);
    define(env, functions, "tryLock", try_lock, *environment);
    define(env, functions, "lock", lock, *environment);
    define(env, functions, "unlock", unlock, *environment);
    define(env, functions, "joinLock", join_lock, *environment);
    define(env, functions, "addressOf", address_of, *environment);
    define(env, functions, "waiters", waiters, *environment);
    define(env, functions, "pause", pause, *environment);
    define(env, functions, "setCallbacks", set_callbacks, *environment);
    return functions;
}

}  // namespace

napi_value set_callbacks(napi_env env, napi_callback_info info) {
    std::size_t count = 2;
    napi_value callbacks[2] = {};
    void* data = nullptr;
    must(napi_get_cb_info(env, info, &count, callbacks, nullptr, &data), "napi_get_cb_info");
    static_cast<Environment*>(data)->set_callbacks(callbacks[0], callbacks[1]);
    return nullptr;
}

}  // namespace futon::node

NAPI_MODULE_INIT() {
    napi_value function = nullptr;
    futon::node::must(
        napi_create_function(env, "open", NAPI_AUTO_LENGTH, futon::node::open, nullptr, &function),
        "napi_create_function");
    futon::node::must(napi_set_named_property(env, exports, "open", function), "napi_set_named_property");
    return exports;
}
