// SPDX-License-Identifier: MIT
#include <cstring>

#include <node_version.h>
#include <v8.h>

#include "engine_promise.hpp"

namespace futon::node::engine_promise {

namespace {

// A napi_value is a handle of V8; so it is in Node itself.
static_assert(sizeof(v8::Local<v8::Value>) == sizeof(napi_value));

v8::Local<v8::Value> to_v8(napi_value value) noexcept {
    v8::Local<v8::Value> local;
    std::memcpy(static_cast<void*>(&local), &value, sizeof value);
    return local;
}

napi_value to_napi(v8::Local<v8::Value> local) noexcept {
    napi_value value = nullptr;
    std::memcpy(&value, static_cast<void*>(&local), sizeof value);
    return value;
}

v8::Local<v8::Context> current_context() noexcept {
    return v8::Isolate::GetCurrent()->GetCurrentContext();
}

}  // namespace

bool is_usable(std::int32_t modules) noexcept {
    return modules == NODE_MODULE_VERSION;
}

napi_value create() noexcept {
    v8::Local<v8::Promise::Resolver> resolver;
    if (!v8::Promise::Resolver::New(current_context()).ToLocal(&resolver)) return nullptr;
    return to_napi(resolver->GetPromise());
}

void fulfil(napi_value promise, napi_value value) noexcept {
    // A promise of V8 is its own resolver. This fails in a thread that is being terminated only.
    to_v8(promise).As<v8::Promise::Resolver>()->Resolve(current_context(), to_v8(value)).FromMaybe(false);
}

}  // namespace futon::node::engine_promise
