// SPDX-License-Identifier: MIT
//
// The two corner cases of every lock made from compare-exchange, wait and notify, with the other party's steps performed
// at the worst time.
//
// 1. The lock is released between the failed compare-exchange and the wait. The wait compares once more, under the lock
//    that notify takes, answers not-equal and does not sleep: the wake-up is not lost.
// 2. A third thread takes the lock before the waiter that was woken comes to it (barging). The exchange of the woken
//    thread fails, and it waits again.
//
// Prints:
//     released before the wait: not-equal, then locked
//     taken by a third thread:  ok, ok, then locked

#include <cstdio>
#include <string>
#include <thread>

#include <futon/futon.hpp>

namespace {

constexpr int unlocked = 0;
constexpr int held = 1;

/// Takes the lock. Calls `before_waiting` after each failed exchange; returns what its waits answered.
template <class F>
std::string lock(futon::Word<int> word, F before_waiting) {
    std::string story;
    while (word.compare_exchange(unlocked, held) != unlocked) {
        before_waiting();
        story += std::string(to_string(futon::wait(word, held))) + ", ";
    }
    return story + "then locked";
}

void unlock(futon::Word<int> word) {
    word.store(unlocked);
    futon::notify(word, 1);
}

void wait_until_queued(futon::Word<int> word) {
    while (futon::core::process_table().count(word.address()) == 0) std::this_thread::yield();
}

std::string released_before_the_wait() {
    int cell = held;
    return lock(cell, [&] { unlock(cell); });
}

std::string taken_by_a_third_thread() {
    int cell = held;
    std::string story;
    std::jthread waiter([&] { story = lock(cell, [] {}); });
    wait_until_queued(cell);

    const futon::Word<int> word(cell);
    word.store(unlocked);                   // the owner begins to unlock,
    word.compare_exchange(unlocked, held);  // the third takes the lock,
    futon::notify(word, 1);                 // and only now the owner wakes the waiter
    wait_until_queued(cell);                // which has found the lock held, and waits again,
    unlock(cell);                           // until the third unlocks
    waiter.join();
    return story;
}

}  // namespace

int main() {
    const std::string released = released_before_the_wait();
    const std::string taken = taken_by_a_third_thread();
    std::printf("released before the wait: %s\n", released.c_str());
    std::printf("taken by a third thread:  %s\n", taken.c_str());
    return released == "not-equal, then locked" && taken == "ok, ok, then locked" ? 0 : 1;
}
