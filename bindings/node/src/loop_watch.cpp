// SPDX-License-Identifier: MIT
#include "loop_watch.hpp"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstddef>
#include <mutex>
#include <new>
#include <optional>
#include <system_error>
#include <thread>
#include <unordered_map>
#include <utility>

namespace futon::node {

using Clock = std::chrono::steady_clock;

namespace {

/// How often the watcher asks which threads are blocked. A thread that was blocked twice running has its loop watched.
constexpr std::chrono::milliseconds tick{10};

/// After so many ticks without a thread that has blocked, it sleeps until one does.
constexpr int idle_ticks = 50;

}  // namespace

/// The thread that watches. There is one, and it does not end: threads may end after the static objects.
class LoopWatcher {
public:
    /// Null if it could not be started.
    static LoopWatcher* instance() noexcept {
        static LoopWatcher* const watcher = start();
        return watcher;
    }

    /// False if there is no memory for it.
    bool add(LoopWatch& watch) noexcept try {
        const std::scoped_lock guard(mutex_);
        watches_.emplace(last_id_ + 1, &watch);
        watch.id_ = ++last_id_;
        return true;
    } catch (const std::bad_alloc&) {
        return false;
    }

    void remove(LoopWatch& watch) noexcept {
        const std::scoped_lock guard(mutex_);
        watches_.erase(watch.id_);
    }

    /// After a thread has said that it is blocked.
    void see_to_ticking() noexcept {
        if (is_ticking_.load() || is_ticking_.exchange(true)) return;
        const std::uint64_t one = 1;
        [[maybe_unused]] const auto written = write(wake_up_, &one, sizeof one);  // fails only if it is pending already
    }

    void disarm(LoopWatch& watch) noexcept {
        epoll_ctl(epoll_, EPOLL_CTL_DEL, watch.descriptor_, nullptr);
        watch.is_armed_ = false;
    }

private:
    LoopWatcher(int epoll, int wake_up) noexcept : epoll_(epoll), wake_up_(wake_up) {}
    ~LoopWatcher() {
        close(epoll_);
        close(wake_up_);
    }

    static LoopWatcher* start() noexcept {
        auto* watcher =
            new (std::nothrow) LoopWatcher(epoll_create1(EPOLL_CLOEXEC), eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
        if (watcher == nullptr || watcher->runs()) return watcher;
        delete watcher;
        return nullptr;
    }

    /// Starts the thread. Returns false if the system has no descriptor or thread left.
    bool runs() noexcept {
        epoll_event event{};
        event.events = EPOLLIN;
        if (epoll_ctl(epoll_, EPOLL_CTL_ADD, wake_up_, &event) != 0) return false;

        // It handles no signal of the program's.
        sigset_t all;
        sigset_t before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        bool is_started = true;
        try {
            std::thread([this] { run(); }).detach();
        } catch (const std::system_error&) {
            is_started = false;
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return is_started;
    }

    [[noreturn]] void run() noexcept {
        std::array<epoll_event, 64> events;
        std::optional<Clock::time_point> next_tick;
        while (true) {
            const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), time_until(next_tick));
            const Clock::time_point now = Clock::now();
            const std::scoped_lock guard(mutex_);
            for (int i = 0; i < count; ++i) take(events[static_cast<std::size_t>(i)].data.u64);
            const bool is_due = next_tick && now >= *next_tick;
            if (is_due) see_who_is_blocked();
            if (!is_ticking_.load()) {
                next_tick.reset();
            } else if (is_due || !next_tick) {
                next_tick = now + tick;
            }
        }
    }

    static int time_until(std::optional<Clock::time_point> time) noexcept {
        if (!time) return -1;
        const auto left = std::chrono::ceil<std::chrono::milliseconds>(*time - Clock::now());
        return static_cast<int>(std::max<std::chrono::milliseconds::rep>(left.count(), 0));
    }

    void take(std::uint64_t id) noexcept {
        if (id == 0) {
            std::uint64_t wake_ups = 0;
            [[maybe_unused]] const auto size = read(wake_up_, &wake_ups, sizeof wake_ups);
        } else if (const auto found = watches_.find(id); found != watches_.end()) {
            found->second->has_messages_ = true;
            interrupt(*found->second);
        }
    }

    static void interrupt(LoopWatch& watch) noexcept {
        watch.with_waiter([](InterruptibleWaiter& waiter) { waiter.interrupt(); });
    }

    void see_who_is_blocked() noexcept {
        if (any_needs_ticks()) {
            idle_ticks_ = 0;
        } else if (++idle_ticks_ >= idle_ticks) {
            idle_ticks_ = 0;
            is_ticking_ = false;
            // One may have blocked before it could see that.
            for (const auto& [id, watch] : watches_)
                if (watch->waiter_.load() != 0 && !watch->is_armed_.load()) is_ticking_ = true;
        }
    }

    bool any_needs_ticks() noexcept {
        bool is_needed = false;
        for (const auto& [id, watch] : watches_) {
            const unsigned calls = watch->calls_.load();
            const bool has_blocked = calls != std::exchange(watch->seen_calls_, calls);
            if (watch->waiter_.load() == 0 || watch->is_armed_.load()) {
                is_needed |= has_blocked && !watch->is_armed_.load();
            } else if (has_blocked) {
                is_needed = true;
            } else {
                is_needed |= !arm(*watch, id);
            }
        }
        return is_needed;
    }

    /// Watches a loop whose thread is blocked; if the system refuses that, the thread asks at each tick.
    bool arm(LoopWatch& watch, std::uint64_t id) noexcept {
        bool is_armed = false;
        watch.with_waiter([&](InterruptibleWaiter& waiter) {
            // By its edges: what was sent before counts now, and does not count again.
            epoll_event event{};
            event.events = EPOLLIN | EPOLLET;
            event.data.u64 = id;
            is_armed = epoll_ctl(epoll_, EPOLL_CTL_ADD, watch.descriptor_, &event) == 0;
            watch.has_messages_ = false;
            watch.is_armed_ = is_armed;
            waiter.interrupt();  // from now on it asks from time to time
        });
        return is_armed;
    }

    const int epoll_;
    const int wake_up_;
    std::atomic<bool> is_ticking_{false};
    int idle_ticks_ = 0;
    std::mutex mutex_;
    std::unordered_map<std::uint64_t, LoopWatch*> watches_;
    std::uint64_t last_id_ = 0;
};

template <class F>
void LoopWatch::with_waiter(F&& f) noexcept {
    std::uintptr_t waiter = waiter_.load();
    if (waiter == 0 || !waiter_.compare_exchange_strong(waiter, waiter | in_use)) return;
    f(*reinterpret_cast<InterruptibleWaiter*>(waiter));
    waiter_ = waiter;
}

LoopWatch::~LoopWatch() {
    if (id_ != 0) LoopWatcher::instance()->remove(*this);
}

LoopWatch::Blocked::Blocked(LoopWatch& watch, InterruptibleWaiter& waiter) noexcept : watch_(watch) {
    LoopWatcher* const watcher = LoopWatcher::instance();
    is_watched_ = watcher != nullptr && (watch.id_ != 0 || watcher->add(watch));
    if (!is_watched_) return;
    watch.calls_.store(watch.calls_.load(std::memory_order_relaxed) + 1,
                       std::memory_order_relaxed);  // published by the next store
    watch.waiter_ = reinterpret_cast<std::uintptr_t>(&waiter);
    watcher->see_to_ticking();
}

LoopWatch::Blocked::~Blocked() {
    if (!is_watched_) return;
    std::uintptr_t waiter = watch_.waiter_.load() & ~in_use;
    for (std::uintptr_t expected = waiter; !watch_.waiter_.compare_exchange_weak(expected, 0); expected = waiter)
        std::this_thread::yield();  // the watcher is using it, for an instant
    if (watch_.is_armed_.load()) LoopWatcher::instance()->disarm(watch_);
}

}  // namespace futon::node
