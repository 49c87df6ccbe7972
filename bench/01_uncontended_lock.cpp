// SPDX-License-Identifier: MIT
//
// 1. What does an uncontended lock cost?
//
// The floor is the least that a lock can be made of: a compare-exchange and an exchange on one word.
//
// Does a second thread with objects of its own slow the first one down? Whatever shares no cache line does not, nor does the
// floor, if its processors share nothing. tests/lines counts the lines.

#include <atomic>
#include <cstdint>
#include <memory>

#include <boost/fiber/mutex.hpp>
#include <futon/futon.hpp>

#include "floors/bare_lock.hpp"
#include "harness/own_objects.hpp"
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

/// What one thread does with objects of its own. Functions of their own, so that they are compiled alike for one thread and two.
template <class T, std::size_t count = 1>
struct Own {
    std::unique_ptr<bench::OwnObjects<T, count>> objects = std::make_unique<bench::OwnObjects<T, count>>();
};

template <class Mutex>
struct OwnLocks : Own<Mutex> {
    void operator()(int i) {
        Mutex& mutex = (*this->objects)[i];
        mutex.lock();
        bench::barrier();
        mutex.unlock();
    }
};

struct OwnReaders : Own<futon::SharedLock> {
    void operator()(int i) {
        futon::SharedLock& lock = (*objects)[i];
        lock.lock_shared();
        bench::barrier();
        lock.unlock_shared();
    }
};

struct OwnWords : Own<std::atomic<std::uint32_t>> {
    void operator()(int i) { futon::notify((*objects)[i]); }
};

/// Waits and is notified on its own thread: queues and their locks take part, and the kernel does not.
template <std::size_t words>
struct OwnWaits : Own<std::atomic<std::uint32_t>, words> {
    void operator()(int i) {
        std::atomic<std::uint32_t>& word = (*this->objects)[i];
        auto waiting = futon::wait_async(word, word.load()).promise();
        futon::fetch_add_and_notify(word, 1);
        loop->run_until(std::move(waiting));
    }

    std::unique_ptr<futon::EventLoop> loop = std::make_unique<futon::EventLoop>();
};

template <class Acts>
void add_own(bench::Session& session, const char* who, Kind kind, int operations) {
    for (const int threads : {1, 2})
        session.add({"by threads with objects of their own", who, kind, {{"threads", threads}}},
                    [=] { return bench::by_one_or_two(threads, operations, [] { return Acts(); }); });
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

    const int repeated = session.pick(2'000, 200'000, 500'000);
    add_own<OwnLocks<bench::BareLock>>(session, "CAS + exchange", Kind::floor, repeated);
    add_own<OwnLocks<futon::AsyncLock>>(session, "futon::AsyncLock, lock + unlock", Kind::ours, repeated);
    add_own<OwnReaders>(session, "futon::SharedLock, lock_shared + unlock_shared", Kind::ours, repeated);
    add_own<OwnWords>(session, "futon, notify without waiters", Kind::ours, repeated);
    add_own<OwnWaits<1>>(session, "futon, wait_async + notify + resume", Kind::ours, repeated / 10);
    add_own<OwnWaits<1000>>(session, "futon, wait_async + notify + resume, 1 000 words", Kind::ours, repeated / 10);
    session.run(session.pick(3u, 15u, 51u));
    return session.finish();
}
