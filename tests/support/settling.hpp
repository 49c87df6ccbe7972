// SPDX-License-Identifier: MIT
#ifndef FUTON_TESTS_SUPPORT_SETTLING_HPP
#define FUTON_TESTS_SUPPORT_SETTLING_HPP

#include <exception>
#include <stdexcept>
#include <thread>
#include <utility>

namespace futon::test {

/// What tests reject promises with.
inline std::exception_ptr broken() {
    return std::make_exception_ptr(std::runtime_error("broken"));
}

/// Runs `f` on a thread of its own, to its end.
template <class F>
void on_another_thread(F f) {
    std::thread(std::move(f)).join();
}

}  // namespace futon::test

#endif
