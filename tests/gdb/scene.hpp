// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <fstream>
#include <string>
#include <thread>
#include <utility>

#include <unistd.h>

#include <futon/core/queue/wait_table.hpp>

/// Starts a thread and returns once `count` waiters are queued at `address`.
template <class F>
std::thread start(const void* address, std::size_t count, F f) {
    std::thread thread(std::move(f));
    while (futon::core::process_table().count(address) < count) std::this_thread::yield();
    return thread;
}

/// Whether a thread of this process sleeps, as the system says: after the name in parentheses comes its state.
inline bool is_asleep(pid_t thread) {
    std::ifstream file("/proc/self/task/" + std::to_string(thread) + "/stat");
    std::string line;
    std::getline(file, line);
    const std::size_t name_end = line.rfind(") ");
    return name_end != std::string::npos && line[name_end + 2] == 'S';
}
