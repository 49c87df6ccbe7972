// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

/// futon in programs with a GLib main loop: a main context as an agent, and stop tokens for GCancellable.
#include <futon/glib/cancellable.hpp>
#include <futon/glib/loop.hpp>

#include <futon/detail/end.hpp>
