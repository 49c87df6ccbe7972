// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <utility>

#include <QtCore/QAbstractEventDispatcher>
#include <QtCore/QCoreApplication>
#include <QtCore/QEvent>
#include <QtCore/QObject>
#include <QtCore/QTimerEvent>
#include <futon/core/loop/hosted_loop.hpp>

namespace futon::qt {

namespace detail {

/// Posts the event that wakes a loop: one at a time, because each may cause the next.
class Waker final : public core::HostWaker {
public:
    explicit Waker(QObject& receiver) noexcept : receiver_(&receiver) {}

    static QEvent::Type event_type() noexcept {
        static const int type = QEvent::registerEventType();
        return static_cast<QEvent::Type>(type);
    }

    void wake() noexcept override {
        if (is_posted_.exchange(true)) return;
        const std::scoped_lock hold(mutex_);
        if (receiver_ != nullptr) post();
    }

    /// `wake` on the receiver's own thread, where no other thread is waited for.
    void wake_at_home() noexcept {
        if (!is_posted_.exchange(true)) post();
    }

    /// Whether the event comes before others that are posted: while an arbiter asks, for what is given to the loop is kept for it only
    /// until it is taken to look next. The loop's thread.
    void set_urgent(bool is_urgent) noexcept { is_urgent_.store(is_urgent, std::memory_order_relaxed); }  // a hint

    /// The event has been delivered: from here on a post wakes again.
    void delivered() noexcept { is_posted_.exchange(false); }

    /// The receiver is about to end.
    void end() noexcept {
        const std::scoped_lock hold(mutex_);
        receiver_ = nullptr;
    }

private:
    void post() noexcept {
        const bool is_urgent = is_urgent_.load(std::memory_order_relaxed);  // a hint
        const int priority = is_urgent ? Qt::HighEventPriority : Qt::NormalEventPriority;
        QCoreApplication::postEvent(receiver_, new QEvent(event_type()), priority);
    }

    std::atomic<bool> is_posted_{false};
    std::atomic<bool> is_urgent_{false};
    std::mutex mutex_;  // keeps the receiver alive while held
    QObject* receiver_;
};

/// A futon loop, and the QObject to which its thread's event dispatcher delivers events.
class HostLoop final : public QObject, public core::HostedLoop {
public:
    HostLoop() : HostedLoop(CanBlock::no, "futon::qt::Loop"), waker_(std::make_shared<Waker>(*this)) {
        set_waker(waker_);
        // It ends before the loop or with its thread. Another one belongs to another application.
        const QAbstractEventDispatcher* const dispatcher = QAbstractEventDispatcher::instance();
        connect(dispatcher, &QAbstractEventDispatcher::aboutToBlock, this, [this] { about_to_block(); });
        connect(dispatcher, &QAbstractEventDispatcher::awake, this, [this] { awake(); });
    }
    ~HostLoop() override {
        finish();
        waker_->end();
    }

    static void require_dispatcher() {
        if (QAbstractEventDispatcher::instance() == nullptr)
            throw std::logic_error(
                "futon::qt::Loop: this thread has no event dispatcher; it needs a QCoreApplication, a QThread that "
                "runs, or a "
                "QEventLoop");
    }

private:
    using TimePoint = std::chrono::steady_clock::time_point;

    void wake() noexcept override { waker_->wake_at_home(); }

    /// Timers and notifiers are called before the dispatcher says that it is awake, and what is posted may be ready already. In the
    /// application's thread the first event tells: its filters see all of that thread's. In other threads nothing does.
    void about_to_block() noexcept {
        QCoreApplication* const application = QCoreApplication::instance();
        if (!is_asked_for() || application == nullptr || application->thread() != thread()) return;
        host_sleeps();
        application->installEventFilter(this);
        is_filter_ = true;
    }

    /// It delivers next what is posted.
    void awake() noexcept {
        woke();
        if (is_asked_for()) pace().look(core::Pace::now());
    }

    void woke() noexcept {
        if (!std::exchange(is_filter_, false)) return;
        host_woke();
        if (QCoreApplication* const application = QCoreApplication::instance()) application->removeEventFilter(this);
    }

    bool is_asked_for() noexcept {
        const bool is = is_wanted();
        waker_->set_urgent(is);
        return is;
    }

    bool eventFilter(QObject*, QEvent*) override {
        woke();
        return false;
    }

    /// Leaves an earlier timer armed: when that fires, the loop sets it anew. Most deadlines never come.
    void set_timer(TimePoint time) noexcept override {
        if (time == TimePoint::max() || (timer_ != 0 && armed_ <= time)) return;
        if (QAbstractEventDispatcher::instance() == nullptr) return;  // the application is gone
        disarm();
        armed_ = time;
        timer_ = startTimer(milliseconds_until(time), Qt::PreciseTimer);
    }

    void disarm() noexcept {
        if (timer_ != 0) killTimer(std::exchange(timer_, 0));
    }

    /// This object may be gone afterwards.
    bool event(QEvent* event) override {
        if (event->type() == Waker::event_type()) {
            waker_->delivered();
            run_ready();
        } else if (event->type() == QEvent::Timer) {
            disarm();  // Qt's object timers repeat
            timer_fired();
        } else {
            return QObject::event(event);
        }
        return true;
    }

    static int milliseconds_until(TimePoint time) noexcept {
        using std::chrono::milliseconds;
        if (time == TimePoint::min()) return 0;
        const auto rest = std::chrono::ceil<milliseconds>(time - std::chrono::steady_clock::now());
        return static_cast<int>(std::clamp<milliseconds::rep>(rest.count(), 0, std::numeric_limits<int>::max()));
    }

    const std::shared_ptr<Waker> waker_;
    bool is_filter_ = false;  // of the application's events
    int timer_ = 0;
    TimePoint armed_;
};

}  // namespace detail

/// A thread's Qt event dispatcher as an agent: promises, coroutines and timers of the thread run when it processes
/// events.
///
///     QApplication app(argc, argv);
///     futon::qt::Loop loop;    // after the application, in the thread whose events it uses
///     auto task = show(lock);  // a coroutine: co_await lock.scoped_lock_async()
///     return app.exec();
///
/// It is one QObject, with one event per wake-up, and one timer. While a job runs a QEventLoop (QDialog::exec), futon's
/// other jobs go on. Each event runs what was ready when it was delivered, for at most some milliseconds, so posted
/// events, notifiers and timers get their turn.
///
/// Pending waits do not keep `exec` running: it runs until it is quit, and can be run again.
///
/// Threads   only the thread that made it; `post` from any thread
/// Errors    exceptions of jobs go to the handler of `set_unhandled_handler`, and never through Qt. If there is no
///           handler, or it throws, the program ends as with an exception that leaves a thread. It also ends if there
///           is no memory for an event or a timer of Qt
/// Teardown  destroying it ends its waits, and discards posted jobs. One of its own jobs may destroy it; no other job
///           runs then. Application and loop may end in either order, but without its application a loop runs nothing,
///           and a new application needs a new loop
class Loop final : public core::HostedLoopOwner<detail::HostLoop> {
public:
    /// Uses the events of the current thread.
    ///
    /// Throws  std::logic_error if the thread has no event dispatcher; std::bad_alloc
    Loop() : HostedLoopOwner(make()) {}

    /// The thread whose events it uses.
    QThread* thread() const noexcept { return loop().thread(); }

private:
    static detail::HostLoop* make() {
        detail::HostLoop::require_dispatcher();
        return new detail::HostLoop;
    }
};

}  // namespace futon::qt

#include <futon/detail/end.hpp>
