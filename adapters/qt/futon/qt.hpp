// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

/// futon in programs with a Qt event loop, Qt 5 or 6: a thread's event dispatcher as an agent, and callbacks that end
/// with their QObject. Does not need moc.
#include <futon/qt/call_back.hpp>
#include <futon/qt/loop.hpp>

#include <futon/detail/end.hpp>
