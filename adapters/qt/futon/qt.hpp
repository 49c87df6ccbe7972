// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

/// futon in programs whose loop is Qt's, 5 or 6: the event dispatcher of a thread as an agent, and callbacks that end with their
/// QObject. Needs no moc.
#include <futon/qt/call_back.hpp>
#include <futon/qt/loop.hpp>

#include <futon/detail/end.hpp>
