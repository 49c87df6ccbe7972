// SPDX-License-Identifier: MIT
//
// For the benchmarks: how many bytes this process has from malloc, which shows what the engine and the addon keep outside
// of the heap of V8. The resident size would rather show the steps in which heaps grow.

#include <malloc.h>
#include <node_api.h>

namespace {

napi_value bytes_in_use(napi_env env, napi_callback_info) {
    const struct mallinfo2 info = mallinfo2();
    napi_value result = nullptr;
    napi_create_double(env, static_cast<double>(info.uordblks + info.hblkhd), &result);
    return result;
}

}  // namespace

NAPI_MODULE_INIT() {
    napi_value function = nullptr;
    napi_create_function(env, "bytesInUse", NAPI_AUTO_LENGTH, bytes_in_use, nullptr, &function);
    napi_set_named_property(env, exports, "bytesInUse", function);
    return exports;
}
