// SPDX-License-Identifier: MIT
#include <cstddef>
#include <cstdint>

#include "arguments.hpp"
#include "diagnosis.hpp"
#include "environment.hpp"
#include "functions.hpp"

namespace futon::node {

namespace {

struct Function {
    const char* name;
    napi_callback callback;
};

constexpr Function functions[] = {
    {"notify", notify},
    {"wait", wait},
    {"enqueue", enqueue},
    {"enqueueWithPromise", enqueue_with_promise},
    {"fulfil", fulfil},
    {"takeSettled", take_settled},
    {"cancel", cancel},
    {"setWork", set_work},
    {"tryLock", try_lock},
    {"lock", caught<lock>},
    {"unlock", unlock},
    {"beginOperation", begin_operation},
    {"act", act},
    {"blockInOperation", caught<block_in_operation>},
    {"addChoice", add_choice},
    {"beginSelect", begin_select},
    {"blockInSelect", block_in_select},
    {"chosenOf", chosen_of},
    {"stageBytes", stage_bytes},
    {"takeMessage", take_message},
    {"addressOf", address_of},
    {"waiters", waiters},
    {"pause", pause},
    {"setCallbacks", set_callbacks},
    {"noteOf", note_of},
    {"holderOf", holder_of},
};

/// Defines the property, which calls no setter of Object.prototype.
bool define(napi_env env, napi_value object, const char* name, napi_value value) {
    const napi_property_descriptor property{name,   nullptr, nullptr, nullptr, nullptr, value, napi_default_jsproperty,
                                            nullptr};
    return napi_define_properties(env, object, 1, &property) == napi_ok;
}

bool define(napi_env env, napi_value object, const Function& function, Environment* environment) {
    napi_value value = nullptr;
    return napi_create_function(env, function.name, NAPI_AUTO_LENGTH, function.callback, environment, &value) ==
               napi_ok &&
           define(env, object, function.name, value);
}

/// Opens the environment of this thread. Takes the thread's number and the version of the running Node. Returns the functions,
/// the mailbox, and whether JavaScript must keep the promises that C++ settles.
napi_value open(napi_env env, napi_callback_info info) {
    std::size_t count = 2;
    napi_value arguments[2] = {};
    std::int32_t thread_id = 0;
    std::int32_t modules = 0;
    must(napi_get_cb_info(env, info, &count, arguments, nullptr, nullptr), "napi_get_cb_info");
    must(napi_get_value_int32(env, arguments[0], &thread_id), "napi_get_value_int32");
    must(napi_get_value_int32(env, arguments[1], &modules), "napi_get_value_int32");

    napi_value mailbox = nullptr;
    Environment* environment = Environment::open(env, thread_id, modules, &mailbox);
    if (environment == nullptr) return nullptr;

    napi_value result = nullptr;
    napi_value must_keep_promises = nullptr;
    must(napi_create_object(env, &result), "napi_create_object");
    must(napi_get_boolean(env, environment->has_engine_promises(), &must_keep_promises), "napi_get_boolean");
    if (!define(env, result, "mailbox", mailbox) || !define(env, result, "mustKeepPromises", must_keep_promises))
        return nullptr;
    for (const Function& function : functions)
        if (!define(env, result, function, environment)) return nullptr;
#ifdef FUTON_DIAGNOSTICS
    for (const DiagnosisFunction* one = diagnosis_functions; one->name != nullptr; ++one)
        if (!define(env, result, Function{one->name, one->callback}, environment)) return nullptr;
#endif
    return environment->belong_to(result) ? result : nullptr;
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
    futon::node::define(env, exports, {"open", futon::node::open}, nullptr);
    return exports;
}
