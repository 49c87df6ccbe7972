// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>

#include "napi.hpp"

namespace futon::node::engine_promise {

// Promises by V8 itself. To settle one takes nothing but the promise, where N-API keeps a deferred of 64 bytes for each:
// of a crowd that waits, a third of its memory. Only N-API promises that a build serves all versions of Node, so this is
// used by the Node that the addon was built for, and any other gets deferreds.

/// Whether this build has it, and for the Node with that number (process.versions.modules).
bool is_usable(std::int32_t modules) noexcept;

/// A new promise; null in a thread that is being terminated.
napi_value create() noexcept;

void fulfil(napi_value promise, napi_value value) noexcept;

}  // namespace futon::node::engine_promise
