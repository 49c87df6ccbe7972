// SPDX-License-Identifier: MIT
//
// A thread may notify its own promises. Nothing that listens runs inside the notify: it is posted, and runs when the loop
// comes to it, in the order of the queue.
//
// Prints:
//     queued, queued, notified 2, back in main, first, second

#include <atomic>
#include <iostream>
#include <string>

#include <futon/futon.hpp>

int main() {
    futon::EventLoop loop;
    std::atomic<int> word{0};
    std::string story;

    futon::wait_async(word, 0).promise().then([&](futon::WaitResult) { story += ", first"; });
    story += "queued";
    futon::wait_async(word, 0).promise().then([&](futon::WaitResult) { story += ", second"; });
    story += ", queued";

    story += ", notified " + std::to_string(futon::notify(word));
    story += ", back in main";
    loop.run();  // returns when nothing is left to happen

    std::cout << story << '\n';
    return story == "queued, queued, notified 2, back in main, first, second" ? 0 : 1;
}
