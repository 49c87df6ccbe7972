// SPDX-License-Identifier: MIT
#pragma once

#include <futon/futon.hpp>

#define PLUGIN_API [[gnu::visibility("default")]]

/// Wakes up what waits at the word; on a thread of the plugin's own.
PLUGIN_API std::size_t notify_in_plugin(std::atomic<int>& word);

/// An agent that the plugin has made on this thread, as it sees it.
PLUGIN_API const futon::Agent* agent_in_plugin();

/// Throws what a thread gets that may not block.
PLUGIN_API void wait_in_plugin(std::atomic<int>& word);

/// Whether the executor is an event loop, by its dynamic type.
PLUGIN_API bool is_event_loop(futon::core::LoopBase& loop);

PLUGIN_API futon::Promise<int> promise_of_plugin(std::atomic<int>& word);
