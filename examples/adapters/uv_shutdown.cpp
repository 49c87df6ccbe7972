// SPDX-License-Identifier: MIT
//
// Shutting down a libuv program in which much waits: the object that owns futon's loop is destroyed in a callback, here of
// a deadline. What waits leaves its queues at once, and what was on its way to it goes on: the worker gets the lock.
//
// Prints:
//     3 waits are pending
//     0 waits are pending
//     the worker has the lock
//     libuv has closed everything

#include <chrono>
#include <cstdio>
#include <memory>
#include <thread>

#include <futon/uv.hpp>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

namespace {

/// A part of a program, with a loop of its own.
class Service {
public:
    Service(uv_loop_t* uv, futon::AsyncLock& lock) : loop_(uv) {
        futon::call_back(lock.locking(), [this](futon::AsyncLock::Guard guard) { held_ = std::move(guard); });
        for (int i = 0; i < 3; ++i) futon::call_back(lock.locking(), [](futon::AsyncLock::Guard) {});
    }

    futon::uv::Loop& loop() { return loop_; }

private:
    futon::AsyncLock::Guard held_{futon::WaitResult::cancelled};
    futon::uv::Loop loop_;  // last: its end destroys what refers to the rest
};

std::size_t waiting_for(const futon::AsyncLock& lock) {
    return futon::core::process_table().count(&lock);
}

}  // namespace

int main() {
    uv_loop_t* const uv = uv_default_loop();
    futon::AsyncLock lock;
    auto service = std::make_unique<Service>(uv, lock);
    bool is_right = false;

    service->loop().post_after(2ms, [&] {
        const std::size_t before = waiting_for(lock);
        service.reset();  // libuv's loop runs on
        std::printf("%zu waits are pending\n%zu waits are pending\n", before, waiting_for(lock));
        is_right = before == 3 && waiting_for(lock) == 0;
    });
    uv_run(uv, UV_RUN_DEFAULT);

    std::jthread([&] {
        lock.lock();
        std::puts("the worker has the lock");
        lock.unlock();
    }).join();
    const bool is_closed = uv_loop_close(uv) == 0;
    if (is_closed) std::puts("libuv has closed everything");
    return is_closed && is_right ? 0 : 1;
}
