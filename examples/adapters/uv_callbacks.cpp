// SPDX-License-Identifier: MIT
//
// futon in a libuv program without coroutines: `call_back` does any operation of the library, and calls a function in the uv
// loop. Blocked threads and the loop stand in one queue.
//
// Prints:
//     worker: 42
//     event: timed-out
//     uv_run returns

#include <chrono>
#include <cstdio>
#include <thread>

#include <futon/uv.hpp>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

int main() {
    uv_loop_t* const uv = uv_default_loop();
    futon::AsyncLock lock;
    futon::Event event;
    int shared = 0;
    int shown = 0;
    {
        futon::uv::Loop loop(uv);  // this thread's agent, from here on: it may not block

        lock.try_lock();
        std::jthread worker([&] {
            shared = 42;
            lock.unlock();  // a task of the loop waits for it
        });
        futon::call_back(lock.locking(), [&](futon::AsyncLock::Guard guard) {
            if (guard) std::printf("worker: %d\n", shown = shared);
            futon::call_back(event.waiting(), 5ms,
                             [](futon::WaitResult result) { std::printf("event: %s\n", to_string(result).data()); });
        });

        uv_run(uv, UV_RUN_DEFAULT);  // until nothing is left to happen
        std::puts("uv_run returns");
    }
    uv_run(uv, UV_RUN_DEFAULT);  // libuv lets go of the handles
    return uv_loop_close(uv) == 0 && shown == 42 ? 0 : 1;
}
