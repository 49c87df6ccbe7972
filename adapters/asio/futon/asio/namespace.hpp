// SPDX-License-Identifier: MIT
#pragma once

// Which Asio: Boost.Asio if FUTON_USE_BOOST_ASIO is defined, or where there is no other; else the standalone one.
#if !defined(FUTON_USE_BOOST_ASIO) && !__has_include(<asio.hpp>)
/// Which Asio: Boost.Asio if this is defined, or where there is no other; else the standalone one.
#define FUTON_USE_BOOST_ASIO
#endif

#ifdef FUTON_USE_BOOST_ASIO
#include <boost/asio.hpp>
/// The version of the Asio that is used.
#define FUTON_ASIO_VERSION BOOST_ASIO_VERSION
namespace futon::asio {
namespace net = ::boost::asio;
using error_code = ::boost::system::error_code;
}  // namespace futon::asio
#else
#include <asio.hpp>
/// The version of the Asio that is used.
#define FUTON_ASIO_VERSION ASIO_VERSION
namespace futon::asio {
namespace net = ::asio;
using error_code = ::asio::error_code;
}  // namespace futon::asio
#endif

static_assert(FUTON_ASIO_VERSION >= 101800, "futon::asio needs Asio 1.18 (Boost 1.74) or later");
