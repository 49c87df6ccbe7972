// SPDX-License-Identifier: MIT
//
// The end of a Qt program: the user quits while workers hold the lock, and while tasks wait for it. A loop that is closed when
// the application is about to quit has no waits any more, so no worker passes the lock to a loop that does not run.
//
// Prints:
//     quit while tasks waited
//     no task is left in the queue
//     the workers have ended: 2000 rounds

#include <atomic>
#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include <QtCore/QCoreApplication>

#include <futon/futon.hpp>
#include <futon/qt.hpp>

namespace {

constexpr int workers = 2;
constexpr int rounds_each = 1000;

futon::Promise<void> look(futon::AsyncLock& lock, const long& rounds, std::atomic<bool>& has_seen) {
    while (true) {
        const auto guard = co_await lock.scoped_lock_async();
        if (rounds > 0 && !has_seen.exchange(true)) QCoreApplication::quit();
        if (rounds == workers * rounds_each) co_return;
    }
}

}  // namespace

int main(int argc, char** argv) {
    futon::AsyncLock lock;
    long rounds = 0;
    std::atomic<bool> has_seen{false};
    std::vector<std::jthread> threads;

    QCoreApplication app(argc, argv);
    futon::qt::Loop loop;
    QObject::connect(&app, &QCoreApplication::aboutToQuit, [&] { loop.close(); });

    loop.post([&] { return look(lock, rounds, has_seen); });
    loop.post([&] { return look(lock, rounds, has_seen); });
    for (int i = 0; i < workers; ++i)
        threads.emplace_back([&] {
            for (int k = 0; k < rounds_each; ++k) {
                const std::scoped_lock hold(lock);
                ++rounds;
            }
        });
    QCoreApplication::exec();

    std::puts("quit while tasks waited");
    std::printf("%s\n", loop.is_closed() ? "no task is left in the queue" : "THE LOOP IS OPEN");
    threads.clear();
    std::printf("the workers have ended: %ld rounds\n", rounds);
    return loop.is_closed() && rounds == workers * rounds_each ? 0 : 1;
}
