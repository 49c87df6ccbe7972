// SPDX-License-Identifier: MIT
#ifndef FUTON_TESTS_SUPPORT_CHANNEL_ITEMS_HPP
#define FUTON_TESTS_SUPPORT_CHANNEL_ITEMS_HPP

#include <memory>

namespace futon::test {

/// What tests send through channels: it can only be moved, so that none is copied, and a lost one is a leak.
using Item = std::unique_ptr<int>;

inline Item item(int value) {
    return std::make_unique<int>(value);
}

}  // namespace futon::test

#endif
