// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

// Which Asio: Boost.Asio if FUTON_USE_BOOST_ASIO is defined or no other is found; else standalone Asio.
#if !defined(FUTON_USE_BOOST_ASIO) && !__has_include(<asio.hpp>)
/// Selects Boost.Asio. Defined by itself if no other Asio is found.
#define FUTON_USE_BOOST_ASIO
#endif

#ifdef FUTON_USE_BOOST_ASIO
#include <boost/asio.hpp>
/// The version of the Asio in use.
#define FUTON_ASIO_VERSION BOOST_ASIO_VERSION
namespace futon::asio {
namespace net = ::boost::asio;
using error_code = ::boost::system::error_code;
}  // namespace futon::asio
#else
#include <asio.hpp>
/// The version of the Asio in use.
#define FUTON_ASIO_VERSION ASIO_VERSION
namespace futon::asio {
namespace net = ::asio;
using error_code = ::asio::error_code;
}  // namespace futon::asio
#endif

// If an Asio does not know that Clang has coroutines, it leaves them out, and the program only sees a missing name.
// This is a note, not an error, because a program may do without. To silence it, define FUTON_ASIO_WITHOUT_COROUTINES.
#if defined(__clang__) && !defined(FUTON_ASIO_WITHOUT_COROUTINES)
#if defined(FUTON_USE_BOOST_ASIO) && !defined(BOOST_ASIO_HAS_CO_AWAIT)
#pragma message( \
    "futon: this Boost.Asio has no awaitable, use_awaitable and co_spawn by itself; compile with -DBOOST_ASIO_HAS_CO_AWAIT -DBOOST_ASIO_HAS_STD_COROUTINE")
#elif !defined(FUTON_USE_BOOST_ASIO) && !defined(ASIO_HAS_CO_AWAIT)
#pragma message( \
    "futon: this Asio has no awaitable, use_awaitable and co_spawn by itself; compile with -DASIO_HAS_CO_AWAIT -DASIO_HAS_STD_COROUTINE")
#endif
#endif

static_assert(FUTON_ASIO_VERSION >= 101800, "futon::asio needs Asio 1.18 (Boost 1.74) or later");

#include <futon/detail/end.hpp>
