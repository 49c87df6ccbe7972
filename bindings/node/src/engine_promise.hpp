// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "napi.hpp"

namespace futon::node::engine_promise {

// Promises of V8 itself. Settling one needs nothing but the promise; N-API keeps a deferred of 64 bytes for each, which
// is a third of what a pending wait takes. Only N-API is stable across versions of Node. So the version that the addon
// was built for uses this, and any other version uses deferreds.

/// Whether this build has it, and was built for the Node with that number (process.versions.modules).
bool is_usable(std::int32_t modules) noexcept;

/// A new promise; null in a thread that is being terminated.
napi_value create() noexcept;

void fulfil(napi_value promise, napi_value value) noexcept;

}  // namespace futon::node::engine_promise
