// SPDX-License-Identifier: MIT
#include "stage.hpp"

#include <algorithm>
#include <new>

#include <futon/explorer/kernel.hpp>

namespace futon::test {

namespace {

alignas(AsyncLock) std::byte lock_bytes[sizeof(AsyncLock)];

}  // namespace

int Stage::cells_[words];
Stage* Stage::current_ = nullptr;

Stage::Stage(History& history) : history_(history) {
    current_ = this;
    for (int& cell : cells_) cell = 0;
    ::new (lock_bytes) AsyncLock;
}

std::size_t Stage::invoke(int agent, const Call& call) {
    explorer::touch(&history_);
    return history_.invoke(agent, call);
}

void Stage::promise(std::size_t operation) {
    explorer::touch(&history_);
    history_.promise(operation);
}

AsyncLock& Stage::lock() {
    return *std::launder(reinterpret_cast<AsyncLock*>(lock_bytes));
}

core::WaitCheck Stage::check_of(const Call& call) {
    core::WaitCheck check = word(call).equals(call.operand);
    check.must_wait_at = [](void* address, std::uint64_t expected) noexcept {
        const bool holds = Word<int>(*static_cast<int*>(address)).equals(0).must_wait_at(address, expected);
        if (holds) current_->call_closer_at_standstill();
        return holds;
    };
    return check;
}

void Stage::set_waiting(int agent, bool is_waiting) {
    is_waiting_[static_cast<std::size_t>(agent)] = is_waiting;
    call_closer_at_standstill();
}

void Stage::end(int agent) {
    --running_;
    set_waiting(agent, true);
}

/// The last waiter to be enqueued finds all others waiting, and calls: so none is left.
void Stage::call_closer_at_standstill() {
    if (std::ranges::find(is_waiting_, false) != is_waiting_.end()) return;
    explorer::touch(this);
    is_called_ = true;
}

void Stage::close() {
    while (true) {
        explorer::await("closer", this,
                        [](const void* stage) noexcept { return static_cast<const Stage*>(stage)->is_called_; });
        is_called_ = false;
        if (running_ == 0) return;
        for (int word = 0; word < words; ++word) notify_everyone(word);
    }
}

void Stage::notify_everyone(int number) {
    const Call call{.kind = Kind::notify, .word = number, .count = everyone};
    const std::size_t operation = invoke(closer, call);
    respond(operation, static_cast<std::int64_t>(futon::notify(word(call))));
}

void Stage::check_at_rest() {
    for (int& cell : cells_) explorer::check(core::process_table().count(&cell) == 0, "no waiter is queued");
    explorer::check(core::process_table().count(&lock()) == 0, "no waiter of the lock is queued");
    explorer::check(lock().try_lock(), "the lock is free in the end");
}

}  // namespace futon::test
