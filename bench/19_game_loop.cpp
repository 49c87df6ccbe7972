// SPDX-License-Identifier: MIT
//
// 19. Does a game loop get its world in time, beside workers that change it?
//
// A program, not an operation: each frame of 4 ms computes for 1 ms in eight slices, and needs a copy of the world, which takes
// 15 µs under the lock. Workers hold that lock for 30 µs, and compute 50 µs in between. The loop must not block. Loops that
// await ask when the frame begins, and go on with its slices; loops that poll try before each slice, and then until they have
// the lock, for 16 ms at most. A frame is late if it has not both within 4 ms. The figures of workers are what the loop costs
// them. (The loop needs less than its share of two processors, even beside four workers, so a late frame is not the
// scheduler's choice alone.)
//
// Asio is there twice: a channel with one token as a lock, and a strand on a pool, to which workers and loop post what they
// do to the world. tbb::queuing_mutex serves its threads in order, and a try succeeds only if none of them waits.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

#include <oneapi/tbb/mutex.h>
#include <oneapi/tbb/queuing_mutex.h>
#include <asio.hpp>
#include <asio/experimental/channel.hpp>
#include <futon/futon.hpp>

#include "harness/game.hpp"
#include "harness/session.hpp"
#include "harness/strict_lock.hpp"
#include "peers/asio_lock.hpp"

namespace {

using bench::Clock;
using bench::Frames;
using bench::Kind;
using bench::World;

/// Threads that change the world by `update(number)`, again and again.
class Workers {
public:
    template <class F>
    Workers(int count, F update) {
        for (int i = 0; i < count; ++i)
            threads_.emplace_back([this, update] {
                const bench::Work think = bench::think();
                std::uint64_t updates = 0;
                for (; !is_over_.load(std::memory_order_relaxed); ++updates) {
                    think();
                    update(static_cast<std::size_t>(updates));
                }
                updates_ += updates;
            });
    }

    std::uint64_t stop() {
        is_over_ = true;
        threads_.clear();
        return updates_;
    }

private:
    std::atomic<bool> is_over_{false};
    std::atomic<std::uint64_t> updates_{0};
    std::vector<std::jthread> threads_;  // the last member: they use the others
};

/// A mutex with the interface of the standard.
template <class Mutex>
struct Scoped {
    Mutex mutex;

    template <class F>
    void with(F f) {
        const std::scoped_lock hold(mutex);
        f();
    }
    template <class F>
    bool try_with(F f) {
        const std::unique_lock hold(mutex, std::try_to_lock);
        if (hold) f();
        return hold.owns_lock();
    }
};

struct Queuing {
    tbb::queuing_mutex mutex;

    template <class F>
    void with(F f) {
        const tbb::queuing_mutex::scoped_lock hold(mutex);
        f();
    }
    template <class F>
    bool try_with(F f) {
        tbb::queuing_mutex::scoped_lock hold;
        if (!hold.try_acquire(mutex)) return false;
        f();
        return true;
    }
};

/// A loop that tries.
template <class Lock>
class Polled {
public:
    explicit Polled(int workers)
        : workers_(workers, [this](std::size_t number) { lock_.with([&] { world_.update(number); }); }) {}

    void run_loop(Frames& frames) {
        while (frames.has_next()) {
            std::this_thread::sleep_until(frames.due());
            frames.begin();
            bool has_world = false;
            for (int i = 0; i < Frames::slices; ++i) {
                has_world = has_world || try_take(frames);
                frames.draw_slice();
            }
            while (!has_world && frames.may_wait()) {
                std::this_thread::yield();
                has_world = try_take(frames);
            }
            has_world ? frames.finish() : frames.miss();
        }
    }

    std::uint64_t stop() { return workers_.stop(); }
    const World& world() const { return world_; }

private:
    bool try_take(Frames& frames) {
        return lock_.try_with([&] { frames.take(world_); });
    }

    Lock lock_;
    World world_;
    Workers workers_;
};

/// A loop of futon that awaits the lock.
template <class Lock>
class Awaited {
public:
    explicit Awaited(int workers)
        : workers_(workers, [this](std::size_t number) {
              const std::scoped_lock hold(lock_);
              world_.update(number);
          }) {}

    void run_loop(Frames& frames) {
        futon::EventLoop loop;
        loop.run_until(draw(frames));
    }

    std::uint64_t stop() { return workers_.stop(); }
    const World& world() const { return world_; }

private:
    futon::Promise<void> take(Frames& frames) {
        const auto guard = co_await lock_.scoped_lock_async();
        frames.take(world_);
    }

    futon::Promise<void> draw(Frames& frames) {
        while (frames.has_next()) {
            co_await futon::sleep_until(frames.due());
            frames.begin();
            auto taking = take(frames);
            for (int i = 0; i < Frames::slices; ++i) {
                frames.draw_slice();
                co_await futon::sleep_for(std::chrono::nanoseconds(0));  // others of this loop have a turn
            }
            co_await std::move(taking);
            frames.finish();
        }
    }

    Lock lock_;
    World world_;
    Workers workers_;
};

/// A loop of Asio. `request(loop, has_world)` asks for the world, and calls `has_world` on the loop.
template <class F>
void run_context(Frames& frames, F request) {
    asio::io_context loop{1};
    asio::experimental::channel<asio::io_context::executor_type, bench::AsioSignal> has_world(loop.get_executor(), 1);
    const auto draw = [&]() -> asio::awaitable<void> {
        asio::steady_timer timer(loop);
        while (frames.has_next()) {
            timer.expires_at(frames.due());
            co_await timer.async_wait(asio::use_awaitable);
            frames.begin();
            request(loop, [&] { has_world.try_send(asio::error_code(), char{}); });
            for (int i = 0; i < Frames::slices; ++i) {
                frames.draw_slice();
                co_await asio::post(asio::use_awaitable);
            }
            co_await has_world.async_receive(asio::use_awaitable);
            frames.finish();
        }
    };
    asio::co_spawn(loop, draw(), asio::detached);
    loop.run();
}

/// Its channel with one token, which its threads receive by a future if a try fails.
class AsioToken {
public:
    explicit AsioToken(int workers)
        : workers_(workers, [this](std::size_t number) {
              if (!lock_.try_lock()) lock_.lock_async(asio::use_future).get();
              world_.update(number);
              lock_.unlock();
          }) {}

    void run_loop(Frames& frames) {
        run_context(frames, [&](asio::io_context& loop, auto has_world) {
            lock_.lock_async(asio::bind_executor(loop, [&, has_world](asio::error_code, char) {
                frames.take(world_);
                lock_.unlock();
                has_world();
            }));
        });
    }

    std::uint64_t stop() {
        const std::uint64_t updates = workers_.stop();
        work_.reset();
        return updates;
    }
    const World& world() const { return world_; }

private:
    asio::io_context context_{1};
    asio::executor_work_guard<asio::io_context::executor_type> work_{context_.get_executor()};
    bench::AsioLock lock_{context_};
    std::jthread thread_{[this] { context_.run(); }};
    World world_;
    Workers workers_;
};

/// The world belongs to a strand.
class AsioStrand {
public:
    explicit AsioStrand(int workers) : pool_(static_cast<std::size_t>(workers)) {
        for (int i = 0; i < workers; ++i) asio::post(pool_, [this] { simulate(0); });
    }

    void run_loop(Frames& frames) {
        run_context(frames, [&](asio::io_context& loop, auto has_world) {
            asio::post(strand_, [this, &frames, has_world, work = asio::make_work_guard(loop)] {
                frames.take(world_);
                asio::post(work.get_executor(), has_world);
            });
        });
    }

    std::uint64_t stop() {
        is_over_ = true;
        pool_.join();
        return updates_;
    }
    const World& world() const { return world_; }

private:
    void simulate(std::size_t number) {
        if (is_over_.load(std::memory_order_relaxed)) return;
        think_();
        asio::post(strand_, [this, number] {
            world_.update(number);
            ++updates_;
            asio::post(pool_, [this, number] { simulate(number + 1); });
        });
    }

    bench::Work think_ = bench::think();
    World world_;
    std::uint64_t updates_ = 0;  // of the strand
    std::atomic<bool> is_over_{false};
    asio::thread_pool pool_;
    asio::strand<asio::thread_pool::executor_type> strand_{pool_.get_executor()};
};

template <class Game>
void add(bench::Session& session, const char* who, Kind kind, int workers, int frames) {
    session.add({"a game loop with workers", who, kind, {{"workers", workers}}},
                [=] { return bench::play<Game>(workers, frames); });
}

}  // namespace

int main(int argc, char** argv) {
    bench::Session session(argc, argv, "19_game_loop");
    const int frames = session.pick(12, 40, 150);
    for (const int workers : session.pick(std::vector{1, 4}, std::vector{1, 4}, std::vector{1, 2, 4})) {
        add<Awaited<futon::AsyncLock>>(session, "futon::AsyncLock, awaited", Kind::ours, workers, frames);
        add<Awaited<bench::StrictLock>>(session, "futon::AsyncLock, strict, awaited", Kind::ours, workers, frames);
        add<Polled<Scoped<futon::AsyncLock>>>(session, "futon::AsyncLock, polled", Kind::ours, workers, frames);
        add<Polled<Scoped<std::mutex>>>(session, "std::mutex, polled", Kind::peer, workers, frames);
        add<Polled<Scoped<tbb::mutex>>>(session, "tbb::mutex, polled", Kind::peer, workers, frames);
        add<Polled<Queuing>>(session, "tbb::queuing_mutex, polled", Kind::peer, workers, frames);
        add<AsioToken>(session, "asio channel as a lock", Kind::peer, workers, frames);
        add<AsioStrand>(session, "asio strand", Kind::peer, workers, frames);
    }
    session.run(session.pick(1u, 3u, 9u));
    return session.finish();
}
