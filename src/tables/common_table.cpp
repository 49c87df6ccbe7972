// SPDX-License-Identifier: MIT
//
// For copies of the library that are built into shared objects of one process, plugins say: all of them use the table of
// the copy that came first, so that their threads are queued together. See FUTON_COMMON_TABLE.

#include "platform/fork.hpp"
#include "platform/shared_object.hpp"
#include "tables/process_table.hpp"

namespace {

// Waits may begin before the first constructor of the program and end after its last destructor.
constinit futon::tables::Shards own_shards;
constinit futon::tables::ProcessTable own_table(own_shards);

// [fork] Each copy for the shards of its own, whether they are the common ones or not.
FUTON_EARLY const futon::platform::ChildHandler begins_anew([]() noexcept { futon::tables::begin_anew(own_shards); });

}  // namespace

extern "C" {
// Found by its name from other copies. The number changes with what copies must agree on: the layout of WaitTable, Waiter,
// WaiterDescription, WakeToken, WakeVisitor and QueueVisitor, and what a lock's waiter means by its request. Copies that
// would misunderstand each other do not meet.
FUTON_SYMBOL extern futon::core::WaitTable* const futon_wait_table_4;
futon::core::WaitTable* const futon_wait_table_4 = &own_table;
}

namespace futon {

core::WaitTable& core::process_table() noexcept {
    static core::WaitTable* const common = [] {
        const void* first = platform::first_published("futon_wait_table_4", &futon_wait_table_4);
        return *static_cast<core::WaitTable* const*>(first);
    }();
    return *common;
}

}  // namespace futon
