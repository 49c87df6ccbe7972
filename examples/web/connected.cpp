// SPDX-License-Identifier: MIT
// Threads of C++ and the page share a lock and a wait queue: JavaScript has the other half, connected.js.
#include <atomic>
#include <mutex>
#include <thread>

#include <emscripten.h>

#include <futon/futon.hpp>

namespace {

constexpr int count = 3;

struct Shared {
    futon::AsyncLock lock{futon::Fairness::strict};  // guards the balls
    std::atomic<int> frame = 0;                      // which the page has drawn last
    float balls[count] = {};
};

void move(Shared& shared, int ball) {
    for (int seen = 0;; seen = shared.frame) {
        futon::wait(shared.frame, seen);           // blocks this thread alone, until the page notifies
        const std::scoped_lock hold(shared.lock);  // so does this, while the page draws
        shared.balls[ball] += static_cast<float>(1 + ball);
    }
}

}  // namespace

extern "C" EMSCRIPTEN_KEEPALIVE Shared* start() {
    static Shared shared;
    for (int ball = 0; ball < count; ++ball) std::thread([ball] { move(shared, ball); }).detach();
    return &shared;
}

int main() {}
