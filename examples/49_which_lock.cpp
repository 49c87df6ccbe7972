// SPDX-License-Identifier: MIT
//
// "Which lock is the bottleneck?": four threads use two locks equally often, and keep one of them for longer. The counts of the
// diagnostics say which one they wait for.

#include <chrono>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

namespace {

constexpr int threads = 4, turns = 100;

void work(futon::AsyncLock& accounts, futon::AsyncLock& log) {
    for (int turn = 0; turn < turns; ++turn) {
        {
            const std::scoped_lock hold(accounts);
            std::this_thread::sleep_for(std::chrono::microseconds(200));  // stands for what is slow
        }
        const std::scoped_lock hold(log);
    }
}

/// The lines of some text that contain another.
std::string lines_with(const std::string& text, const std::string& part) {
    std::istringstream in(text);
    std::string result;
    for (std::string line; std::getline(in, line);)
        if (line.find(part) != std::string::npos && line.front() != '#') result += line + '\n';
    return result;
}

}  // namespace

int main() {
    futon::AsyncLock accounts, log;
    futon::name(accounts, "accounts");
    futon::name(log, "log");
    {
        std::vector<std::jthread> workers;
        for (int i = 0; i < threads; ++i) workers.emplace_back([&] { work(accounts, log); });
    }

    std::ostringstream out;
    futon::diagnostics::metrics(out);
    for (const char* const figure : {"futon_acquisitions_total{", "futon_contended_total{", "futon_wait_seconds_sum{"})
        std::cout << lines_with(out.str(), figure);

    // Each lock was acquired this often, whichever threads had to wait.
    const std::string count = std::to_string(threads * turns);
    for (const std::string name : {"accounts", "log"})
        if (futon::diagnostics::is_on &&
            lines_with(lines_with(out.str(), "acquisitions"), name).find(' ' + count) == std::string::npos)
            return 1;
    return 0;
}
