# SPDX-License-Identifier: MIT
"""The mutants: for each invariant and each trap, one change in one place that breaks it. `by` names the tests of the
model that must catch it. Where another library shipped the bug, its report is named."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Mutant:
    tag: str
    bug: str
    file: str
    old: str
    new: str
    by: str
    sanitized: bool = False  # shows only as a touch of what is gone


MUTANTS = [
    Mutant("check", "compares before it takes the lock",
           "src/tables/shard.cpp",
           "    Spare spare = allocate_if_wanted();\n",
           "    Spare spare = allocate_if_wanted();\n"
           "    condition.holds_at = condition.holds() ? [](void*, std::uint64_t) noexcept { return true; }\n"
           "                                           : [](void*, std::uint64_t) noexcept { return false; };\n",
           "ModelWait.AStore*"),
    Mutant("announce", "joins without a fence between mark and comparison (event-listener 138)",
           "src/tables/shard.cpp",
           "            detail::fence_seq_cst();",
           "            (void)0;",
           "ModelWait.*WeakMemory"),
    Mutant("announce", "notifies without a fence before the look (oneTBB on AArch64)",
           "src/tables/process_table.cpp",
           "    detail::fence_seq_cst();  // [announce]\n",
           "",
           "ModelWait.*WeakMemory"),
    Mutant("announce", "looks for waiters before anything else, and remembers",
           "src/tables/process_table.cpp",
           "    if (!shard.may_have_line(hash)) return 0;",
           "    if (!shard.may_have_line(hash + (std::uint64_t{1} << 58))) return 0;",
           "ModelWait.AStore*"),
    Mutant("once", "a time-out does not ask who unlinked (glibc 25847's kind)",
           "src/atomics/wait.cpp",
           "        if (core::process_table().leave(waiter, WaitResult::timed_out)) return WaitResult::timed_out;",
           "        core::process_table().leave(waiter, WaitResult::timed_out);\n        return WaitResult::timed_out;",
           "ModelWait.ATimeout*"),
    Mutant("once", "leaves without asking whether it is still in line (cats-effect 3554's kind)",
           "src/tables/shard.cpp",
           "    if (Access::state(waiter).load(std::memory_order_relaxed) != State::waiting) return false;",
           "    (void)State::waiting;",
           "ModelLine.TwoWho*"),
    Mutant("linked", "takes waiters without marking them as unlinked",
           "src/tables/shard.cpp",
           "    Access::state(waiter).store(State::idle, std::memory_order_relaxed);",
           "    if (result != WaitResult::ok) Access::state(waiter).store(State::idle, std::memory_order_relaxed);",
           "ModelLine.TwoWho*"),
    Mutant("fifo", "joins at the head of the line",
           "src/tables/shard.cpp",
           "                append(*first, waiter);\n",
           "                append(*first, waiter);\n"
           "                Access::is_first(*first) = false;\n"
           "                replace_line(find_line(bucket, condition.address), waiter);\n",
           "ModelLine.LeavesInTheOrder*"),
    Mutant("fifo", "takes one more than it was asked for",
           "src/tables/shard.cpp",
           "    while (length < count && last",
           "    while (length <= count && last",
           "ModelLine.LeavesInTheOrder*"),
    Mutant("last-touch", "reads the next waiter after it delivered this one (nsync 16's kind)",
           "src/tables/process_table.cpp",
           "        core::Waiter* next = core::WaiterAccess::next(*waiter);  // [last-touch]\n"
           "        core::WaiterAccess::deliver(*waiter);                    // [no-lock] [once]\n",
           "        core::WaiterAccess::deliver(*waiter);\n"
           "        core::Waiter* next = core::WaiterAccess::next(*waiter);\n",
           "ModelLine.TheWaiters*", sanitized=True),
    Mutant("last-touch", "returns from a wait whose wake is still on its way",
           "src/atomics/wait.cpp",
           "        waiter.park();  // [once]",
           "        // [once]",
           "ModelWait.ATimeout*"),
    Mutant("later", "completes inside notify (libcoro's recursion)",
           "include/futon/core/async_waiter.hpp",
           "    void deliver() noexcept final { executor_->post(*this); }",
           "    void deliver() noexcept final { run(); }",
           "ModelAsyncWaiter.*"),
    Mutant("no-lock", "delivers under the lock of the line",
           "src/tables/shard.cpp",
           "    for (Waiter* w = &first; w != nullptr; w = Access::next(*w)) mark_unlinked(*w, WaitResult::ok);\n",
           "    for (Waiter* w = &first; w != nullptr; w = Access::next(*w)) mark_unlinked(*w, WaitResult::ok);\n"
           "    if (count > 1) {\n"
           "        for (Waiter* w = &first; w != nullptr;) {\n"
           "            Waiter* next = Access::next(*w);\n"
           "            Access::deliver(*w);\n"
           "            w = next;\n"
           "        }\n"
           "        return {nullptr, length};\n"
           "    }\n",
           "ModelWait.AStore*"),
    Mutant("join-safe", "watches for the stop before it has joined (zio 94's kind)",
           "src/atomics/wait_async.cpp",
           "    if (!wait.join(condition)) return WaitAsyncResult(WaitResult::not_equal);\n"
           "    wait.start_limits(deadline, stop);\n",
           "    wait.start_limits(deadline, stop);\n"
           "    if (!wait.join(condition)) return WaitAsyncResult(WaitResult::not_equal);\n",
           "ModelWaitAsync.AStop*"),
    Mutant("owner", "a dropped promise stays in line",
           "src/atomics/wait_async.cpp",
           "        if (!withdraw()) return;",
           "        if (true) return;",
           "ModelWaitAsync.ADropped*"),
    Mutant("owner", "a loop ends without waiting for what is on its way to it",
           "src/agent/agent.cpp",
           "                wait.unlink();\n                wait.insert_before(under_way);\n",
           "                wait.outlive_agent();\n",
           "ModelWaitAsync.ALoopMayEnd*", sanitized=True),
    Mutant("bucket-count", "a split is published before the marks of the new bucket",
           "src/tables/shard.cpp",
           "    marks_in(to).store(marks_of_lines(to.first_line), std::memory_order_relaxed);  // ordered by [bucket-count]\n"
           "    bucket_count_.store(new_index + 1, std::memory_order_release);                 // [bucket-count]\n",
           "    bucket_count_.store(new_index + 1, std::memory_order_release);\n"
           "    marks_in(to).store(marks_of_lines(to.first_line), std::memory_order_relaxed);\n",
           "ModelGrowth.AWaiterIsFoundWhileItsBucketIsSplit"),
    Mutant("moved-marks", "a notifier does not look again whether the table has grown",
           "src/tables/shard.cpp",
           "    return bucket_count_.load(std::memory_order_relaxed) != count;",
           "    return false;",
           "ModelGrowth.AWaiterIsFoundWhileItsBucketIsSplit"),
    Mutant("has-line", "an unlock clears has_line without looking again",
           "src/sync/async_lock.cpp",
           "        if (core::Waiter* next = table.take_first(&word_)) {",
           "        if (core::Waiter* next = nullptr) {",
           "ModelAsyncLock.*"),
    Mutant("has-line", "an unlock that wakes forgets the rest of the line",
           "src/sync/async_lock.cpp",
           "        word_.store(has_line, std::memory_order_release);",
           "        word_.store(free, std::memory_order_release);",
           "ModelAsyncLock.*"),
    Mutant("lock", "who was woken takes the lock for its own (folly's TimedMutex)",
           "src/sync/async_lock.cpp",
           "        if (turn.is_granted) return;",
           "        return;",
           "ModelAsyncLock.ThreeThreads*"),
    Mutant("lock", "who was handed the lock does not notice",
           "src/sync/async_lock.cpp",
           "        if (turn.is_granted) return;",
           "        (void)turn;",
           "ModelAsyncLock.*"),
    Mutant("lock", "an ending loop swallows the wake (kotlinx 2380's kind)",
           "src/sync/async_lock.cpp",
           "    if (was_woken) pass_on();",
           "    (void)was_woken;",
           "ModelAsyncLock.ALoopThatEnds*"),
    Mutant("lock", "a loop's attempt that was woken and given up keeps the lock",
           "src/sync/async_lock.cpp",
           "    acquisition_.result_ = result;\n    const bool must_compete",
           "    acquisition_.result_ = WaitResult::timed_out;\n    const bool must_compete",
           "ModelAsyncLock.*"),
    Mutant("lock", "a loop that ends sets the lock free before what it protects is gone",
           "src/agent/agent.cpp",
           "        if (!bereft_.is_alone()) {\n"
           "            detail::PromiseStateBase::discard_listed(static_cast<detail::Reaction&>(*bereft_.after));\n",
           "        if (!reactions_.is_alone()) {\n"
           "            detail::PromiseStateBase::discard_listed(static_cast<detail::Reaction&>(*reactions_.before));\n",
           "ModelAsyncLock.ALoopThatEndsHolds*"),
    Mutant("asleep", "a post does not ring the sleeping loop",
           "src/agent/job_queue.cpp",
           "    return seen == asleep();\n",
           "    return false;\n",
           "ModelWaitAsync.PromisesAndThreads*"),
    Mutant("asleep", "a loop that wakes by itself does not wait for the ring that is on its way",
           "src/agent/event_loop.cpp",
           "        if (std::exchange(is_asleep, false) && !arrived.wake_up()) bell.wait();",
           "        if (std::exchange(is_asleep, false)) (void)arrived.wake_up();",
           "ModelWaitAsync.ATimeout*", sanitized=True),
    Mutant("last-touch", "a loop that is stopped does not wait for the nudge",
           "src/agent/event_loop.cpp",
           "        if (!nudge.has_arrived) loop.retract(nudge);\n",
           "",
           "ModelEventLoop.*", sanitized=True),
    Mutant("width", "compares only the lower half of eight bytes",
           "include/futon/word.hpp",
           "        std::memcpy(&result, &value, sizeof value);",
           "        std::memcpy(&result, &value, sizeof value > 4 ? 4 : sizeof value);",
           "ModelWait.ComparesAll*"),
    Mutant("growth", "grows although the memory for it was refused",
           "src/tables/shard.cpp",
           "        if (segments_[place_of(count).segment].load(std::memory_order_relaxed) == nullptr) return;  // under the lock",
           "",
           "ModelAllocation.ATableThatCannotGrow*"),
    Mutant("futex", "a mutex goes to sleep without saying so",
           "src/platform/linux/mutex.cpp",
           "    while (word_.exchange(2, std::memory_order_acquire) != 0)  // [mutex-release]\n"
           "        futex_wait(word_, 2);",
           "    while (word_.exchange(1, std::memory_order_acquire) != 0) futex_wait(word_, 1);",
           "ModelFutex.ThreeThreads*"),
    Mutant("futex", "who slept for a mutex takes it as if nobody else slept",
           "src/platform/linux/mutex.cpp",
           "        futex_wait(word_, 2);",
           "        futex_wait(word_, 2);\n    word_.exchange(1, std::memory_order_relaxed);",
           "ModelFutex.ThreeThreads*"),
    Mutant("futex", "a parker takes a wake for no reason for its token",
           "src/platform/linux/parker.cpp",
           "    while (word_.load(std::memory_order_acquire) == sleeping)  // [parker-token]\n",
           "    if (word_.load(std::memory_order_acquire) == sleeping)\n",
           "ModelFutex.AToken*"),
    Mutant("last-touch", "unpark looks at the parker after its token (glibc 13690's kind)",
           "src/platform/linux/parker.cpp",
           "    if (word_.exchange(token, std::memory_order_release) == sleeping)  // [parker-token]\n        futex_wake_one(word_);",
           "    const bool sleeps = word_.exchange(token, std::memory_order_release) == sleeping;\n"
           "    if (sleeps && word_.exchange(token, std::memory_order_release) != empty) futex_wake_one(word_);",
           "ModelFutex.AToken*"),
]
