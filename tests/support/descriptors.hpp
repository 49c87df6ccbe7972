// SPDX-License-Identifier: MIT
#pragma once

#include <poll.h>

namespace futon::test {

/// Whether a file descriptor is readable, or becomes so within the timeout; a negative one never ends.
inline bool is_readable(int descriptor, int timeout_ms = 0) {
    pollfd polled{descriptor, POLLIN, 0};
    return poll(&polled, 1, timeout_ms) == 1 && (polled.revents & POLLIN) != 0;
}

}  // namespace futon::test
