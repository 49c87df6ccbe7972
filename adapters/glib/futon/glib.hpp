// SPDX-License-Identifier: MIT
#pragma once

/// futon in programs whose loop is GLib's: a main context as an agent, and stop tokens for GCancellable.
#include <futon/glib/cancellable.hpp>
#include <futon/glib/loop.hpp>
