// SPDX-License-Identifier: MIT
#include <CLI/CLI.hpp>

#include "options.hpp"

// The program futon, whose commands are subcommands.
int main(int argc, char** argv) {
    CLI::App app("Tools for programs that use futon", "futon");
    app.require_subcommand(1);
    futon::top::Options options;
    futon::top::add_options(
        *app.add_subcommand("top", "A live view of the locks and loops of a program that uses futon's diagnostics"),
        options);
    return futon::top::parse_and_run(app, options, argc, argv);
}
