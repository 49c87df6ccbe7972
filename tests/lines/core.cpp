// SPDX-License-Identifier: MIT
//
// Compiled without the recorder's calls, as recorder.cpp.
#include "core.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <fstream>
#include <string>
#include <utility>

#include "recorder.hpp"

namespace futon::test {

Core::Core(int number) : number_(number), runner_([this] { work(); }) {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return thread_ != 0; });
}

Core::~Core() {
    {
        const std::lock_guard hold(mutex_);
        is_over_ = true;
    }
    changed_.notify_all();
    runner_.join();
}

void Core::begin(std::function<void()> step) {
    const std::lock_guard hold(mutex_);
    step_ = std::move(step);
    changed_.notify_all();
}

void Core::finish() {
    std::unique_lock hold(mutex_);
    changed_.wait(hold, [this] { return !step_; });
}

void Core::until_asleep() const {
    const std::string file = "/proc/self/task/" + std::to_string(thread_) + "/stat";
    for (std::string line;; std::this_thread::yield()) {
        std::ifstream stream(file);
        std::getline(stream, line);
        const std::size_t name_end = line.rfind(')');
        if (name_end != std::string::npos && line.compare(name_end, 3, ") S") == 0) return;
    }
}

void Core::work() {
    std::unique_lock hold(mutex_);
    thread_ = syscall(SYS_gettid);
    changed_.notify_all();
    while (true) {
        changed_.wait(hold, [this] { return step_ || is_over_; });
        if (is_over_) return;
        hold.unlock();
        {
            const OnCore recorded(number_);
            step_();
        }
        hold.lock();
        step_ = nullptr;
        changed_.notify_all();
    }
}

}  // namespace futon::test
