// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

/// What clang's thread-safety analysis (`-Wthread-safety`) is told of locks and of what they guard. Elsewhere all of it is empty.
///
/// The attributes have GNU's syntax: C++'s may not name a member that is declared further down.
#if defined(__clang__)
#define FUTON_THREAD_SAFETY(attribute) __attribute__((attribute))
#else
#define FUTON_THREAD_SAFETY(attribute)
#endif

/// A class that is a lock, by the name that messages give it; and one that holds a lock for a scope.
#define FUTON_CAPABILITY(name) FUTON_THREAD_SAFETY(capability(name))
#define FUTON_SCOPED_CAPABILITY FUTON_THREAD_SAFETY(scoped_lockable)

/// A member that is read and written under a lock only.
#define FUTON_GUARDED_BY(lock) FUTON_THREAD_SAFETY(guarded_by(lock))

/// A function that takes locks, that takes one if it returns true, that releases, and that is called under locks only. Without
/// a lock named it is the object's own, and the function's body is not looked into.
#define FUTON_ACQUIRE(...) FUTON_THREAD_SAFETY(acquire_capability(__VA_ARGS__))
#define FUTON_TRY_ACQUIRE(...) FUTON_THREAD_SAFETY(try_acquire_capability(__VA_ARGS__))
#define FUTON_RELEASE(...) FUTON_THREAD_SAFETY(release_capability(__VA_ARGS__))
#define FUTON_ACQUIRE_SHARED(...) FUTON_THREAD_SAFETY(acquire_shared_capability(__VA_ARGS__))
#define FUTON_TRY_ACQUIRE_SHARED(...) FUTON_THREAD_SAFETY(try_acquire_shared_capability(__VA_ARGS__))
#define FUTON_RELEASE_SHARED(...) FUTON_THREAD_SAFETY(release_shared_capability(__VA_ARGS__))
#define FUTON_REQUIRES(...) FUTON_THREAD_SAFETY(requires_capability(__VA_ARGS__))

/// A function after which the analysis takes a lock for held.
#define FUTON_ASSERT_HELD(lock) FUTON_THREAD_SAFETY(assert_capability(lock))

/// A function whose body does what the analysis cannot follow.
#define FUTON_NO_THREAD_SAFETY_ANALYSIS FUTON_THREAD_SAFETY(no_thread_safety_analysis)

#include <futon/detail/end.hpp>
