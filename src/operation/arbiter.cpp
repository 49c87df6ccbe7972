// SPDX-License-Identifier: MIT
#include "operation/arbiter_functions.hpp"

namespace futon::core {

FUTON_INSTANTIATE_ARBITER(std::uint32_t);

}  // namespace futon::core
