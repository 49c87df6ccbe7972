// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/version.hpp>

/// What programs may use of a shared library of futon. All else in it is hidden.
///
/// FUTON_API marks each class that programs derive from, catch, or call a member of that is not inline, and each such function.
/// A program that is compiled with `-fvisibility=hidden` then has the same classes as the library: it overrides their functions
/// and catches their exceptions. The mark is the same for a shared library and its users. In a static one, which says so by
/// FUTON_STATIC, it is empty: the parts of the library are hidden, and no other copy in the process takes their place.
///
/// FUTON_LOCAL marks what is in one of these classes and is the library's own: a class, a template.
///
/// Where shared libraries are not ELF's or Mach-O's both are empty.
#if !defined(FUTON_STATIC) && (defined(__ELF__) || defined(__APPLE__))
#define FUTON_API [[gnu::visibility("default")]]
#define FUTON_LOCAL [[gnu::visibility("hidden")]]
#else
#define FUTON_API
#define FUTON_LOCAL
#endif

#include <futon/detail/end.hpp>
