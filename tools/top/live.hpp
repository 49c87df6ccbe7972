// SPDX-License-Identifier: MIT
#pragma once

namespace futon::top {

class Connection;
class Process;
struct Options;

/// Shows the view, until the user or a signal ends it, or the program ends.
///
/// Throws  Problem if the program goes on but its answers do not
void show_live(const Options& options, const Process& process, Connection& connection);

}  // namespace futon::top
