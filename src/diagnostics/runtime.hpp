// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "diagnostics/registry.hpp"

// What the runtime of another language tells the diagnostics: its places have no addresses, its loops call back to it, and its memory
// ends without a destructor.
namespace futon::diagnostics::detail {

/// The calls that the thread makes, for code of another language.
struct Call {
    const void* place = nullptr;  ///< by `place_named`; null: what the stack says
    bool is_promise =
        false;  ///< for a promise: what else its loop holds may be other callbacks' then, so it tells of no order
};
Call& this_call() noexcept;

/// A place in a program's text, as if it were an address: of a function, at a line. Kept for ever.
const void* place_named(std::string_view function, std::string_view position);

/// The calling thread runs a loop of another language, and is called so, as "worker 3". It ends as often as it begins.
void runtime_begins(std::string_view title);
void runtime_ends() noexcept;

/// The memory has ended, and what was in it.
void memory_ended(const void* begin, std::size_t size);

/// A loop that may be stuck: its thread asks.
///
/// Nothing says which of a loop's callbacks holds what, so any of them may release it. A loop is stuck only if none can run: no timer, no
/// request and no descriptor of it is active, all other loops that might send it a message are stuck, and all its promises wait, with
/// no limit, for what is held by callers that are stuck.
class StillLoop {
public:
    /// Whether nothing wakes it but another thread, and nothing has. Called under the registry's mutex.
    virtual bool is_still() const noexcept = 0;

protected:
    ~StillLoop() = default;
};

/// Reports a deadlock that the promises of the calling thread's loop are in, once. Throws nothing: no wait could.
void look_from_loop(const StillLoop& loop) noexcept;

}  // namespace futon::diagnostics::detail
