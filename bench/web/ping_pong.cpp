// SPDX-License-Identifier: MIT
// How long a word goes to another thread and back, each side asleep meanwhile: by futon, and by the engine's own functions.
#include <atomic>
#include <cmath>
#include <limits>
#include <thread>

#include <emscripten/em_js.h>
#include <emscripten/emscripten.h>
#include <emscripten/threading.h>

#include "measure.hpp"

namespace futon::bench {

namespace {

constexpr int blocks = 15;

std::atomic<int> ball;
std::atomic<int> has_ended;
PromiseSource<void>* engine_has_ended = nullptr;

struct Futon {
    static void wait(std::atomic<int>& word, int value) { futon::wait(word, value); }
    static void wake(std::atomic<int>& word) { futon::notify(word); }
};

struct Engine {
    static void wait(std::atomic<int>& word, int value) {
        emscripten_futex_wait(&word, static_cast<unsigned>(value), INFINITY);
    }
    static void wake(std::atomic<int>& word) { emscripten_futex_wake(&word, std::numeric_limits<int>::max()); }
};

/// A player returns the balls of its parity; the ball's number is how often it has been returned.
template <class How>
void play(int parity, int rounds) {
    for (int seen = ball; seen < rounds; seen = ball) {
        if (seen % 2 == parity) {
            ball = seen + 1;
            How::wake(ball);
        } else {
            How::wait(ball, seen);
        }
    }
}

Promise<void> play_async(int parity, int rounds) {
    for (int seen = ball; seen < rounds; seen = ball) {
        if (seen % 2 == parity) {
            ball = seen + 1;
            notify(ball);
        } else {
            co_await wait_async(ball, seen);
        }
    }
}

// clang-format off
EM_JS(void, futon_bench_play, (void* word, int parity, int rounds), {
    const at = word >> 2;
    const play = async () => {
        for (let seen = Atomics.load(HEAP32, at); seen < rounds; seen = Atomics.load(HEAP32, at)) {
            if (seen % 2 === parity) {
                Atomics.store(HEAP32, at, seen + 1);
                Atomics.notify(HEAP32, at);
            } else {
                const answer = Atomics.waitAsync(HEAP32, at, seen);
                if (answer.async) await answer.value;
            }
        }
    };
    play().then(() => _futon_bench_played());
});
EM_JS(int, futon_bench_has_wait_async, (), { return typeof Atomics.waitAsync == 'function' ? 1 : 0; });
// clang-format on

enum class Kind { futon, engine };

/// What a player plays next. The threads are made once: Emscripten 3.1.6 may give two threads one stack where many are made and
/// detached.
struct Player {
    Kind kind;
    int rounds;
    double time;
    std::atomic<int> game;  // the number of the last game that was begun

    [[noreturn]] void run(int parity) {
        for (int last = 0;; ++last) {
            futon::wait(game, last);
            const Stopwatch watch;
            kind == Kind::futon ? play<Futon>(parity, rounds) : play<Engine>(parity, rounds);
            time = watch.microseconds();
            ++has_ended;
            notify(has_ended);
        }
    }
};

Player players[2];

void start_player(int parity, Kind kind, int rounds) {
    Player& player = players[parity];
    player.kind = kind;
    player.rounds = rounds;
    if (player.game == 0) std::thread([&player, parity] { player.run(parity); }).detach();
    ++player.game;
    notify(player.game);
}

Promise<void> until_ended(int threads) {
    for (int seen = has_ended; seen < threads; seen = has_ended) co_await wait_async(has_ended, seen);
}

void begin() {
    ball = has_ended = 0;
}

Promise<double> page_by_futon(int rounds) {
    begin();
    start_player(1, Kind::futon, rounds);
    const Stopwatch watch;
    co_await play_async(0, rounds);
    const double time = watch.microseconds();
    co_await until_ended(1);
    co_return time / rounds * 2;
}

Promise<double> page_by_engine(int rounds) {
    begin();
    start_player(1, Kind::engine, rounds);
    auto [played, source] = make_promise<void>();
    engine_has_ended = &source;
    const Stopwatch watch;
    futon_bench_play(&ball, 0, rounds);
    co_await std::move(played);
    const double time = watch.microseconds();
    co_await until_ended(1);
    co_return time / rounds * 2;
}

Promise<double> threads_by(Kind kind, int rounds) {
    begin();
    start_player(1, kind, rounds);
    start_player(0, kind, rounds);
    co_await until_ended(2);
    co_return players[0].time / rounds * 2;
}

}  // namespace

Promise<void> measure_page_and_thread() {
    constexpr int rounds = 4000;
    Comparison comparison;
    const bool has_rival = futon_bench_has_wait_async() != 0;
    for (int i = 0; i < blocks; ++i) {
        comparison.ours.push_back(co_await page_by_futon(rounds));
        if (has_rival) comparison.theirs.push_back(co_await page_by_engine(rounds));
    }
    say("there and back between the page and a thread", "Atomics.waitAsync, the futex", comparison);
}

Promise<void> measure_two_threads() {
    constexpr int rounds = 10000;
    Comparison comparison;
    for (int i = 0; i < blocks; ++i) {
        comparison.ours.push_back(co_await threads_by(Kind::futon, rounds));
        comparison.theirs.push_back(co_await threads_by(Kind::engine, rounds));
    }
    say("there and back between two blocked threads", "the futex", comparison);
}

}  // namespace futon::bench

extern "C" EMSCRIPTEN_KEEPALIVE void futon_bench_played() {
    futon::bench::engine_has_ended->fulfil();
}
