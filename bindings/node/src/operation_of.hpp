// SPDX-License-Identifier: MIT
#pragma once

#include <cstdint>
#include <new>

#include <futon/atomics.hpp>

#include "arguments.hpp"
#include "mailbox.hpp"
#include "operations.hpp"

namespace futon::node {

/// The primitive that lies in the memory which the mailbox names.
template <class T>
T& object_in(const Mailbox& mailbox) noexcept {
    return *std::launder(static_cast<T*>(address_in(mailbox)));
}

inline std::uint64_t count_in(const Mailbox& mailbox) noexcept {
    return static_cast<std::uint64_t>(mailbox.count);
}

/// Calls the function with the operation that waits for what the mailbox names, if making it changes nothing: so it may be one of several.
/// Returns whether that is so.
template <class F>
bool with_choice(Environment& environment, F function) {
    const Mailbox& mailbox = environment.mailbox();
    switch (static_cast<Kind>(mailbox.kind)) {
        case Kind::word:
            function(wait_in(mailbox));
            return true;
        case Kind::lock:
            function(lock_in(mailbox).locking());
            return true;
        case Kind::semaphore:
            function(object_in<Semaphore>(mailbox).acquiring(count_in(mailbox)));
            return true;
        case Kind::event:
            function(object_in<Event>(mailbox).waiting());
            return true;
        case Kind::auto_reset_event:
            function(object_in<AutoResetEvent>(mailbox).waiting());
            return true;
        case Kind::latch:
            function(object_in<Latch>(mailbox).waiting());
            return true;
        case Kind::exclusive_lock:
            function(object_in<SharedLock>(mailbox).locking());
            return true;
        case Kind::shared_lock:
            function(object_in<SharedLock>(mailbox).locking_shared());
            return true;
        case Kind::sending:  // refers to the bytes, which the caller keeps
            function(object_in<ByteChannel>(mailbox).sending(environment.bytes(),
                                                             static_cast<std::uint32_t>(mailbox.narrow)));
            return true;
        case Kind::receiving:
            function(object_in<ByteChannel>(mailbox).receiving());
            return true;
        case Kind::upgradeable_lock:
            function(object_in<SharedLock>(mailbox).locking_upgradeable());
            return true;
        case Kind::barrier:
        case Kind::condition:
        case Kind::upgrade:
            break;
    }
    return false;
}

}  // namespace futon::node
