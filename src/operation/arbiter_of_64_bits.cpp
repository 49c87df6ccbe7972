// SPDX-License-Identifier: MIT
#include "operation/arbiter_functions.hpp"

namespace futon::core {

template class ArbiterBase<std::uint64_t>;

}  // namespace futon::core
