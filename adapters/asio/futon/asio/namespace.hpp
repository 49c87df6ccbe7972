// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

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

// An Asio that does not know that Clang has coroutines leaves them out, and all one sees is that a name is missing. A note, for a
// program may do without. FUTON_ASIO_WITHOUT_COROUTINES: it does, and wants none.
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
