// SPDX-License-Identifier: MIT
//
// A condition variable with a time-out, made from wait alone. A counter says that something has changed; the deadline is
// a time point, so that a wait that must be repeated has the rest of the time and not the whole.
//
// Prints:
//     before anything was put: none
//     after a letter was put:  42

#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

namespace {

class Condition {
public:
    /// Unlocks, waits for a change, and locks again. Returns false if its time was over first.
    bool wait(std::unique_lock<futon::AsyncLock>& hold, const futon::Limits& limits) {
        const std::uint32_t seen = changes_;  // read before the unlock: a change that comes later is not missed
        hold.unlock();
        const futon::WaitResult result = futon::wait(changes_, seen, limits);
        hold.lock();
        return result != futon::WaitResult::timed_out;
    }

    void notify_all() { futon::fetch_add_and_notify(changes_, 1u); }  // both by one barrier

private:
    std::atomic<std::uint32_t> changes_{0};
};

class Mailbox {
public:
    void put(int letter) {
        const std::scoped_lock hold(lock_);
        letter_ = letter;
        arrived_.notify_all();
    }

    std::optional<int> take(const futon::Limits& limits) {
        const futon::Limits shared = limits.from_now();  // by all the waits
        std::unique_lock hold(lock_);
        while (!letter_ && arrived_.wait(hold, shared)) {
        }
        return std::exchange(letter_, std::nullopt);
    }

private:
    futon::AsyncLock lock_;
    Condition arrived_;
    std::optional<int> letter_;
};

}  // namespace

int main() {
    Mailbox mailbox;
    const std::optional<int> none = mailbox.take(10ms);
    std::printf("before anything was put: %s\n", none ? "SOMETHING" : "none");

    std::jthread sender([&] { mailbox.put(42); });
    const std::optional<int> letter = mailbox.take(futon::Deadline::never());
    std::printf("after a letter was put:  %d\n", letter.value_or(0));
    return !none && letter == 42 ? 0 : 1;
}
