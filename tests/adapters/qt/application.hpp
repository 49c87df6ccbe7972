// SPDX-License-Identifier: MIT
#pragma once

#include <functional>
#include <utility>

#include <QtCore/QCoreApplication>
#include <QtCore/QEvent>
#include <QtCore/QEventLoop>

namespace futon::test {

/// A QCoreApplication with its arguments.
class Application {
public:
    void run() { QCoreApplication::exec(); }
    void quit() { QCoreApplication::quit(); }

    /// Runs an event loop until `is_done()`, asked after each of its turns.
    void run_until(const std::function<bool()>& is_done) {
        QEventLoop loop;
        while (!is_done()) loop.processEvents(QEventLoop::WaitForMoreEvents);
    }

private:
    int count_ = 1;
    char name_[5] = "test";
    char* arguments_[2] = {name_, nullptr};
    QCoreApplication application_{count_, arguments_};
};

/// An object that calls a function for each of its events, which it posts to itself.
class Poster final : public QObject {
public:
    explicit Poster(std::function<void()> f) : f_(std::move(f)) {}

    void set(std::function<void()> f) { f_ = std::move(f); }
    void post() { QCoreApplication::postEvent(this, new QEvent(QEvent::User)); }

private:
    bool event(QEvent* event) override {
        if (event->type() != QEvent::User) return QObject::event(event);
        const auto f = f_;  // which may set another
        f();
        return true;
    }

    std::function<void()> f_;
};

}  // namespace futon::test
