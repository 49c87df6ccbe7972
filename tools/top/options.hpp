// SPDX-License-Identifier: MIT
#pragma once

#include <string>

namespace CLI {
class App;
}

namespace futon::top {

/// By what the table of objects is sorted, the largest first.
enum class Sort { contended, waiters, wait, hold };

struct Options {
    int process = 0;
    bool is_json = false;
    double interval = 1;  // seconds between an answer and the next question
    double timeout = 10;  // seconds
    Sort sort = Sort::contended;
    std::string filter;
};

/// Has a command line's parser fill them.
void add_options(CLI::App& app, Options& options);

/// Parses a command line that `app` describes, and does what it asks. Returns what `main` is to return.
int parse_and_run(CLI::App& app, Options& options, int argc, char** argv);

}  // namespace futon::top
