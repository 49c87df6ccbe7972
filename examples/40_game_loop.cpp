// SPDX-License-Identifier: MIT
//
// A game: its loop draws frame after frame and never sleeps for futon. One `poll` a frame runs what has become ready: coroutines of
// the game, timers, the answers of workers, for two milliseconds at most; the rest is the next frame's. Loading is a worker's; the game draws on meanwhile, and takes what is loaded when it is.
//
// Prints:
//     the level is loaded, and frames were drawn meanwhile
//     the fight took 3 frames, as a coroutine that waits for frames

#include <atomic>
#include <chrono>
#include <cstdio>
#include <string>
#include <thread>
#include <utility>

#include <futon/core/loop/loop_executor.hpp>
#include <futon/futon.hpp>

namespace {

struct Game {
    futon::core::LoopExecutor executor{[]() noexcept {}};  // nothing to wake: it polls each frame
    std::atomic<int> frame = 0;

    void draw_a_frame() {
        ++frame;
        futon::notify(frame);  // the coroutines that wait for a frame
        executor.poll(std::chrono::milliseconds(2));
    }
};

/// Allocates nothing, and goes on in the very poll that follows the notify. (A promise would take a poll more: what listens to it is
/// a job of its own.)
auto next_frame(Game& game) {
    return futon::await(futon::waiting(game.frame, game.frame.load()));
}

/// Reads from the top to the bottom, and takes three frames.
futon::Promise<int> fight(Game& game) {
    const int begin = game.frame;
    co_await next_frame(game);  // raise the sword
    co_await next_frame(game);  // strike
    co_await next_frame(game);  // step back
    co_return game.frame - begin;
}

futon::Promise<std::string> load_level(std::jthread& worker, std::atomic<int>& frame) {
    auto [promise, source] = futon::make_promise<std::string>();
    worker = std::jthread([&frame, source = std::move(source)]() mutable {
        for (int now = frame, end = now + 5; now < end; now = frame) futon::wait(frame, now);  // it takes five frames
        source.fulfil("a cave");
    });
    return std::move(promise);
}

}  // namespace

int main() {
    Game game;
    std::jthread worker;

    auto level = load_level(worker, game.frame);
    const int begin = game.frame;
    while (!level.is_settled()) game.draw_a_frame();
    const bool has_drawn = game.frame - begin >= 5;
    std::printf("the level is loaded, and %s\n", has_drawn ? "frames were drawn meanwhile" : "THE GAME STOOD STILL");

    int took = 0;
    auto fighting = fight(game).then([&](int frames) { took = frames; });
    while (!fighting.is_settled()) game.draw_a_frame();
    std::printf("the fight took %d frames, as a coroutine that waits for frames\n", took);
    return has_drawn && took == 3 ? 0 : 1;
}
