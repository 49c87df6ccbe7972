// SPDX-License-Identifier: MIT
// A program's own `select`, and the system's, beside futon's.
#ifdef _WIN32
#include <winsock2.h>
#else
#include <sys/select.h>
#endif

#include <variant>

#include <futon/futon.hpp>

#include "support/gtest.hpp"

namespace own {

template <class... Columns>
int select(Columns&&...) {
    return static_cast<int>(sizeof...(Columns));
}

// Found here, though its arguments are futon's.
int select_operations(futon::Event& event, futon::AsyncLock& lock) {
    return select(event, lock) + select(event.waiting(), lock.locking(), 1);
}

}  // namespace own

namespace {

TEST(SelectByName, LeavesAProgramsOwnAlone) {
    futon::Event event;
    futon::AsyncLock lock;
    EXPECT_EQ(own::select_operations(event, lock), 5);
}

TEST(SelectByName, IsFoundBesideTheSystems) {
    using namespace futon;
    Event event(true);
    const auto chosen = select(event.waiting(), otherwise());
    EXPECT_EQ(chosen.index(), 0u);
}

TEST(SelectByName, IsFoundByAUsingDeclaration) {
    using futon::select;
    futon::Event event(true);
    const auto chosen = select(futon::in_order, event.waiting(), futon::otherwise());
    EXPECT_EQ(std::get<0>(chosen), futon::WaitResult::ok);
}

}  // namespace
