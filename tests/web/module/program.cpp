// SPDX-License-Identifier: MIT
// A program that JavaScript connects to: what its tests want of threads of C++, and of loops.
#include <atomic>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <emscripten.h>
#include <emscripten/eventloop.h>
#include <emscripten/heap.h>

#include <futon/futon.hpp>

namespace {

using Word = std::atomic<int>;

/// A list that threads and the page append to: the first word is its length, the last one how many have begun to append.
void append(Word* list, int value) {
    const int at = ++list[63];
    list[at] = value;
    while (list[0] != at - 1) {  // the one before is some instructions away
    }
    list[0] = at;
    futon::notify(list[0]);
}

void until_set(Word* word) {
    while (*word == 0) futon::wait(*word, 0);
}

std::unique_ptr<futon::EventLoop> inner_loop;

}  // namespace

// clang-format off
// The thread's JavaScript runs the actions of tests/web/module/actor.js from now on.
EM_JS(void, test_live, (const char* url, int number), {
    const load = new Function('url', 'return import(url)');
    load(UTF8ToString(url)).then((actor) => actor.live(Module, number)).catch((error) => console.error(error));
});
// clang-format on

extern "C" {

EMSCRIPTEN_KEEPALIVE void* test_allocate(std::size_t size) {
    return std::calloc(size, 1);
}

/// A thread waits until it is notified, or its time is over, and appends `name`, or `-name`.
EMSCRIPTEN_KEEPALIVE void test_wait(Word* word, int value, double timeout, Word* list, int name) {
    std::thread([=] {
        const auto limit = futon::Deadline(std::chrono::duration<double, std::milli>(timeout));
        append(list, futon::wait(*word, value, limit) == futon::WaitResult::ok ? name : -name);
    }).detach();
}

EMSCRIPTEN_KEEPALIVE void test_append(Word* list, int value) {
    append(list, value);
}

/// A thread notifies until that many were woken.
EMSCRIPTEN_KEEPALIVE void test_notify(Word* word, int count, Word* list, int name) {
    std::thread([=] {
        for (int woken = 0; woken < count;) woken += static_cast<int>(futon::notify(*word, count - woken));
        append(list, name);
    }).detach();
}

/// A thread locks, appends `name`, and unlocks.
EMSCRIPTEN_KEEPALIVE void test_lock(futon::AsyncLock* lock, Word* list, int name) {
    std::thread([=] {
        const std::scoped_lock hold(*lock);
        append(list, name);
    }).detach();
}

/// A thread holds the lock until the word is set.
EMSCRIPTEN_KEEPALIVE void test_hold(futon::AsyncLock* lock, Word* list, int name, Word* until) {
    std::thread([=] {
        const std::scoped_lock hold(*lock);
        append(list, name);
        until_set(until);
    }).detach();
}

EMSCRIPTEN_KEEPALIVE void test_contend(futon::AsyncLock* lock, int* counter, int rounds, Word* list) {
    std::thread([=] {
        for (int i = 0; i < rounds; ++i) {
            const std::scoped_lock hold(*lock);
            ++*counter;
        }
        append(list, rounds);
    }).detach();
}

EMSCRIPTEN_KEEPALIVE int test_try_unlock(futon::AsyncLock* lock) {
    return lock->try_unlock() ? 1 : 0;
}

/// The bytes of memory by then.
EMSCRIPTEN_KEEPALIVE std::size_t test_grow() {
    static std::vector<std::unique_ptr<char[]>> blocks;
    const std::size_t before = emscripten_get_heap_size();
    while (emscripten_get_heap_size() == before) blocks.push_back(std::make_unique<char[]>(8 << 20));
    return emscripten_get_heap_size();
}

/// A loop that is the main thread's agent until `test_end_loop`.
EMSCRIPTEN_KEEPALIVE void test_begin_loop() {
    inner_loop = std::make_unique<futon::EventLoop>();
}

EMSCRIPTEN_KEEPALIVE void test_close_loop() {
    inner_loop->close();
}

EMSCRIPTEN_KEEPALIVE void test_end_loop() {
    inner_loop.reset();
}

/// A thread whose JavaScript lives on.
EMSCRIPTEN_KEEPALIVE void test_start_actor(const char* url, int number) {
    std::thread([name = std::string(url), number] {
        test_live(name.c_str(), number);
        emscripten_exit_with_live_runtime();
    }).detach();
}

EMSCRIPTEN_KEEPALIVE void test_end_this_thread() {
    pthread_exit(nullptr);
}
}

int main() {}
