// SPDX-License-Identifier: MIT
#include "run.hpp"

#include <chrono>
#include <iostream>
#include <string>

#include "connection.hpp"
#include "live.hpp"
#include "options.hpp"
#include "problem.hpp"
#include "process.hpp"
#include "snapshot.hpp"

namespace futon::top {

namespace {

void print_snapshot(const Options& options, const Process& process, Connection& connection) {
    connection.ask();
    const std::chrono::duration<double> timeout(options.timeout);
    std::cout << pretty(connection.answer_within(std::chrono::ceil<std::chrono::milliseconds>(timeout)), process)
              << '\n'
              << std::flush;
    if (!std::cout) throw Problem(Exit::failed, "the snapshot could not be written to the standard output");
}

}  // namespace

void run(const Options& options) {
    const Process process(options.process);
    Connection connection(process);
    if (options.is_json)
        print_snapshot(options, process, connection);
    else
        show_live(options, process, connection);
}

}  // namespace futon::top
