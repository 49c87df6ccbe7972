// SPDX-License-Identifier: MIT
#include <futon/detail/contract.hpp>

#include <cstdio>
#include <cstdlib>

namespace futon::detail {

void contract_violated(const char* rule) noexcept {
    std::fprintf(stderr, "futon: broken rule: %s\n", rule);
    std::abort();
}

}  // namespace futon::detail
