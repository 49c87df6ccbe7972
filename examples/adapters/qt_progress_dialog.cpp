// SPDX-License-Identifier: MIT
//
// A progress dialog over workers that hold the lock. The dialog runs an event loop of its own, within a job: futon's jobs go on
// in it. The user interface never blocks: it awaits the lock that the workers hold while they compute, and repaints.
//
// Prints:
//     the dialog is closed: 40 of 40 tiles
//     shown in time: yes

#include <cstdio>
#include <mutex>
#include <thread>
#include <vector>

#include <QtWidgets/QApplication>
#include <QtWidgets/QProgressDialog>

#include <futon/futon.hpp>
#include <futon/qt.hpp>

namespace {

constexpr int workers = 4;
constexpr int tiles = 40;

/// An image that is drawn tile by tile.
struct Image {
    futon::AsyncLock lock;
    futon::Condition changed;
    int drawn = 0;
};

void draw(Image& image) {
    for (int i = 0; i < tiles / workers; ++i) {
        const std::scoped_lock hold(image.lock);
        volatile double value = 0;
        for (int k = 0; k < 200'000; ++k) value = value + k;  // takes its time, with the lock
        ++image.drawn;
        image.changed.notify_all();
    }
}

/// Shows how much is drawn, each time that this changes, until all is.
futon::Promise<void> follow(Image& image, QProgressDialog& dialog) {
    for (int shown = 0; shown < tiles;) {
        auto guard = co_await image.lock.scoped_lock_async();
        co_await image.changed.wait_async(guard, [&] { return image.drawn > shown; });
        shown = image.drawn;
        guard.unlock();
        dialog.setValue(shown);
    }
    dialog.accept();
}

}  // namespace

int main(int argc, char** argv) {
    Image image;
    QApplication app(argc, argv);
    futon::qt::Loop loop;  // after the application
    int value = 0;

    loop.post([&] {
        QProgressDialog dialog("Drawing", "Cancel", 0, tiles);
        dialog.setAutoReset(false);
        dialog.setMinimumDuration(0);
        const auto following = follow(image, dialog);
        std::vector<std::jthread> threads;
        for (int i = 0; i < workers; ++i) threads.emplace_back([&] { draw(image); });

        dialog.exec();  // an event loop within a job

        value = dialog.value();
        app.quit();
    });
    QApplication::exec();

    std::printf("the dialog is closed: %d of %d tiles\n", image.drawn, tiles);
    std::printf("shown in time: %s\n", value == tiles ? "yes" : "NO");
    return value == tiles && image.drawn == tiles ? 0 : 1;
}
