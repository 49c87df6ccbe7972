// SPDX-License-Identifier: MIT
#include "core/arbiter_functions.hpp"

namespace futon::core {

template class ArbiterBase<std::uint64_t>;

}  // namespace futon::core
