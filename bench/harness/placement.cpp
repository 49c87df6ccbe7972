// SPDX-License-Identifier: MIT
#include "harness/placement.hpp"

#include <sched.h>

namespace bench {

namespace {

cpu_set_t allowed_at_start() {
    cpu_set_t set;
    CPU_ZERO(&set);
    sched_getaffinity(0, sizeof set, &set);
    return set;
}

const cpu_set_t allowed = allowed_at_start();

}  // namespace

Pinned::Pinned(std::size_t number) {
    std::size_t left = number % static_cast<std::size_t>(CPU_COUNT(&allowed));
    for (std::size_t cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
        if (!CPU_ISSET(cpu, &allowed) || left-- > 0) continue;
        cpu_set_t only;
        CPU_ZERO(&only);
        CPU_SET(cpu, &only);
        sched_setaffinity(0, sizeof only, &only);
        return;
    }
}

Pinned::~Pinned() {
    sched_setaffinity(0, sizeof allowed, &allowed);
}

}  // namespace bench
