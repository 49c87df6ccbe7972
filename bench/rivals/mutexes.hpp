// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>

#include <oneapi/tbb/mutex.h>
#include <futon/async_lock.hpp>

#include "harness/session.hpp"
#include "rivals/abseil.hpp"
#include "rivals/nsync.hpp"

namespace bench {

/// Calls `f.operator()<Mutex>(name, kind)` for each mutex that blocks threads.
template <class F>
void for_each_mutex(F f) {
    f.template operator()<futon::AsyncLock>("futon::AsyncLock", Kind::ours);
    f.template operator()<std::mutex>("std::mutex", Kind::rival);
    f.template operator()<AbseilMutex>("absl::Mutex", Kind::rival);
    f.template operator()<NsyncMutex>("nsync_mu", Kind::rival);
    f.template operator()<tbb::mutex>("tbb::mutex", Kind::rival);
}

}  // namespace bench
