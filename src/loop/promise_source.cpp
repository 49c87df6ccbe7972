// SPDX-License-Identifier: MIT
#include <futon/promise_source.hpp>

#include <stdexcept>

namespace futon::detail {

void throw_settled_twice() {
    throw std::logic_error("futon::PromiseSource: a promise settles once, and this one has settled");
}

void throw_null_exception() {
    throw std::invalid_argument(
        "futon::PromiseSource::reject: a promise is rejected with an exception, and this is none");
}

std::exception_ptr source_dropped() noexcept {
    try {
        return std::make_exception_ptr(BrokenPromise("futon::PromiseSource: dropped before it settled its promise"));
    } catch (...) {  // no memory for its text
        return std::current_exception();
    }
}

}  // namespace futon::detail
