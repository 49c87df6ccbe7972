// SPDX-License-Identifier: MIT
// The bytes of messages, between JavaScript and the operations of a channel. See lib/channel.js.

#include <cstddef>
#include <cstring>
#include <utility>

#include "arguments.hpp"
#include "environment.hpp"
#include "functions.hpp"

namespace futon::node {

napi_value stage_bytes(napi_env env, napi_callback_info info) {
    std::size_t count = 1;
    napi_value array = nullptr;
    void* data = nullptr;
    must(napi_get_cb_info(env, info, &count, &array, nullptr, &data), "napi_get_cb_info");
    void* bytes = nullptr;
    std::size_t length = 0;
    must(napi_get_typedarray_info(env, array, nullptr, &length, &bytes, nullptr, nullptr), "napi_get_typedarray_info");
    const auto* begin = static_cast<const std::byte*>(bytes);
    static_cast<Environment*>(data)->bytes().assign(begin, begin + length);
    return nullptr;
}

napi_value take_message(napi_env env, napi_callback_info info) {
    Environment& environment = environment_of(env, info);
    Mailbox& mailbox = environment.mailbox();
    const auto slot = mailbox.slot;
    Message& kept =
        slot < 0 ? environment.message() : environment.wait_at(static_cast<std::uint32_t>(slot)).limits()->message;
    const Message message = std::exchange(kept, Message());
    mailbox.count = message.kind;
    const Bytes& bytes = message.bytes;
    void* data = nullptr;
    napi_value buffer = nullptr;
    if (napi_create_arraybuffer(env, bytes.size(), &data, &buffer) != napi_ok)
        return nullptr;  // the thread is being ended
    if (!bytes.empty()) std::memcpy(data, bytes.data(), bytes.size());
    return buffer;
}

}  // namespace futon::node
