// SPDX-License-Identifier: MIT
//
// An event loop inside another one. native_handle() is, on Linux, a descriptor that is readable whenever poll() has something
// to do, timers included; epoll stands for any loop that can watch a descriptor (GLib, Qt, libuv, Asio).
//
// What fails in the loop must not leave through the host, which may be C: set_unhandled_handler takes it. The order of
// destruction is the reverse of main's: first the worker that posts and notifies, then the host's watch of the descriptor,
// and last the loop, to which the descriptor belongs.
//
// Prints:
//     a worker has notified
//     a job has failed: no paper
//     a deadline has come

#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <exception>
#include <optional>
#include <stdexcept>
#include <system_error>
#include <thread>

#include <sys/epoll.h>
#include <unistd.h>

#include <futon/futon.hpp>

using namespace std::chrono_literals;
using futon::WaitResult;

namespace {

/// A loop of another library: it watches one descriptor.
class HostLoop {
public:
    explicit HostLoop(futon::NativeHandle watched) {
        epoll_event event{};
        event.events = EPOLLIN;
        if (epoll_ < 0 || epoll_ctl(epoll_, EPOLL_CTL_ADD, watched, &event) != 0)
            throw std::system_error(errno, std::system_category(), "epoll");
    }
    ~HostLoop() { close(epoll_); }

    void wait_until_readable() const {
        epoll_event event{};
        while (epoll_wait(epoll_, &event, 1, -1) != 1) {
        }
    }

private:
    int epoll_ = epoll_create1(EPOLL_CLOEXEC);
};

void print_error(const std::exception_ptr& exception) {
    try {
        std::rethrow_exception(exception);
    } catch (const std::exception& error) {
        std::printf("a job has failed: %s\n", error.what());
    }
}

}  // namespace

int main() {
    futon::EventLoop loop;  // made before all that refers to it, and so destroyed after that
    bool has_failed = false;
    loop.set_unhandled_handler([&](const std::exception_ptr& exception) {
        has_failed = true;
        print_error(exception);
    });
    const HostLoop host(loop.native_handle());
    std::atomic<int> word{0};
    std::optional<WaitResult> notified;
    std::optional<WaitResult> late;

    futon::wait_async(word, 0).promise().then([&](WaitResult result) { notified = result; });
    std::jthread worker([&] { futon::notify(word); });
    while (!notified) {
        host.wait_until_readable();
        loop.poll();
    }
    std::puts("a worker has notified");

    loop.post([] { throw std::runtime_error("no paper"); });
    while (!has_failed) {
        host.wait_until_readable();
        loop.poll();  // throws nothing
    }

    const auto wait_in_vain = [&]() -> futon::Promise<void> {
        const WaitResult result = co_await futon::wait_async(word, 0, 10ms);
        late = result;
    };
    wait_in_vain();
    while (!late) {
        host.wait_until_readable();
        loop.poll();
    }
    std::puts("a deadline has come");
    return notified == WaitResult::ok && late == WaitResult::timed_out ? 0 : 1;
}
