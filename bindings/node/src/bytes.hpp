// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace futon::node {

/// The bytes of a message of a channel.
using Bytes = std::vector<std::byte>;

/// A message that was received.
struct Message {
    Bytes bytes{};
    std::uint32_t kind = 0;
};

}  // namespace futon::node
