// SPDX-License-Identifier: MIT
#include "platform/spin.hpp"

#include <sched.h>

namespace futon::platform {

namespace {

bool may_use_several() noexcept {
    cpu_set_t allowed;
    CPU_ZERO(&allowed);
    // It fails if there are more processors than the set has room for.
    return sched_getaffinity(0, sizeof allowed, &allowed) != 0 || CPU_COUNT(&allowed) > 1;
}

}  // namespace

void Spinner::yield() noexcept {
    sched_yield();
}

const bool Spinner::has_several_processors = may_use_several();

constinit thread_local Spinner::Success Spinner::last_success;
constinit thread_local LastYields Spinner::last_yields;

}  // namespace futon::platform
