// SPDX-License-Identifier: MIT
#include <futon/atomics.hpp>

#include "queue/process_table.hpp"

namespace futon::detail {

std::size_t notify(const void* address, std::size_t count) noexcept {
    return core::process_table().notify(address, count);
}

}  // namespace futon::detail
