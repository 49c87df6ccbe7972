// SPDX-License-Identifier: MIT
//
// Waiting without blocking and without allocating: a core::AsyncWaiter is its own place in the wait queue and its own job.
// This one waits for each new frame, and is enqueued again from its completion.
//
// Prints:
//     3 frames drawn, 0 allocations

#include <atomic>
#include <cstdio>

#include <futon/futon.hpp>

#include "count_allocations.hpp"

namespace {

class Painter final : public futon::core::AsyncWaiter {
public:
    Painter(futon::Executor& executor, futon::Word<int> frame) : AsyncWaiter(executor), frame_(frame) {}

    void wait_for_next() noexcept {
        while (!enqueue(frame_.equals(drawn_))) drawn_ = frame_.load();  // it has changed already: draw it
    }
    int drawn() const noexcept { return drawn_; }

private:
    void on_complete(futon::WaitResult) noexcept override {
        drawn_ = frame_.load();
        wait_for_next();
    }

    futon::Word<int> frame_;
    int drawn_ = 0;
};

}  // namespace

int main() {
    futon::EventLoop loop;
    std::atomic<int> frame{0};
    Painter painter(loop, frame);

    const int before = allocations;
    painter.wait_for_next();
    for (int i = 0; i < 3; ++i) {
        futon::fetch_add_and_notify(frame, 1);
        loop.poll();
    }
    const int allocated = allocations - before;

    std::printf("%d frames drawn, %d allocations\n", painter.drawn(), allocated);
    return painter.drawn() == 3 && allocated == 0 ? 0 : 1;
}
