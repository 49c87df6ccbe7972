// SPDX-License-Identifier: MIT
//
// A pipeline of three stages over two rings of bytes. A thread reads records of different sizes; a coroutine on an event loop
// packs them; a thread writes what it gets, into a buffer of its own, without an allocation for a message. A stage that is
// slower than the one before it slows that one down, for a send waits for room. The end passes through as well: each stage
// closes the ring behind it once the ring before it is closed and empty.
//
// Prints:
//     read 500 records, 44917 bytes
//     wrote 500 packets, 3000 bytes less
//     no room: would-block; a message that is too large is refused

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

using futon::ByteChannel;

namespace {

enum Kind : std::uint32_t { text, end_of_file };

constexpr int records = 500;

struct Count {
    std::size_t messages = 0;
    std::size_t bytes = 0;
};

/// The first stage, which may block.
Count read_records(ByteChannel& to) {
    Count count;
    for (int i = 0; i < records; ++i) {
        const std::string record = "record:" + std::string(static_cast<std::size_t>(i % 167), 'x');
        if (!to.send(std::as_bytes(std::span(record)), text)) break;  // closed: no stage wants more
        ++count.messages;
        count.bytes += record.size();
    }
    (void)to.send({}, end_of_file);
    to.close();
    return count;
}

/// The second stage, which may not: takes the first six bytes off each record.
futon::Promise<void> pack(ByteChannel& from, ByteChannel& to) {
    while (const auto message = co_await from.receive_async()) {
        if (message->kind == end_of_file) continue;
        const auto packed = std::span(message->bytes).subspan(6);
        if (!co_await to.send_async(packed)) break;
    }
    to.close();
}

/// The third stage: receives into its own bytes.
Count write_packets(ByteChannel& from) {
    Count count;
    std::array<std::byte, 256> packet;
    while (const auto head = from.receive(packet)) {
        if (packet[0] != std::byte{':'}) break;
        ++count.messages;
        count.bytes += head->size;
    }
    return count;
}

bool three_stages() {
    futon::EventLoop loop;
    // The rings may lie where JavaScript, or a plugin, sees them too: the maker says how large, the others say where.
    futon::SharedArrayBuffer buffer(ByteChannel::bytes_for(4096));
    ByteChannel::make_at(buffer, 0, 4096);
    const auto packets = ByteChannel::make(1024);

    Count read;
    Count written;
    std::jthread reader([&] { read = read_records(ByteChannel::at(buffer)); });
    std::jthread writer([&] { written = write_packets(*packets); });
    loop.run_until(pack(ByteChannel::at(buffer), *packets));
    reader.join();
    writer.join();

    std::printf("read %zu records, %zu bytes\n", read.messages, read.bytes);
    std::printf("wrote %zu packets, %zu bytes less\n", written.messages, read.bytes - written.bytes);
    return read.messages == records && written.messages == records && read.bytes - written.bytes == 6 * records;
}

bool what_does_not_fit() {
    const auto channel = ByteChannel::make(16);  // room for eight bytes and the eight that precede them
    const std::vector<std::byte> bytes(channel->largest_message() + 1);
    (void)channel->send(std::span(bytes).first(8));
    const auto sent = channel->try_send({});
    try {
        (void)channel->try_send(bytes);
        return false;
    } catch (const std::length_error&) {
        const std::string why(to_string(sent.result()));
        std::printf("no room: %s; a message that is too large is refused\n", why.c_str());
    }
    return sent.result() == futon::ChannelResult::would_block;
}

}  // namespace

int main() {
    return three_stages() && what_does_not_fit() ? 0 : 1;
}
