// SPDX-License-Identifier: MIT
#include "subject.hpp"

namespace futon::test {

std::string Subject::to_string() const {
    switch (type) {
        case Type::word:
            return "words";
        case Type::lock:
            return "words and a lock";
        case Type::semaphore:
            return std::string(is_strict ? "a strict" : "a") + " semaphore of " + std::to_string(amount);
        case Type::event:
            return "an event";
        case Type::auto_reset_event:
            return "an auto-reset event";
        case Type::channel:
            return "a channel of " + std::to_string(amount);
        case Type::latch:
            return "a latch of " + std::to_string(amount);
        case Type::shared_lock:
            return is_strict ? "a strict SharedLock" : "a SharedLock";
    }
    return {};
}

}  // namespace futon::test
