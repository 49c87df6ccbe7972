// SPDX-License-Identifier: MIT
#include <futon/detail/reader_slots.hpp>

#include "platform/fork.hpp"
#include "queue/copies.hpp"
#include "queue/private_tables.hpp"
#include "queue/process_table.hpp"

namespace futon {

namespace {

// Waits may begin before the first constructor of the program and end after its last destructor.
constinit tables::Shards the_shards;
constinit detail::ReaderSlots the_reader_slots;
// Constant, so that code in the same unit finds the shards without a load: no function changes a table.
constinit const tables::ProcessTable the_table(the_shards);

// [fork] In a child, held locks stay held by threads that it does not have, and the queued waiters are not its own.
FUTON_EARLY const platform::ChildHandler begins_anew([]() noexcept {
    tables::begin_anew(the_shards);
    tables::private_tables().begin_anew();
});

}  // namespace

tables::ProcessTable* tables::own_table_if_used() noexcept {
    return const_cast<ProcessTable*>(&the_table);
}

core::WaitTable& core::process_table() noexcept {
    return *tables::own_table_if_used();
}

Agent** core::common_agent_slot() noexcept {
    return own_agent_slot();
}

detail::ReaderSlots& core::common_reader_slots() noexcept {
    return the_reader_slots;
}

detail::ReaderLine** core::common_reader_line() noexcept {
    return own_reader_line();
}

void core::keep_this_copy_loaded() noexcept {}

}  // namespace futon
