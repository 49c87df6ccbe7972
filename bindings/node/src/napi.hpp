// SPDX-License-Identifier: MIT
#pragma once

#include <node_api.h>

namespace futon::node {

/// A scope of handles, for code that runs without one (callbacks of the loop) or for long (calls that block).
class HandleScope {
public:
    explicit HandleScope(napi_env env) noexcept : env_(env) { napi_open_handle_scope(env, &scope_); }
    ~HandleScope() { napi_close_handle_scope(env_, scope_); }
    HandleScope(const HandleScope&) = delete;
    HandleScope& operator=(const HandleScope&) = delete;

private:
    napi_env env_;
    napi_handle_scope scope_ = nullptr;
};

/// Ends the program if a call of N-API failed that can fail only by a bug of this addon. Calls that may run JavaScript
/// also fail in a thread that is being terminated; their callers return instead.
inline void must(napi_status status, const char* call) noexcept {
    if (status != napi_ok) napi_fatal_error(call, NAPI_AUTO_LENGTH, "futon: a call of N-API failed", NAPI_AUTO_LENGTH);
}

}  // namespace futon::node
