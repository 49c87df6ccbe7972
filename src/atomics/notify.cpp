// SPDX-License-Identifier: MIT
#include <futon/atomics.hpp>
#include <futon/change_and_notify.hpp>

#include "queue/process_table.hpp"

namespace futon::detail {

namespace {

using tables::Shard;

[[gnu::noinline]] std::size_t notify_in_another_copy(const void* address, std::size_t count) noexcept {
    return core::process_table().notify(address, count);
}

[[gnu::noinline]] std::size_t notify_changed_in_another_copy(const void* address, std::size_t count) noexcept {
    return core::process_table().notify_changed(address, count);
}

}  // namespace

std::size_t notify(const void* address, std::size_t count) noexcept {
    tables::ProcessTable* const own = tables::own_table_if_used();
    if (own == nullptr) [[unlikely]]
        return notify_in_another_copy(address, count);
    return own->notify_by<Shard::OrderedBy::fence>(address, count);
}

std::size_t notify_changed(const void* address, std::size_t count) noexcept {
    tables::ProcessTable* const own = tables::own_table_if_used();
    if (own == nullptr) [[unlikely]]
        return notify_changed_in_another_copy(address, count);
    return own->notify_by<Shard::OrderedBy::change>(address, count);
}

}  // namespace futon::detail
