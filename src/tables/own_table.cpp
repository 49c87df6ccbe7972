// SPDX-License-Identifier: MIT
#include "core/copies.hpp"
#include "platform/fork.hpp"
#include "tables/private_tables.hpp"
#include "tables/process_table.hpp"

namespace futon {

namespace {

// Waits may begin before the first constructor of the program and end after its last destructor.
constinit tables::Shards the_shards;
// Constant, so that what is compiled together with this finds the shards without a load: no function changes a table.
constinit const tables::ProcessTable the_table(the_shards);

// [fork] Locks that were held stay held in a child, by threads that it does not have; and their waiters are not its own.
FUTON_EARLY const platform::ChildHandler begins_anew([]() noexcept {
    tables::begin_anew(the_shards);
    tables::private_tables().begin_anew();
});

}  // namespace

core::WaitTable& core::process_table() noexcept {
    return const_cast<tables::ProcessTable&>(the_table);
}

Agent** core::common_agent_slot() noexcept {
    return own_agent_slot();
}

void core::keep_this_copy_loaded() noexcept {}

}  // namespace futon
