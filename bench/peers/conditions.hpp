// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>

#include <futon/sync/async_lock.hpp>
#include <futon/sync/condition.hpp>

#include "harness/session.hpp"
#include "peers/abseil.hpp"
#include "peers/nsync.hpp"
#include "peers/words.hpp"

namespace bench {

struct FutonCondition {
    void wait(futon::AsyncLock& lock) {
        futon::AsyncLock::Guard hold(lock, std::adopt_lock);
        static_cast<void>(condition.wait(hold));
        hold.release();
    }
    void notify_one() { condition.notify_one(); }
    void notify_all() { condition.notify_all(); }

    futon::Condition condition;
};

/// Calls `f.operator()<Mutex, Condition>(name, kind)` for each condition variable with the mutex that belongs to it.
template <class F>
void for_each_condition(F f) {
    f.template operator()<futon::AsyncLock, FutonCondition>("futon::Condition", Kind::ours);
    f.template operator()<std::mutex, StdCondition>("std::condition_variable", Kind::peer);
    f.template operator()<AbseilMutex, AbseilCondition>("absl::CondVar", Kind::peer);
    f.template operator()<NsyncMutex, NsyncCondition>("nsync_cv", Kind::peer);
}

}  // namespace bench
