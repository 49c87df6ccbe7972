// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>

#include "options.hpp"

// The program futon-top.
int main(int argc, char** argv) {
    CLI::App app("A live view of the locks and loops of a program that uses futon's diagnostics", "futon-top");
    futon::top::Options options;
    futon::top::add_options(app, options);
    return futon::top::parse_and_run(app, options, argc, argv);
}
