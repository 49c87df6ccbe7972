// SPDX-License-Identifier: MIT
// A program with threads and exceptions, and without the library.
#include <cstdio>
#include <exception>
#include <stdexcept>
#include <thread>

int main(int count, char**) {
    std::thread([] { std::puts("a thread"); }).detach();
    try {
        if (count > 0) throw std::runtime_error("an exception");
    } catch (const std::exception& error) {
        std::printf("%s, %d\n", error.what(), count);
    }
}
