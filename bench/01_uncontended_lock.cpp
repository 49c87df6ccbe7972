// SPDX-License-Identifier: MIT
//
// 1. What does an uncontended lock cost?
//
// The floor is the least that a lock can be made of: a compare-exchange and an exchange on one word.

#include <boost/fiber/mutex.hpp>
#include <futon/futon.hpp>

#include "floors/bare_lock.hpp"
#include "harness/session.hpp"
#include "harness/work.hpp"
#include "peers/asio_lock.hpp"
#include "peers/mutexes.hpp"

namespace {

using bench::Kind;
using bench::Sample;

/// A function of its own for each mutex, so that the compiler cannot optimize one with its knowledge of another.
template <class Mutex>
[[gnu::noinline]] void lock_and_unlock(Mutex& mutex, int operations) {
    for (int i = 0; i < operations; ++i) {
        mutex.lock();
        bench::barrier();
        mutex.unlock();
    }
}

template <class Mutex>
Sample blocking_lock(int operations) {
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

Sample coroutine_lock(int operations) {
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
                [=] { return blocking_lock<bench::BareLock>(operations); });
    bench::for_each_mutex([&]<class Mutex>(const char* name, Kind kind) {
        session.add({"lock + unlock", name, kind}, [=] { return blocking_lock<Mutex>(operations); });
        session.note({"size of a lock", name, kind}, {{"bytes", sizeof(Mutex)}});
    });
    session.run(session.pick(3u, 51u, 301u));

    const char* nonblocking = "lock + unlock where blocking is forbidden";
    session.add({nonblocking, "CAS + exchange", Kind::floor},
                [=] { return blocking_lock<bench::BareLock>(operations); });
    session.add({nonblocking, "futon, co_await scoped_lock_async", Kind::ours},
                [=] { return coroutine_lock(operations); });
    session.add({nonblocking, "futon, execute_locked", Kind::ours}, [=] { return execute_locked(operations); });
    session.add({nonblocking, "asio channel as a lock", Kind::peer}, [=] { return asio_channel(operations); });
    session.add({nonblocking, "boost::fibers::mutex", Kind::peer},
                [=] { return blocking_lock<boost::fibers::mutex>(operations); });
    session.note({"size of a lock", "asio channel as a lock", Kind::peer}, {{"bytes", sizeof(bench::AsioLock)}});
    session.note({"size of a lock", "boost::fibers::mutex", Kind::peer}, {{"bytes", sizeof(boost::fibers::mutex)}});
    session.run(session.pick(3u, 15u, 51u));
    return session.finish();
}
