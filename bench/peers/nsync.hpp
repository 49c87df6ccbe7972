// SPDX-License-Identifier: MIT
#pragma once

#include <nsync.h>

namespace bench {

struct NsyncMutex {
    NsyncMutex() { nsync::nsync_mu_init(&mutex); }
    void lock() { nsync::nsync_mu_lock(&mutex); }
    void unlock() { nsync::nsync_mu_unlock(&mutex); }

    nsync::nsync_mu mutex;
};

struct NsyncCondition {
    NsyncCondition() { nsync::nsync_cv_init(&condition); }
    void wait(NsyncMutex& mutex) { nsync::nsync_cv_wait(&condition, &mutex.mutex); }
    void notify_one() { nsync::nsync_cv_signal(&condition); }
    void notify_all() { nsync::nsync_cv_broadcast(&condition); }

    nsync::nsync_cv condition;
};

}  // namespace bench
