// SPDX-License-Identifier: MIT
#pragma once

#include <utility>

#include <futon/core/wait_table.hpp>
#include <futon/core/waiter.hpp>
#include <futon/detail/export.hpp>

namespace futon::detail {

/// Takes all that wait at a word, in parts, and those that come meanwhile. Once the queue is empty it changes the word, under the
/// queue's lock, and only then they are delivered: so whoever returns from the wait finds the word changed, and may destroy it.
/// [signal] [last-touch] [parts]
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

/// Delivers to all that wait at `word` this token, after `change()`, the one change of it. Until then no one else changes the word
/// but under the queue's lock.
template <class Change>
void release_all(const void* word, core::WakeToken token, Change change) noexcept {
    Releasing<Change> releasing(token, std::move(change));
    core::table_for(word).wake_while(word, releasing);
}

}  // namespace futon::detail
