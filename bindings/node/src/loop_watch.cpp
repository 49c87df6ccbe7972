// SPDX-License-Identifier: MIT
#include "loop_watch.hpp"

#include <sys/epoll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <mutex>
#include <new>
#include <system_error>
#include <thread>
#include <unordered_map>

namespace futon::node {

namespace {

/// The thread that watches, and whom it interrupts.
class Watcher {
public:
    /// Null if it could not be started. It is never destroyed: threads may end after the static objects.
    static Watcher* instance() noexcept {
        static Watcher* const watcher = start();
        return watcher;
    }

    /// Zero if there is no memory for it.
    std::uint64_t add(int loop, InterruptibleWaiter& waiter) noexcept try {
        const std::scoped_lock guard(mutex_);
        const std::uint64_t id = ++last_id_;
        waiters_.emplace(id, &waiter);
        // Edges: what has been sent before, and is still there, does not count again.
        epoll_event event{};
        event.events = EPOLLIN | EPOLLET;
        event.data.u64 = id;
        if (epoll_ctl(epoll_, EPOLL_CTL_ADD, loop, &event) == 0) return id;
        waiters_.erase(id);
        return 0;
    } catch (const std::bad_alloc&) {
        return 0;
    }

    /// From here on the waiter is not interrupted any more.
    void remove(int loop, std::uint64_t id) noexcept {
        epoll_ctl(epoll_, EPOLL_CTL_DEL, loop, nullptr);
        const std::scoped_lock guard(mutex_);
        waiters_.erase(id);
    }

private:
    explicit Watcher(int epoll) noexcept : epoll_(epoll) {}

    static Watcher* start() noexcept try {
        const int epoll = epoll_create1(EPOLL_CLOEXEC);
        if (epoll < 0) return nullptr;
        auto* watcher = new (std::nothrow) Watcher(epoll);
        if (watcher == nullptr) return close(epoll), nullptr;
        // It handles no signal of the program's.
        sigset_t all;
        sigset_t before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            std::thread([watcher] { watcher->run(); }).detach();
        } catch (const std::system_error&) {
            delete watcher;
            close(epoll);
            watcher = nullptr;
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
        return watcher;
    } catch (...) {
        return nullptr;
    }

    [[noreturn]] void run() noexcept {
        std::array<epoll_event, 64> events;
        while (true) {
            const int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), -1);
            const std::scoped_lock guard(mutex_);
            for (int i = 0; i < count; ++i) {
                const auto found = waiters_.find(events[static_cast<std::size_t>(i)].data.u64);
                if (found != waiters_.end()) found->second->interrupt();
            }
        }
    }

    const int epoll_;
    std::mutex mutex_;
    std::unordered_map<std::uint64_t, InterruptibleWaiter*> waiters_;
    std::uint64_t last_id_ = 0;
};

}  // namespace

LoopWatch::LoopWatch(uv_loop_t& loop, InterruptibleWaiter& waiter) noexcept : descriptor_(uv_backend_fd(&loop)) {
    if (Watcher* watcher = Watcher::instance()) id_ = watcher->add(descriptor_, waiter);
}

LoopWatch::~LoopWatch() {
    if (is_active()) Watcher::instance()->remove(descriptor_, id_);
}

}  // namespace futon::node
