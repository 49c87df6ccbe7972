// SPDX-License-Identifier: MIT
#include "arguments.hpp"

#include <bit>
#include <chrono>
#include <cmath>
#include <ratio>

#include <futon/word.hpp>

namespace futon::node {

Environment& environment_of(napi_env env, napi_callback_info info) noexcept {
    void* environment = nullptr;
    must(napi_get_cb_info(env, info, nullptr, nullptr, nullptr, &environment), "napi_get_cb_info");
    return *static_cast<Environment*>(environment);
}

void* address_in(const Mailbox& mailbox) noexcept {
    // A double holds integers of 53 bits; no address of a process is longer.
    return reinterpret_cast<void*>(static_cast<std::uintptr_t>(mailbox.address));
}

WordWait wait_in(const Mailbox& mailbox) noexcept {
    void* address = address_in(mailbox);
    if (mailbox.width == 8) return waiting(Word(*static_cast<std::int64_t*>(address)), mailbox.expected);
    return waiting(Word(*static_cast<std::int32_t*>(address)), mailbox.narrow);
}

AsyncLock& lock_in(const Mailbox& mailbox) noexcept {
    return AsyncLock::at(Word(*static_cast<std::uint32_t*>(address_in(mailbox))));
}

AsyncLock& second_lock_in(const Mailbox& mailbox) noexcept {
    const auto address = static_cast<std::uintptr_t>(std::bit_cast<double>(mailbox.expected));
    return AsyncLock::at(Word(*reinterpret_cast<std::uint32_t*>(address)));
}

Deadline deadline_in(const Mailbox& mailbox) noexcept {
    if (std::isinf(mailbox.timeout)) return Deadline::never();  // the most frequent case
    return Deadline(std::chrono::duration<double, std::milli>(mailbox.timeout));
}

}  // namespace futon::node
