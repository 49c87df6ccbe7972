// SPDX-License-Identifier: MIT
//
// 5. What are the throughput, the waits and the fairness of a contended lock with many threads?
//
// Threads acquire the lock, hold it for a while, do other work for as long, and repeat. Each acquisition is timed, so
// that the longest wait is known; the clock is read inside the lock, and lengthens each hold alike. The scheduler places
// the threads, as it does in a program. A round takes a second: a lock that serves all its threads serves each of them
// in it.

#include <chrono>
#include <vector>

#include "harness/contention.hpp"
#include "harness/session.hpp"
#include "harness/strict_lock.hpp"
#include "peers/mutexes.hpp"

int main(int argc, char** argv) {
    using namespace std::chrono_literals;
    using bench::Kind;
    bench::Session session(argc, argv, "05_many_threads");
    const auto length = session.pick(20ms, 1'000ms, 1'000ms);
    const auto sizes = session.pick<std::vector<int>>({16, 128}, {16, 128, 256, 512}, {16, 64, 128, 256, 512});
    const char* measure = "contended lock, many threads";
    for (const auto hold : {0ns, 100ns, 1'000ns, 10'000ns})
        for (const int threads : sizes) {
            const bench::Point at{{"hold_ns", static_cast<double>(hold.count())},
                                  {"threads", static_cast<double>(threads)}};
            const bench::Contention contention{threads, hold, hold, 1, false};
            bench::for_each_mutex([&]<class Mutex>(const char* name, Kind kind) {
                session.add({measure, name, kind, at}, [=] { return bench::contend<Mutex>(contention, length); });
            });
            session.add({measure, "futon::AsyncLock, strict", Kind::ours, at},
                        [=] { return bench::contend<bench::StrictLock>(contention, length); });
        }
    session.run(session.pick(1u, 1u, 3u));
    return session.finish();
}
