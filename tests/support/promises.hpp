// SPDX-License-Identifier: MIT
#pragma once

#include <stdexcept>

#include <futon/promise.hpp>

namespace futon::test {

/// A promise that is settled with a value.
inline Promise<int> settled(int value) {
    co_return value;
}

/// A promise that is rejected with a `std::runtime_error`.
inline Promise<int> rejected(const char* what = "broken") {
    throw std::runtime_error(what);
    co_return 0;
}

}  // namespace futon::test
