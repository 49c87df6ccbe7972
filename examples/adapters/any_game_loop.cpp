// SPDX-License-Identifier: MIT
//
// A game loop: it never sleeps, and runs once a frame what futon has for it. `wake` has nothing to do then. `poll` runs what is
// ready and leaves what that posts for the next frame, so a frame is never kept by jobs that post each other.
//
// Prints:
//     frame 0: loading
//     the level is loaded: 3 rooms
//     the lock never stopped a frame

#include <chrono>
#include <cstdio>
#include <thread>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

namespace {

struct World {
    futon::AsyncLock lock;
    int rooms = 0;
};

/// What a thread of the game does, which may block.
void load(World& world, futon::Event& begun) {
    world.lock.lock();
    begun.set();
    for (int i = 0; i < 3; ++i) {
        std::this_thread::sleep_for(2ms);  // slow, and under the lock
        ++world.rooms;
    }
    world.lock.unlock();
}

}  // namespace

int main() {
    World world;
    futon::Event begun;
    int rooms = 0;

    futon::core::LoopExecutor futons([]() noexcept {});  // this thread's agent: it may not block
    std::jthread loader([&] { load(world, begun); });
    while (!begun.is_set()) std::this_thread::yield();

    futon::call_back(world.lock.locking(), [&](futon::AsyncLock::Guard guard) {
        if (guard) rooms = world.rooms;
    });
    int frames = 0;
    for (; rooms != 3; ++frames) {
        if (frames == 0) std::puts("frame 0: loading");
        futons.poll();                     // what has come since the last frame
        std::this_thread::sleep_for(1ms);  // input, physics, drawing
    }
    std::printf("the level is loaded: %d rooms\nthe lock never stopped a frame\n", rooms);
    return frames > 0 ? 0 : 1;
}
