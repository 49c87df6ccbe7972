// SPDX-License-Identifier: MIT
#include "stage.hpp"

#include <algorithm>
#include <new>

#include <futon/explorer/kernel.hpp>

#include "family_calls.hpp"
#include "progress.hpp"

namespace futon::test {

namespace {

alignas(AsyncLock) std::byte lock_bytes[sizeof(AsyncLock)];

// One of the family. Each is at one place in every schedule, too.
alignas(Channel<int>) std::byte subject_bytes[sizeof(Channel<int>)];

template <class T>
T& subject() {
    static_assert(sizeof(T) <= sizeof subject_bytes && alignof(T) <= alignof(Channel<int>));
    return *std::launder(reinterpret_cast<T*>(subject_bytes));
}

}  // namespace

int Stage::cells_[words];
Stage* Stage::current_ = nullptr;

Stage::Stage(History& history, const Subject& subject) : history_(history), subject_(subject) {
    current_ = this;
    for (int& cell : cells_) cell = 0;
    ::new (lock_bytes) AsyncLock;
    switch (subject_.type) {
        case Subject::Type::semaphore:
            ::new (subject_bytes) Semaphore(static_cast<std::uint32_t>(subject_.amount),
                                            subject_.is_strict ? Fairness::strict : Fairness::bounded);
            break;
        case Subject::Type::event:
            ::new (subject_bytes) Event;
            break;
        case Subject::Type::auto_reset_event:
            ::new (subject_bytes) AutoResetEvent;
            break;
        case Subject::Type::channel:
            ::new (subject_bytes) Channel<int>(static_cast<std::size_t>(subject_.amount));
            break;
        case Subject::Type::latch:
            ::new (subject_bytes) Latch(static_cast<std::uint32_t>(subject_.amount));
            break;
        case Subject::Type::shared_lock:
            ::new (subject_bytes) SharedLock(subject_.is_strict ? Fairness::strict : Fairness::bounded);
            break;
        default:
            break;
    }
}

Stage::~Stage() {
    if (subject_.type == Subject::Type::channel) channel().~Channel();
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

Semaphore& Stage::semaphore() {
    return subject<Semaphore>();
}
Event& Stage::event() {
    return subject<Event>();
}
AutoResetEvent& Stage::auto_reset_event() {
    return subject<AutoResetEvent>();
}
Channel<int>& Stage::channel() {
    return subject<Channel<int>>();
}
Latch& Stage::latch() {
    return subject<Latch>();
}
SharedLock& Stage::shared_lock() {
    return subject<SharedLock>();
}

bool Stage::may_count_down(int n) const {
    explorer::touch(&history_);
    return n <= left_of_latch(history_, subject_);
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
    if (!subject_.is_of_words()) {
        explorer::touch(&history_);
        history_.end(agent);
    }
    --running_;
    set_waiting(agent, true);
}

void Stage::begin_end(int agent) {
    explorer::touch(&history_);
    history_.begin_end(agent);
}

/// The last waiter to be enqueued finds all others waiting, and calls: so none is left. Where one of the family must go on without
/// help, the closer gives none, so that a wake-up that was lost is seen as a deadlock; what the closer does there stays done, also
/// for a waiter that is enqueued later.
void Stage::call_closer_at_standstill() {
    if (std::ranges::find(is_waiting_, false) != is_waiting_.end()) return;
    if (running_ != 0 && !subject_.is_of_words() && !needs_help(history_, subject_)) return;
    explorer::touch(this);
    is_called_ = true;
}

void Stage::close() {
    while (true) {
        explorer::await("closer", this,
                        [](const void* stage) noexcept { return static_cast<const Stage*>(stage)->is_called_; });
        is_called_ = false;
        if (running_ == 0) return;
        if (subject_.is_of_words()) {
            for (int word = 0; word < words; ++word) notify_everyone(word);
        } else {
            close_subject();
        }
    }
}

void Stage::notify_everyone(int number) {
    const Call call{.kind = Kind::notify, .word = number, .count = everyone};
    const std::size_t operation = invoke(closer, call);
    respond(operation, static_cast<std::int64_t>(futon::notify(word(call))));
}

void Stage::close_subject() {
    const auto close_by = [this](const Call& call) {
        const std::size_t operation = invoke(closer, call);
        respond(operation, call_at_once(type(), call));
    };
    if (subject_.type == Subject::Type::semaphore) {
        const int missing = missing_permits(history_, subject_);
        if (missing <= 0) return;  // a request has given up since
        close_by({.kind = Kind::release, .operand = missing});
    } else if (subject_.type == Subject::Type::latch) {
        const int left = left_of_latch(history_, subject_);
        if (left > 0) close_by({.kind = Kind::count_down, .operand = left});
    } else if (subject_.type == Subject::Type::channel) {
        close_by({.kind = Kind::close});
    } else {
        close_by({.kind = Kind::set});
    }
}

/// No permit and no holding is made, and none lost, also where no request would have found out.
void Stage::check_subject_at_rest() const {
    if (subject_.is_of_words()) return;
    explorer::check(core::process_table().count(subject_bytes) == 0, "no waiter of the subject is queued");
    if (subject_.type == Subject::Type::latch)
        explorer::check(latch().try_wait() == (left_of_latch(history_, subject_) == 0), "it is open if all is counted");
    if (subject_.type == Subject::Type::shared_lock) {
        explorer::check(core::process_table().count(subject_bytes + 4) == 0, "no upgrade is queued");
        explorer::check(shared_lock().try_lock(), "no holding is made, and none is lost");
    }
    if (subject_.type != Subject::Type::semaphore) return;
    const int permits = -missing_permits(history_, subject_);
    explorer::check(static_cast<int>(semaphore().available()) == permits, "no permit is made, and none is lost");
    explorer::check(permits == 0 || semaphore().try_acquire(static_cast<std::uint32_t>(permits)),
                    "the permits can be had in the end");
}

void Stage::check_at_rest() {
    check_subject_at_rest();
    for (int& cell : cells_) explorer::check(core::process_table().count(&cell) == 0, "no waiter is queued");
    explorer::check(core::process_table().count(&lock()) == 0, "no waiter of the lock is queued");
    explorer::check(lock().try_lock(), "the lock is free in the end");
}

}  // namespace futon::test
