// SPDX-License-Identifier: MIT
//
// A main thread that must not block and a worker that may share a word of memory and a lock.
//
// Prints:
//     60 frames are ready

#include <atomic>
#include <iostream>
#include <mutex>
#include <thread>

#include <futon/futon.hpp>

futon::Promise<void> paint(std::atomic<int>& frames, futon::AsyncLock& lock) {
    co_await futon::wait_async(frames, 0);          // the main thread does not block,
    auto hold = co_await lock.scoped_lock_async();  // not even for a lock
    std::cout << frames << " frames are ready\n";
}

int main() {
    futon::EventLoop loop;        // from here on, this thread must not block
    futon::AsyncLock lock;        // four bytes
    std::atomic<int> frames = 0;  // any word of memory can be waited on

    std::jthread worker([&] {
        std::scoped_lock hold(lock);  // a worker may block
        frames = 60;
        futon::notify(frames);
    });
    loop.run_until(paint(frames, lock));
    return frames == 60 ? 0 : 1;
}
