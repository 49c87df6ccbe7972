// SPDX-License-Identifier: MIT
#include "copy.hpp"

#include <new>

#include <futon/core.hpp>
#include <futon/futon.hpp>

namespace {

static_assert(sizeof(futon::AsyncLock) == 4);

futon::AsyncLock& as_lock(void* lock) {
    return *std::launder(static_cast<futon::AsyncLock*>(lock));
}

bool is_refused(std::atomic<int>& word) {
    try {
        futon::wait(word, word.load());
    } catch (const futon::BlockingForbidden&) {
        return true;
    }
    return false;
}

futon::Promise<void> count_wake_up(std::atomic<int>& word, int& wake_ups) {
    const futon::WaitResult result = co_await futon::wait_async(word, 0);
    if (result == futon::WaitResult::ok) ++wake_ups;
}

constexpr Copy the_copy{
    .wait = [](std::atomic<int>& word) { return futon::wait(word, 0) == futon::WaitResult::ok; },
    .notify = [](std::atomic<int>& word) { return futon::notify(word); },
    .count = [](const void* address) { return futon::core::process_table().count(address); },
    .lock = [](void* lock) { as_lock(lock).lock(); },
    .unlock = [](void* lock) { as_lock(lock).unlock(); },
    .run_loop =
        [](void (*begin)(void*), void (*end)(void*), void* context) {
            futon::EventLoop loop;
            begin(context);
            loop.run();
            end(context);
        },
    .agent = []() -> const void* { return futon::detail::this_agent(); },
    .blocking_is_refused = is_refused,
    .wait_in_coroutine = [](std::atomic<int>& word, int& wake_ups) -> void* {
        return new futon::Promise<void>(count_wake_up(word, wake_ups));
    },
    .end_coroutine = [](void* promise) { delete static_cast<futon::Promise<void>*>(promise); },
    .library = [] { return reinterpret_cast<const void*>(&futon::core::note_done); },
    .rules = []() -> const void* { return &futon::core::Arbiter<futon::detail::LockRules>::rules; },
};

}  // namespace

const Copy* futon_test_copy() {
    return &the_copy;
}
