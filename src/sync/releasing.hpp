// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <futon/core/queue/wait_table.hpp>
#include <futon/core/queue/waiter.hpp>
#include <futon/detail/export.hpp>

namespace futon::detail {

/// Takes all waiters of a word, in parts, with the waiters that are enqueued meanwhile. When the queue is empty, the visitor changes
/// the word under the queue's lock. The table delivers the waiters after that: a waiter that returns finds the word changed, and
/// may destroy it. [signal] [last-touch] [parts]
template <class Change>
class FUTON_LOCAL Releasing final : public core::WakeVisitor {
public:
    Releasing(core::WakeToken token, Change change) noexcept : token_(token), change_(std::move(change)) {}

private:
    Decision decide(const core::Waiter&) noexcept override { return Decision::take; }
    core::WakeToken take(const core::Waiter&) noexcept override { return token_; }
    void finish(bool) noexcept override { change_(); }
    bool may_pause() noexcept override { return true; }

    const core::WakeToken token_;
    Change change_;
};

/// Wakes all waiters of `word` with this token, after `change()`, which is the only change of the word. Until then other threads
/// change the word under the queue's lock only.
template <class Change>
void release_all(const void* word, core::WakeToken token, Change change) noexcept {
    Releasing<Change> releasing(token, std::move(change));
    core::table_for(word).wake_while(word, releasing);
}

}  // namespace futon::detail
