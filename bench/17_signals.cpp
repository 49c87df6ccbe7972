// SPDX-License-Identifier: MIT
//
// 17. What do events, latches, barriers and what is done once cost, beside those of the standard library?
//
// An event is set and then waited for by one thread, and by two in turn, also beside threads that compute. A latch is for one use, so a run has many of
// them; a barrier is passed again and again. Each thread arrives and waits. What was done once is asked for again.

#include <atomic>
#include <barrier>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <latch>
#include <mutex>
#include <semaphore>
#include <thread>
#include <vector>

#include <futon/sync/barrier.hpp>
#include <futon/sync/latch.hpp>
#include <futon/sync/lazy.hpp>
#include <futon/sync/once.hpp>

#include "harness/placement.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"
#include "peers/signals.hpp"

namespace {

using bench::Clock;
using bench::Kind;
using bench::Sample;

/// A function of its own for each kind, so that the compiler cannot optimize one with its knowledge of another.
template <class Signal>
[[gnu::noinline]] void set_and_wait(Signal& signal, int operations) {
    for (int i = 0; i < operations; ++i) {
        signal.set();
        bench::barrier();
        signal.wait();
    }
}

template <class Signal>
Sample alone(int operations) {
    Signal signal;
    set_and_wait(signal, operations / 10);  // warms up
    return bench::time_of(operations, [&] { set_and_wait(signal, operations); });
}

template <class Signal>
Sample round_trips(int count, std::size_t processor_of_other) {
    Signal there;
    Signal back;
    bench::Histogram latencies;
    const bench::Pinned here(0);
    Sample sample = bench::time_of(count, [&] {
        std::jthread other([&] {
            const bench::Pinned pinned(processor_of_other);
            for (int i = 0; i < count; ++i) {
                there.wait();
                back.set();
            }
        });
        for (int i = 0; i < count; ++i) {
            const Clock::time_point begin = Clock::now();
            there.set();
            back.wait();
            latencies.add(static_cast<std::uint64_t>(bench::nanoseconds(Clock::now() - begin)));
        }
    });
    sample.latencies["round trip"] = latencies;
    return sample;
}

/// Requests and answers of two threads, each bound to its processor, for as long as said; another thread computes on each of the two.
/// One that gives up its processor to that gets it back when its slice is over.
template <class Signal>
Sample beside_computing(std::chrono::milliseconds length) {
    Signal there;
    Signal back;
    std::atomic<bool> is_over{false};
    std::latch computing(2);
    std::vector<std::jthread> others;
    for (const std::size_t processor : {0u, 1u})
        others.emplace_back([&, processor] {
            const bench::Pinned here(processor);
            computing.count_down();
            while (!is_over.load(std::memory_order_relaxed)) bench::barrier();
        });
    others.emplace_back([&] {
        const bench::Pinned here(1);
        while (true) {
            there.wait();
            if (is_over.load(std::memory_order_relaxed)) break;
            back.set();
        }
    });
    bench::Histogram latencies;
    Sample sample;
    const auto ask = [&] {
        const bench::Pinned here(0);
        computing.wait();
        const Clock::time_point end = Clock::now() + length;
        for (Clock::time_point begin = Clock::now(); begin < end;) {
            there.set();
            back.wait();
            const Clock::time_point answered = Clock::now();
            latencies.add(static_cast<std::uint64_t>(bench::nanoseconds(answered - begin)));
            begin = answered;
        }
    };
    // A thread of its own: what it learns of its neighbours is not for the next trial.
    sample = bench::time_of(1, [&] { std::jthread(ask).join(); });
    is_over = true;
    there.set();
    others.clear();
    sample.values["ns"] /= static_cast<double>(latencies.count());
    for (const char* const time : {"user_ns", "sys_ns"}) sample.values.erase(time);  // mostly of those that compute
    sample.latencies["round trip"] = latencies;
    return sample;
}

/// `threads` threads meet `times` times; `arrive(i)` is what each does the i-th time.
template <class F>
Sample meet(int threads, int times, F&& arrive) {
    std::latch ready(threads);
    std::latch start(1);
    std::vector<std::jthread> all;
    for (int number = 0; number < threads; ++number)
        all.emplace_back([&, number] {
            const bench::Pinned here(static_cast<std::size_t>(number));
            ready.count_down();
            start.wait();
            for (int i = 0; i < times; ++i) arrive(i);
        });
    ready.wait();
    return bench::time_of(times, [&] {
        start.count_down();
        all.clear();
    });
}

/// All latches are made before the threads begin.
template <class Latch>
Sample latches(int threads, int times) {
    struct alignas(64) OfOneUse {
        explicit OfOneUse(int participants) : latch(static_cast<std::uint32_t>(participants)) {}
        Latch latch;
    };
    std::deque<OfOneUse> all;
    for (int i = 0; i < times; ++i) all.emplace_back(threads);
    return meet(threads, times,
                [&](int i) { static_cast<void>(all[static_cast<std::size_t>(i)].latch.arrive_and_wait()); });
}

template <class Barrier>
Sample barrier(int threads, int times) {
    alignas(64) Barrier barrier(static_cast<std::uint32_t>(threads));
    return meet(threads, times, [&](int) { static_cast<void>(barrier.arrive_and_wait()); });
}

struct FutonOnce {
    int get() {
        static_cast<void>(once.call([this] { value = 1; }));
        return value;
    }
    futon::Once once;
    int value = 0;
};

struct FutonLazy {
    int get() {
        return value.get([] { return 1; });
    }
    futon::Lazy<int> value;
};

struct StdOnce {
    int get() {
        std::call_once(once, [this] { value = 1; });
        return value;
    }
    std::once_flag once;
    int value = 0;
};

/// The least: a load.
struct BareOnce {
    int get() {
        if (!is_done.load(std::memory_order_acquire)) is_done.store(true, std::memory_order_release);
        return value;
    }
    std::atomic<bool> is_done{false};
    int value = 1;
};

template <class Once>
[[gnu::noinline]] void get_repeatedly(Once& once, int operations) {
    for (int i = 0; i < operations; ++i) {
        bench::keep(once.get());
        bench::barrier();
    }
}

template <class Once>
Sample done_already(int operations) {
    alignas(64) Once once;
    get_repeatedly(once, operations / 10);  // initialises
    return bench::time_of(operations, [&] { get_repeatedly(once, operations); });
}

void note_sizes(bench::Session& session) {
    const auto note = [&](const char* who, Kind kind, std::size_t bytes) {
        session.note({"size of a signal", who, kind}, {{"bytes", static_cast<double>(bytes)}});
    };
    note("futon::Event", Kind::ours, sizeof(futon::Event));
    note("futon::AutoResetEvent", Kind::ours, sizeof(futon::AutoResetEvent));
    note("futon::Latch", Kind::ours, sizeof(futon::Latch));
    note("futon::Barrier", Kind::ours, sizeof(futon::Barrier<>));
    note("futon::Once", Kind::ours, sizeof(futon::Once));
    note("futon::Lazy<int>", Kind::ours, sizeof(futon::Lazy<int>));
    note("std::binary_semaphore", Kind::peer, sizeof(std::binary_semaphore));
    note("std::latch", Kind::peer, sizeof(std::latch));
    note("std::barrier", Kind::peer, sizeof(std::barrier<>));
    note("std::once_flag", Kind::peer, sizeof(std::once_flag));
}

}  // namespace

int main(int argc, char** argv) {
    bench::Session session(argc, argv, "17_signals");
    const int operations = session.pick(2'000, 50'000, 100'000);
    bench::for_each_signal([&]<class Signal>(const char* name, Kind kind) {
        session.add({"event: set + wait", name, kind}, [=] { return alone<Signal>(operations); });
    });
    const char* const once = "once: done already";
    session.add({once, "a load", Kind::floor}, [=] { return done_already<BareOnce>(operations); });
    session.add({once, "futon::Once", Kind::ours}, [=] { return done_already<FutonOnce>(operations); });
    session.add({once, "futon::Lazy", Kind::ours}, [=] { return done_already<FutonLazy>(operations); });
    session.add({once, "std::call_once", Kind::peer}, [=] { return done_already<StdOnce>(operations); });
    session.run(session.pick(3u, 51u, 301u));

    const int count = session.pick(200, 2'000, 10'000);
    const std::chrono::milliseconds length(session.pick(5, 50, 200));
    bench::for_each_signal([&]<class Signal>(const char* name, Kind kind) {
        session.add({"event: round trip on one core", name, kind}, [=] { return round_trips<Signal>(count, 0); });
        session.add({"event: round trip between two cores", name, kind}, [=] { return round_trips<Signal>(count, 1); });
        session.add({"event: round trip beside threads that compute", name, kind},
                    [=] { return beside_computing<Signal>(length); });
    });
    for (const int threads : {2, 8}) {
        const bench::Point at{{"threads", static_cast<double>(threads)}};
        session.add({"latch", "futon::Latch", Kind::ours, at}, [=] { return latches<futon::Latch>(threads, count); });
        session.add({"latch", "std::latch", Kind::peer, at}, [=] { return latches<std::latch>(threads, count); });
        session.add({"barrier", "futon::Barrier", Kind::ours, at},
                    [=] { return barrier<futon::Barrier<>>(threads, count); });
        session.add({"barrier", "std::barrier", Kind::peer, at},
                    [=] { return barrier<std::barrier<>>(threads, count); });
    }
    session.run(session.pick(2u, 9u, 17u));
    note_sizes(session);
    return session.finish();
}
