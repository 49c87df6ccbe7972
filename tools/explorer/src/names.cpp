// SPDX-License-Identifier: MIT
#include "names.hpp"

#include <functional>

namespace futon::explorer {

std::string Names::text_of(const void* place, std::size_t event) const {
    const auto* const at = static_cast<const char*>(place);
    const Name* found = nullptr;
    for (const Name& name : names_) {
        // By a total order: the place may lie in another object.
        const bool is_inside = !std::less<>()(at, name.begin) && std::less<>()(at, name.begin + name.size);
        if (is_inside && (found == nullptr || name.since <= event)) found = &name;
    }
    if (found == nullptr || found->text.empty()) return {};
    const auto distance = static_cast<std::size_t>(at - found->begin);
    return distance == 0 ? found->text : found->text + "+" + std::to_string(distance);
}

}  // namespace futon::explorer
