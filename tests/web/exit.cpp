// SPDX-License-Identifier: MIT
// Ends by itself: main returns, the loop has work for a while, and then the program exits, with what exit handlers do.
#include <cstdio>
#include <cstdlib>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

int main() {
    static futon::EventLoop loop;
    std::atexit([] { std::printf("ended\n"); });
    loop.post([] {
        std::printf("posted, ");
        loop.post_after(20ms, [] { std::printf("timed, "); });
    });
}
