// SPDX-License-Identifier: MIT
// A program that exits by itself, and to which JavaScript connects before main runs.
#include <cstdio>
#include <cstdlib>

#include <emscripten.h>

extern "C" EMSCRIPTEN_KEEPALIVE int* test_words() {
    static int words[2];
    return words;
}

int main() {
    std::atexit([] { std::puts("exit"); });
}
