// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <futon/sync/byte_channel.hpp>

#include "support/waiting.hpp"

// What tests send through a ByteChannel, and which waiters it has.
namespace futon::test {

/// The bytes of a text.
inline std::span<const std::byte> bytes_of(std::string_view text) {
    return std::as_bytes(std::span(text.data(), text.size()));
}

/// The text that was received; the reason if none was.
inline std::string text_of(const Received<ByteChannel::Message>& received) {
    if (!received) return std::string(to_string(received.result()));
    return std::string(reinterpret_cast<const char*>(received->bytes.data()), received->bytes.size());
}

/// Bytes that tell which message they belong to, and where they stand in it.
inline std::vector<std::byte> pattern(std::size_t size, std::size_t number) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i * 7 + number * 31);
    return bytes;
}

/// The addresses of the queues of receivers and of senders.
inline const void* receivers_of(const ByteChannel& channel) noexcept {
    return &channel;
}
inline const void* senders_of(const ByteChannel& channel) noexcept {
    return reinterpret_cast<const std::byte*>(&channel) + sizeof(Semaphore);
}

/// How many waiters are queued there.
inline std::size_t waiters_at(const void* queue) noexcept {
    return core::process_table().count(queue);
}

/// Returns once exactly `count` waiters are queued there.
inline void until_waiters_at(const void* queue, std::size_t count) {
    until([=] { return waiters_at(queue) == count; });
}

}  // namespace futon::test
