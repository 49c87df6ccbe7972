// SPDX-License-Identifier: MIT
#pragma once

#include <futon/sync/async_lock.hpp>

namespace bench {

struct StrictLock : futon::AsyncLock {
    StrictLock() : AsyncLock(futon::Fairness::strict) {}
};

}  // namespace bench
