// SPDX-License-Identifier: MIT
// What each public header ends with: see `detail/begin.hpp`.
#if defined(__GNUC__) && !defined(FUTON_TELL_SHADOWS)
#pragma GCC diagnostic pop
#endif
