// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>

#include <oneapi/tbb/mutex.h>
#include <futon/sync/async_lock.hpp>

#include "harness/session.hpp"
#include "peers/abseil.hpp"
#include "peers/nsync.hpp"

namespace bench {

/// Calls `f.operator()<Mutex>(name, kind)` for each mutex that blocks threads.
template <class F>
void for_each_mutex(F f) {
    f.template operator()<futon::AsyncLock>("futon::AsyncLock", Kind::ours);
    f.template operator()<std::mutex>("std::mutex", Kind::peer);
    f.template operator()<AbseilMutex>("absl::Mutex", Kind::peer);
    f.template operator()<NsyncMutex>("nsync_mu", Kind::peer);
    f.template operator()<tbb::mutex>("tbb::mutex", Kind::peer);
}

}  // namespace bench
