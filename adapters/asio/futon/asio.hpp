// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

/// The operations of futon in Asio: `futon::asio::async(op, token)`, and the short ways `async_lock`, `async_wait`,
/// `async_send`, `async_receive`, `async_select`. Standalone Asio, or Boost.Asio where FUTON_USE_BOOST_ASIO is defined.

#include <futon/asio/async.hpp>
#include <futon/asio/family.hpp>
#include <futon/asio/promise.hpp>

#include <futon/detail/end.hpp>
