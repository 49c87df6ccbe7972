// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

/// futon's operations in Asio: `futon::asio::async(op, token)`, and the short forms `async_lock`, `async_wait`,
/// `async_send`, `async_receive`, `async_select`. For standalone Asio, or for Boost.Asio if FUTON_USE_BOOST_ASIO is
/// defined.

#include <futon/asio/async.hpp>
#include <futon/asio/family.hpp>
#include <futon/asio/promise.hpp>

#include <futon/detail/end.hpp>
