// SPDX-License-Identifier: MIT
//
// How soon does a thread's Qt event loop run a callback of futon's after another thread's notify, beside Qt's own way,
// QMetaObject::invokeMethod?

#include <atomic>
#include <latch>
#include <thread>

#include <QtCore/QCoreApplication>
#include <QtCore/QEventLoop>
#include <QtCore/QMetaObject>
#include <QtCore/QObject>

#include <futon/futon.hpp>
#include <futon/qt.hpp>

#include "notify_to_callback.hpp"

namespace {

std::atomic<int> word{0};
bench::Arrival arrival;

void wait_again() {
    futon::call_back(futon::waiting(word, 0), [](futon::WaitResult) {
        const auto time = bench::Clock::now();
        wait_again();
        arrival.tell(time);
    });
}

}  // namespace

int main(int argc, char** argv) {
    QCoreApplication app(argc, argv);
    std::latch ready(1);
    QObject* object = nullptr;
    QEventLoop* running = nullptr;
    std::jthread runner([&] {
        QEventLoop events;
        QObject here;
        futon::qt::Loop loop;
        object = &here;
        running = &events;
        wait_again();
        loop.post([&] { ready.count_down(); });
        events.exec();
    });
    ready.wait();
    bench::compare(
        "futon::notify", [] { return arrival.time_of([] { futon::notify(word); }); },  //
        "QMetaObject::invokeMethod",
        [&] {
            return arrival.time_of([&] {
                QMetaObject::invokeMethod(
                    object, [] { arrival.tell(); }, Qt::QueuedConnection);
            });
        });
    QMetaObject::invokeMethod(
        running, [&] { running->quit(); }, Qt::QueuedConnection);
}
