// SPDX-License-Identifier: MIT
#include <futon/explorer/kernel.hpp>

namespace futon::explorer {

std::int64_t Shared::load() const {
    const int me = this_fiber();
    if (writer_ >= 0 && writer_ != me && !happened_before(writer_, written_at_))
        fail_at("data race", this, "a store is not ordered before this load");
    read_at_[me] = tick();
    return value_;
}

void Shared::store(std::int64_t value) {
    const int me = this_fiber();
    if (writer_ >= 0 && writer_ != me && !happened_before(writer_, written_at_))
        fail_at("data race", this, "a store is not ordered before this store");
    for (int other = 0; other < max_fibers; ++other)
        if (other != me && read_at_[other] != 0 && !happened_before(other, read_at_[other]))
            fail_at("data race", this, "a load is not ordered before this store");
    writer_ = me;
    written_at_ = tick();
    value_ = value;
}

}  // namespace futon::explorer
