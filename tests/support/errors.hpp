// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <stdexcept>
#include <string>
#include <thread>

namespace futon::test {

/// What `f` is told on another thread, as a std::logic_error.
inline std::string error_on_another_thread(const std::function<void()>& f) {
    std::string text = "no error";
    std::thread([&] {
        try {
            f();
        } catch (const std::logic_error& error) {
            text = error.what();
        }
    }).join();
    return text;
}

inline const std::string loop_thread_rule = ": a loop belongs to the thread that made it; other threads post to it";

}  // namespace futon::test
