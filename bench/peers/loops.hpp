// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <system_error>
#include <vector>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <uv.h>
#include <asio.hpp>
#include <futon/futon.hpp>

// Loops that other threads can signal. Each has:
//
//     Loop(callback, sources)    on the loop's thread; `sources` different things can be signalled
//     run()                      until `stop`
//     signal(source)             from another thread: calls `callback` on the loop
//     stop()                     from another thread
namespace bench {

using Callback = std::function<void()>;

/// Owns a file descriptor.
class Descriptor {
public:
    explicit Descriptor(int number) : number_(number) {
        if (number < 0) throw std::system_error(errno, std::system_category(), "a descriptor");
    }
    ~Descriptor() { close(number_); }
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;

    int get() const noexcept { return number_; }

private:
    int number_;
};

inline void watch(const Descriptor& epoll, int descriptor) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.fd = descriptor;
    if (epoll_ctl(epoll.get(), EPOLL_CTL_ADD, descriptor, &event) != 0)
        throw std::system_error(errno, std::system_category(), "epoll_ctl");
}

/// An eventfd under epoll. Signals only add up, so all sources are one.
class EventfdLoop {
public:
    EventfdLoop(Callback callback, std::size_t) : callback_(std::move(callback)) { watch(epoll_, eventfd_.get()); }

    void run() {
        while (!is_over_) {
            epoll_event event{};
            if (epoll_wait(epoll_.get(), &event, 1, -1) <= 0) continue;
            std::uint64_t signals = 0;
            if (read(eventfd_.get(), &signals, sizeof signals) != sizeof signals) continue;
            for (; signals > 0; --signals) callback_();
        }
    }
    void signal(std::size_t) {
        const std::uint64_t one = 1;
        while (write(eventfd_.get(), &one, sizeof one) < 0 && errno == EINTR) {
        }
    }
    void stop() {
        is_over_ = true;
        signal(0);
    }

private:
    Callback callback_;
    Descriptor epoll_{epoll_create1(EPOLL_CLOEXEC)};
    Descriptor eventfd_{eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)};
    std::atomic<bool> is_over_{false};
};

/// Asynchronous waiters, each on a word of its own, on futon's own loop.
class FutonLoop {
public:
    FutonLoop(Callback callback, std::size_t sources) : callback_(std::move(callback)), words_(sources) {
        for (std::uint32_t& word : words_) receivers_.emplace_back(*this, word).wait();
        loop_.work_started();  // keeps the loop running
    }
    ~FutonLoop() { loop_.work_finished(); }
    FutonLoop(const FutonLoop&) = delete;
    FutonLoop& operator=(const FutonLoop&) = delete;

    void run() { loop_.run(); }
    void signal(std::size_t source) {
        const futon::Word<std::uint32_t> word(words_[source]);
        word.fetch_add(1);
        futon::notify(word, 1);
    }
    void stop() { loop_.stop(); }

protected:
    futon::EventLoop& loop() { return loop_; }

private:
    class Receiver final : public futon::core::AsyncWaiter {
    public:
        Receiver(FutonLoop& owner, std::uint32_t& word) : AsyncWaiter(owner.loop_), owner_(owner), word_(word) {}

        void wait() noexcept {
            while (!enqueue(word_.equals(seen_))) seen_ = word_.load();
        }

    private:
        void on_complete(futon::WaitResult) noexcept override {
            seen_ = word_.load();
            wait();
            owner_.callback_();
        }

        FutonLoop& owner_;
        futon::Word<std::uint32_t> word_;
        std::uint32_t seen_ = 0;
    };

    Callback callback_;
    futon::EventLoop loop_;
    std::vector<std::uint32_t> words_;
    std::deque<Receiver> receivers_;
};

/// The same, embedded in a foreign epoll loop.
class FutonInEpoll : public FutonLoop {
public:
    FutonInEpoll(Callback callback, std::size_t sources) : FutonLoop(std::move(callback), sources) {
        watch(epoll_, loop().native_handle());
    }

    void run() {
        while (!is_over_) {
            epoll_event event{};
            if (epoll_wait(epoll_.get(), &event, 1, -1) > 0) loop().poll();
        }
    }
    void stop() {
        loop().post([this] { is_over_ = true; });
    }

private:
    Descriptor epoll_{epoll_create1(EPOLL_CLOEXEC)};
    bool is_over_ = false;
};

/// futon's loop without a wait: a posted function, which allocates.
class FutonPost {
public:
    FutonPost(Callback callback, std::size_t) : callback_(std::move(callback)) { loop_.work_started(); }
    ~FutonPost() { loop_.work_finished(); }
    FutonPost(const FutonPost&) = delete;
    FutonPost& operator=(const FutonPost&) = delete;

    void run() { loop_.run(); }
    void signal(std::size_t) {
        loop_.post([this] { callback_(); });
    }
    void stop() { loop_.stop(); }

private:
    Callback callback_;
    futon::EventLoop loop_;
};

/// With a timer pending, so that the context blocks in epoll as in a program that does input and output. Without, it
/// would block on a condition variable inside the C library, and its system calls could not be counted.
class AsioPost {
public:
    AsioPost(Callback callback, std::size_t) : callback_(std::move(callback)) {
        timer_.async_wait([](asio::error_code) {});
    }

    void run() { context_.run(); }
    void signal(std::size_t) {
        asio::post(context_, [this] { callback_(); });
    }
    void stop() { context_.stop(); }

private:
    Callback callback_;
    asio::io_context context_{2};  // as for one loop thread and another that posts
    asio::steady_timer timer_{context_, std::chrono::hours(1)};
};

/// One handle: libuv coalesces many signals into one call, so this counts them separately.
class UvLoop {
public:
    UvLoop(Callback callback, std::size_t) : callback_(std::move(callback)) {
        uv_loop_init(&loop_);
        uv_async_init(&loop_, &async_, [](uv_async_t* async) { static_cast<UvLoop*>(async->data)->take(); });
        async_.data = this;
    }
    ~UvLoop() {
        uv_close(reinterpret_cast<uv_handle_t*>(&async_), nullptr);
        uv_run(&loop_, UV_RUN_DEFAULT);
        uv_loop_close(&loop_);
    }
    UvLoop(const UvLoop&) = delete;
    UvLoop& operator=(const UvLoop&) = delete;

    void run() { uv_run(&loop_, UV_RUN_DEFAULT); }
    void signal(std::size_t) {
        signals_.fetch_add(1);
        uv_async_send(&async_);
    }
    void stop() {
        is_over_ = true;
        uv_async_send(&async_);
    }

private:
    void take() {
        for (std::size_t left = signals_.exchange(0); left > 0; --left) callback_();
        if (is_over_) uv_stop(&loop_);
    }

    Callback callback_;
    uv_loop_t loop_;
    uv_async_t async_;
    std::atomic<std::size_t> signals_{0};
    std::atomic<bool> is_over_{false};
};

}  // namespace bench
