// SPDX-License-Identifier: MIT
// A program that only locks: no event loop may be linked into it. See size_test.cmake.
#include <futon/sync/async_lock.hpp>

namespace {

futon::AsyncLock the_lock;

}  // namespace

int main() {
    the_lock.lock();
    the_lock.unlock();
}
