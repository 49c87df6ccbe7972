// SPDX-License-Identifier: MIT
#include "engine_promise.hpp"

namespace futon::node::engine_promise {

bool is_usable(std::int32_t) noexcept {
    return false;
}

napi_value create() noexcept {
    return nullptr;
}

void fulfil(napi_value, napi_value) noexcept {}

}  // namespace futon::node::engine_promise
