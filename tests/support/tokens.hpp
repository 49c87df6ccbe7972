// SPDX-License-Identifier: MIT
#pragma once

#include <atomic>
#include <cstdint>
#include <utility>

#include <futon/core/operation/operation.hpp>
#include <futon/core/queue/wait_table.hpp>

namespace futon::test {

/// A primitive of the tests' own: a number of tokens, and a queue for those who want one. It notes what drivers do.
class Tokens {
public:
    class Take;

    explicit Tokens(int available = 0, core::WaitQueues& queues = core::process_table())
        : available_(available), queues_(queues) {}

    int available() const { return available_; }

    /// Adds a token and wakes the first waiter, which finds it unless another is faster. Returns how many were woken.
    std::size_t release() {
        ++available_;
        return wake_in_vain();
    }

    /// Wakes the first waiter without adding a token. Returns how many were woken.
    std::size_t wake_in_vain() { return queues_.notify(this, 1); }

    /// Gives the first waiter a token of its own.
    void hand_off() {
        if (core::Waiter* first = core::process_table().dequeue_first(this))
            core::WaitTable::deliver(*first, core::WakeToken::handed_off);
    }

    bool try_take() noexcept {
        int seen = available_;
        while (seen > 0)
            if (available_.compare_exchange_weak(seen, seen - 1)) return true;
        return false;
    }

    bool tries_fail = false;         // so that only the check can find a token
    std::atomic<int> checks{0};      // under the queue's lock
    std::atomic<int> vain_wakes{0};  // wake-ups that found no token
    std::atomic<int> given_back{0};  // tokens that were handed off to a caller that was gone
    std::atomic<int> passed_on{0};   // wake-ups that a caller had no use for

private:
    std::atomic<int> available_;
    core::WaitQueues& queues_;
};

/// "Take a token", as an operation.
class Tokens::Take {
public:
    using Result = WaitResult;
    static constexpr const char* name = "futon::test::Tokens::Take";
    static constexpr std::uint64_t wanted = 5;

    explicit Take(Tokens& tokens) noexcept : tokens_(&tokens) {}
    Take(Take&& other) noexcept : tokens_(std::exchange(other.tokens_, nullptr)) {}
    Take& operator=(Take&&) = delete;

    const void* key() const noexcept { return tokens_; }
    core::WaitQueues& table() const noexcept { return tokens_->queues_; }
    std::uint64_t request() const noexcept { return wanted; }

    bool try_now() noexcept { return !tokens_->tries_fail && tokens_->try_take(); }
    core::WaitCheck check() noexcept {
        return {tokens_, 0, [](void* address, std::uint64_t) noexcept {
                    auto& tokens = *static_cast<Tokens*>(address);
                    ++tokens.checks;
                    return !tokens.try_take();
                }};
    }
    bool woken(core::WakeToken token) noexcept {
        if (token == core::WakeToken::handed_off || tokens_->try_take()) return true;
        ++tokens_->vain_wakes;
        return false;
    }
    void give_back(core::WakeToken token) noexcept {
        if (token == core::WakeToken::handed_off) {
            ++tokens_->given_back;
            tokens_->release();
        } else {
            ++tokens_->passed_on;
            if (tokens_->available() > 0) tokens_->wake_in_vain();
        }
    }
    WaitResult result(core::Ending ending) noexcept { return core::to_wait_result(ending); }

private:
    Tokens* tokens_;
};

static_assert(core::Operation<Tokens::Take>);

/// An operation that was used before.
inline Tokens::Take used(Tokens& tokens) {
    Tokens::Take take(tokens);
    const Tokens::Take user(std::move(take));
    return take;  // NOLINT(bugprone-use-after-move)
}

}  // namespace futon::test
