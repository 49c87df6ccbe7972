// SPDX-License-Identifier: MIT
//
// A service that ends gracefully at SIGTERM, and forks a child. The handler does the one thing that it may: it stops the loop. The
// child makes a loop of its own, for that of its parent does not run there.
//
// Prints:
//     child:  the parent's loop is refused, an own one runs
//     parent: stopped by SIGTERM; the requests under way are done

#include <atomic>
#include <csignal>
#include <cstdio>
#include <stdexcept>

#include <sys/wait.h>
#include <unistd.h>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

namespace {

std::atomic<futon::EventLoop*> loop_to_stop = nullptr;

extern "C" void stop_at_signal(int) {
    if (futon::EventLoop* loop = loop_to_stop.load()) loop->stop();  // allowed in a handler; notify and unlock are not
}

/// A request that is under way when the signal comes: its answer is still sent.
futon::Promise<void> answer_request(bool& is_answered) {
    co_await futon::sleep_for(5ms);
    is_answered = true;
}

/// What the child does; returns its exit status.
int run_child(futon::EventLoop& of_parent) {
    bool is_refused = false;
    try {
        of_parent.poll();
    } catch (const std::logic_error&) {
        is_refused = true;
    }
    futon::EventLoop own;
    bool has_run = false;
    own.post([&] { has_run = true; });
    own.run();
    return is_refused && has_run ? 0 : 1;
}

bool fork_a_child(futon::EventLoop& loop) {
    const pid_t child = fork();
    if (child == 0) _exit(run_child(loop));
    int status = 1;
    return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

}  // namespace

int main() {
    futon::EventLoop loop(futon::CanBlock::yes);  // waitpid blocks
    const bool child_is_right = fork_a_child(loop);
    std::printf("child:  %s\n", child_is_right ? "the parent's loop is refused, an own one runs" : "WRONG");

    loop_to_stop = &loop;
    std::signal(SIGTERM, stop_at_signal);
    bool is_answered = false;
    auto answering = answer_request(is_answered);
    const auto service = loop.keep_running();
    loop.post([] { std::raise(SIGTERM); });
    loop.run();  // returns at the signal
    const bool was_under_way = !is_answered;
    loop.run_until(answering);  // what has begun is finished
    loop_to_stop = nullptr;     // before the loop ends
    std::signal(SIGTERM, SIG_DFL);

    std::printf("parent: stopped by SIGTERM; the requests under way are %s\n", is_answered ? "done" : "LOST");
    return child_is_right && was_under_way && is_answered ? 0 : 1;
}
