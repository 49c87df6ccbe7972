// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

/// FUTON_WARN_UNUSED marks a class that does nothing by itself: compilers warn of a variable of it that is not used, though it has a
/// destructor. `auto guard = lock.scoped_lock_async();`, without `co_await`, locks nothing.
#if defined(__GNUC__)
#define FUTON_WARN_UNUSED [[gnu::warn_unused]]
#else
#define FUTON_WARN_UNUSED
#endif

#include <futon/detail/end.hpp>
