// SPDX-License-Identifier: MIT
#pragma once

#include <functional>

#include <futon/asio.hpp>
#include <futon/futon.hpp>

namespace futon::test {

/// Handlers of one type for each result: what a wait consists of is compiled for each type of handler, and a test's lambdas
/// all have types of their own.
template <class Result>
using Handler = std::function<void(futon::asio::error_code, Result)>;
using OnLock = Handler<AsyncLock::Guard>;
using OnWait = Handler<WaitResult>;

}  // namespace futon::test
