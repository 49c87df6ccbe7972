// SPDX-License-Identifier: MIT
#include <futon/atomics.hpp>
#include <futon/change_and_notify.hpp>

#include "queue/process_table.hpp"

namespace futon::detail {

std::size_t notify(const void* address, std::size_t count) noexcept {
    return core::process_table().notify(address, count);
}

std::size_t notify_changed(const void* address, std::size_t count) noexcept {
    return core::process_table().notify_changed(address, count);
}

}  // namespace futon::detail
