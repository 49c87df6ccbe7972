// SPDX-License-Identifier: MIT
#include <cstddef>

#include <futon/core/queue/wait_table.hpp>
#include <futon/pause.hpp>

#include "arguments.hpp"
#include "functions.hpp"

namespace futon::node {

namespace {

/// A count beyond all sizes means all waiters.
std::size_t count_in(const Mailbox& mailbox) noexcept {
    constexpr double too_many = 9007199254740992.0;
    return mailbox.count >= too_many ? core::everyone : static_cast<std::size_t>(mailbox.count);
}

}  // namespace

napi_value notify(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    const Environment::Call call(environment);
    const void* address = address_in(mailbox);
    mailbox.count = static_cast<double>(core::table_for(address).notify(address, count_in(mailbox)));
    return nullptr;
}

napi_value pause(napi_env env, napi_callback_info info) {
    const std::size_t pauses = count_in(environment_of(env, info).mailbox());
    for (std::size_t i = 0; i < pauses; ++i) futon::pause();
    return nullptr;
}

}  // namespace futon::node
