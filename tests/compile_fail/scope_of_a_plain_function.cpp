// SPDX-License-Identifier: MIT
#include <futon/scope.hpp>

void begin(futon::Scope& scope) {
    scope.spawn([] {});
}
