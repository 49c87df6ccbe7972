// SPDX-License-Identifier: MIT
//
// 1. What does a lock cost that nobody else wants?
//
// The floor is the least that a lock can be made of: a compare-exchange and an exchange on one word.

#include <boost/fiber/mutex.hpp>
#include <futon/futon.hpp>

#include "baselines/asio_lock.hpp"
#include "baselines/bare_lock.hpp"
#include "baselines/mutexes.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"

namespace {

using bench::Kind;
using bench::Sample;

/// In a function of its own for each mutex, so that none profits from what the compiler knows of the others.
template <class Mutex>
[[gnu::noinline]] void lock_and_unlock(Mutex& mutex, int operations) {
    for (int i = 0; i < operations; ++i) {
        mutex.lock();
        bench::barrier();
        mutex.unlock();
    }
}

template <class Mutex>
Sample blocking_door(int operations) {
    alignas(64) Mutex mutex;
    lock_and_unlock(mutex, operations / 10);  // warms up
    return bench::time_of(operations, [&] { lock_and_unlock(mutex, operations); });
}

futon::Promise<void> await_lock(futon::AsyncLock& lock, int operations) {
    for (int i = 0; i < operations; ++i) {
        const auto guard = co_await lock.scoped_lock_async();
        bench::keep(guard);
    }
}

Sample coroutine_door(int operations) {
    futon::EventLoop loop;
    alignas(64) futon::AsyncLock lock;
    return bench::time_of(operations, [&] { loop.run_until(await_lock(lock, operations)); });
}

Sample execute_locked(int operations) {
    futon::EventLoop loop;
    alignas(64) futon::AsyncLock lock;
    int value = 0;
    return bench::time_of(operations, [&] {
        for (int i = 0; i < operations; ++i) lock.execute_locked([&value] { ++value; });
        bench::keep(value);
    });
}

Sample asio_channel(int operations) {
    asio::io_context context(1);
    bench::AsioLock lock(context);
    return bench::time_of(operations, [&] {
        for (int i = 0; i < operations; ++i) {
            lock.try_lock();
            lock.unlock();
        }
    });
}

}  // namespace

int main(int argc, char** argv) {
    bench::Session session(argc, argv, "01_uncontended_lock");
    const int operations = session.pick(2'000, 50'000, 100'000);

    session.add({"lock + unlock", "CAS + exchange", Kind::floor},
                [=] { return blocking_door<bench::BareLock>(operations); });
    bench::for_each_mutex([&]<class Mutex>(const char* name, Kind kind) {
        session.add({"lock + unlock", name, kind}, [=] { return blocking_door<Mutex>(operations); });
        session.note({"size of a lock", name, kind}, {{"bytes", sizeof(Mutex)}});
    });
    session.run(session.pick(3u, 51u, 301u));

    const char* doors = "lock + unlock where blocking is forbidden";
    session.add({doors, "CAS + exchange", Kind::floor}, [=] { return blocking_door<bench::BareLock>(operations); });
    session.add({doors, "futon, co_await scoped_lock_async", Kind::ours}, [=] { return coroutine_door(operations); });
    session.add({doors, "futon, execute_locked", Kind::ours}, [=] { return execute_locked(operations); });
    session.add({doors, "asio channel as a lock", Kind::baseline}, [=] { return asio_channel(operations); });
    session.add({doors, "boost::fibers::mutex", Kind::baseline},
                [=] { return blocking_door<boost::fibers::mutex>(operations); });
    session.note({"size of a lock", "asio channel as a lock", Kind::baseline}, {{"bytes", sizeof(bench::AsioLock)}});
    session.note({"size of a lock", "boost::fibers::mutex", Kind::baseline}, {{"bytes", sizeof(boost::fibers::mutex)}});
    session.run(session.pick(3u, 15u, 51u));
    return session.finish();
}
