// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstdint>

#include <futon/detail/atomic.hpp>
#include <futon/native_handle.hpp>

namespace futon::platform {

struct BellCell;

/// A word on which its thread can sleep. If the thread must not sleep, JavaScript listens to the word instead.
///
///     word      means                            set by
///     idle      no token, nothing to wake        initially; a wait that took the token or gave up
///     asleep    no token; the thread may be      wait, wait_until and set_alarm, from idle
///               asleep, or the engine listens
///     token     the token is under way           ring; the end of a bell that had a listener
///
/// From `listen` on, the word is a cell's, whose memory serves no other purpose. A listener cannot be taken out of the
/// engine's queue, so it may outlive the bell, and must not take a wake-up that is meant for other memory.
class Doorbell {
public:
    Doorbell() noexcept = default;
    ~Doorbell();
    Doorbell(const Doorbell&) = delete;
    Doorbell& operator=(const Doorbell&) = delete;

    void ring() noexcept;
    void wait() noexcept;
    bool wait_until(std::chrono::steady_clock::time_point deadline) noexcept;
    NativeHandle native_handle();
    void clear() noexcept {}
    void set_alarm(std::chrono::steady_clock::time_point deadline) noexcept;

    // As Host says.
    void listen(void (*turn)(void*) noexcept, void* context);
    void unlisten() noexcept;
    void keep_alive(bool is_alive) noexcept;

private:
    using Word = detail::Atomic<std::uint32_t>;

    Word own_word_{0};
    Word* word_ = &own_word_;  // changes while no other thread has to ring
    BellCell* cell_ = nullptr;
};

}  // namespace futon::platform
