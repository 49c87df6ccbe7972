// SPDX-License-Identifier: MIT
#include "tables/process_table.hpp"

namespace futon {

namespace {

// Waits may begin before the first constructor of the program and end after its last destructor.
constinit tables::Shards the_shards;
constinit tables::ProcessTable the_table(the_shards);

}  // namespace

core::WaitTable& core::process_table() noexcept {
    return the_table;
}

}  // namespace futon
