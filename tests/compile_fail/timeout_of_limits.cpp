// SPDX-License-Identifier: MIT
#include <futon/select.hpp>
#include <futon/sync/event.hpp>

void wait(futon::Event& event, const futon::Limits& limits) {
    const auto chosen = futon::select(event.waiting(), futon::timeout(limits));
}
