// SPDX-License-Identifier: MIT
//
// A bare epoll loop: an eventfd wakes it, and the time-out of epoll_wait is futon's next deadline. That is all of the glue.
// (12_embed_in_epoll.cpp does without either, by the descriptor of a whole EventLoop.)
//
// Prints:
//     a byte has come
//     item: 7
//     a deadline has come

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <system_error>
#include <thread>

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

namespace {

int checked(int result, const char* call) {
    if (result < 0) throw std::system_error(errno, std::system_category(), call);
    return result;
}

class EpollLoop {
public:
    EpollLoop() { watch(wake_); }
    ~EpollLoop() {
        close(epoll_);
        close(wake_);
    }

    void wake() noexcept { eventfd_write(wake_, 1); }

    void watch(int descriptor) {
        epoll_event event{};
        event.events = EPOLLIN;
        event.data.fd = descriptor;
        checked(epoll_ctl(epoll_, EPOLL_CTL_ADD, descriptor, &event), "epoll_ctl");
    }

    /// Sleeps until a descriptor is readable, `wake`, or `deadline`. Returns the descriptor, or -1.
    int wait_until(std::chrono::steady_clock::time_point deadline) {
        using std::chrono::milliseconds;
        const auto now = std::chrono::steady_clock::now();
        int timeout = -1;
        if (deadline != std::chrono::steady_clock::time_point::max())
            timeout = deadline <= now ? 0
                                      : static_cast<int>(std::chrono::ceil<milliseconds>(
                                                             std::min(deadline - now, std::chrono::nanoseconds(1h)))
                                                             .count());
        epoll_event event{};
        if (epoll_wait(epoll_, &event, 1, timeout) != 1) return -1;
        if (event.data.fd != wake_) return event.data.fd;
        eventfd_t wakes = 0;
        eventfd_read(wake_, &wakes);
        return -1;
    }

private:
    int epoll_ = checked(epoll_create1(EPOLL_CLOEXEC), "epoll_create1");
    int wake_ = checked(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK), "eventfd");
};

}  // namespace

int main() {
    futon::Channel<int> channel(1);
    futon::Event never;
    int item = 0;
    bool is_over = false;
    int bytes = 0;

    int pipe_ends[2];
    checked(pipe(pipe_ends), "pipe");
    EpollLoop host;
    host.watch(pipe_ends[0]);
    futon::core::LoopExecutor futons([&]() noexcept { host.wake(); });  // after the host, so that it ends before it

    std::jthread worker;
    futon::call_back(channel.receiving(), [&](futon::Received<int> received) {
        std::printf("item: %d\n", item = received.value_or(0));
        futon::call_back(never.waiting(), 3ms, [&](futon::WaitResult result) {
            is_over = result == futon::WaitResult::timed_out;
            std::puts("a deadline has come");
        });
    });
    checked(static_cast<int>(write(pipe_ends[1], "x", 1)), "write");
    while (futons.has_work()) {
        if (host.wait_until(futons.next_deadline()) == pipe_ends[0]) {
            char byte = 0;
            bytes += static_cast<int>(read(pipe_ends[0], &byte, 1));
            std::puts("a byte has come");
            worker = std::jthread([&] { static_cast<void>(channel.send(7)); });
        }
        futons.poll();
    }
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    return is_over && item == 7 && bytes == 1 ? 0 : 1;
}
