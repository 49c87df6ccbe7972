// SPDX-License-Identifier: MIT
#pragma once

#include <absl/synchronization/mutex.h>

namespace bench {

/// Without deadlock detection, which Debian's build has on: it more than doubles the cost.
struct AbseilMutex {
    AbseilMutex() {
        [[maybe_unused]] static const bool is_off = [] {
            absl::SetMutexDeadlockDetectionMode(absl::OnDeadlockCycle::kIgnore);
            return true;
        }();
    }
    void lock() { mutex.Lock(); }
    void unlock() { mutex.Unlock(); }

    absl::Mutex mutex;
};

struct AbseilCondition {
    void wait(AbseilMutex& mutex) { condition.Wait(&mutex.mutex); }
    void notify_one() { condition.Signal(); }
    void notify_all() { condition.SignalAll(); }

    absl::CondVar condition;
};

}  // namespace bench
