// SPDX-License-Identifier: MIT
#pragma once

#include <shared_mutex>

#include <oneapi/tbb/rw_mutex.h>
#include <futon/sync/shared_lock.hpp>

#include "harness/session.hpp"
#include "peers/abseil.hpp"
#include "peers/nsync.hpp"

// Reader-writer locks with the interface of std::shared_mutex.
namespace bench {

struct AbseilSharedLock : AbseilMutex {
    void lock_shared() { mutex.ReaderLock(); }
    void unlock_shared() { mutex.ReaderUnlock(); }
};

struct NsyncSharedLock : NsyncMutex {
    void lock_shared() { nsync::nsync_mu_rlock(&mutex); }
    void unlock_shared() { nsync::nsync_mu_runlock(&mutex); }
};

/// Calls `f.operator()<SharedLock>(name, kind)` for each reader-writer lock that blocks threads.
template <class F>
void for_each_shared_lock(F f) {
    f.template operator()<futon::SharedLock>("futon::SharedLock", Kind::ours);
    f.template operator()<std::shared_mutex>("std::shared_mutex", Kind::peer);
    f.template operator()<AbseilSharedLock>("absl::Mutex", Kind::peer);
    f.template operator()<NsyncSharedLock>("nsync_mu", Kind::peer);
    f.template operator()<tbb::rw_mutex>("tbb::rw_mutex", Kind::peer);
}

}  // namespace bench
