// SPDX-License-Identifier: MIT
//
// 13. What does a counting semaphore cost: alone, and with eight threads?
//
// The floor of an uncontended pair is a compare-exchange and an addition. The eight threads acquire a permit, hold it for
// a while, release it, and repeat, as in question 5; with one permit the semaphore is a lock, with four it lets as many
// run as this machine has processors, and more.

#include <chrono>
#include <cstdint>

#include "harness/contention.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"
#include "peers/semaphores.hpp"

namespace {

using bench::Kind;
using bench::Sample;

/// A function of its own for each semaphore, so that the compiler cannot optimize one with its knowledge of another.
template <class Semaphore>
[[gnu::noinline]] void acquire_and_release(Semaphore& semaphore, int operations) {
    for (int i = 0; i < operations; ++i) {
        semaphore.lock();
        bench::barrier();
        semaphore.unlock();
    }
}

template <class Semaphore>
Sample uncontended(int operations) {
    alignas(64) Semaphore semaphore;
    acquire_and_release(semaphore, operations / 10);  // warms up
    return bench::time_of(operations, [&] { acquire_and_release(semaphore, operations); });
}

template <int permits>
void add_contention(bench::Session& session, std::chrono::milliseconds length) {
    using namespace std::chrono_literals;
    for (const auto hold : {0ns, 1'000ns})
        bench::for_each_semaphore<permits>([&]<class Semaphore>(const char* name, Kind kind) {
            const bench::Point at{{"permits", permits}, {"hold_ns", static_cast<double>(hold.count())}};
            const std::uint64_t timed_one_in = hold == 0ns ? 8 : 1;
            session.add({"semaphore: 8 threads", name, kind, at}, [=] {
                return bench::contend<Semaphore>({8, hold, 0ns, timed_one_in, true}, length);
            });
        });
}

}  // namespace

int main(int argc, char** argv) {
    using namespace std::chrono_literals;
    bench::Session session(argc, argv, "13_semaphore");
    const int operations = session.pick(2'000, 50'000, 100'000);
    const char* measure = "acquire + release";
    session.add({measure, "CAS + add", Kind::floor}, [=] { return uncontended<bench::BareSemaphore<4>>(operations); });
    bench::for_each_semaphore<4>([&]<class Semaphore>(const char* name, Kind kind) {
        session.add({measure, name, kind}, [=] { return uncontended<Semaphore>(operations); });
        session.note({"size of a semaphore", name, kind}, {{"bytes", sizeof(Semaphore)}});
    });
    session.run(session.pick(3u, 51u, 301u));

    const auto length = session.pick(5ms, 60ms, 300ms);
    add_contention<1>(session, length);
    add_contention<4>(session, length);
    session.run(session.pick(1u, 5u, 9u));
    return session.finish();
}
