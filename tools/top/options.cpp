// SPDX-License-Identifier: MIT
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <futon/version.hpp>

#include <charconv>
#include <clocale>
#include <iostream>
#include <map>

#include "problem.hpp"
#include "run.hpp"
#include "text.hpp"

namespace futon::top {

namespace {

const std::map<std::string, Sort> sorts{
    {"contended", Sort::contended}, {"hold", Sort::hold}, {"wait", Sort::wait}, {"waiters", Sort::waiters}};

constexpr const char* footer =
    R"(BY is contended, waiters, wait or hold.

The program offers its diagnostics if it calls futon::diagnostics::serve(), or if it is linked with
futon::diagnostics and started with FUTON_DIAGNOSTICS_SERVE=1: to its own user only.

Keys: c, n, w, h sort by contentions, waiters, wait and hold; arrows select; / filters; p pauses; u asks at once;
? explains; q quits.

Exit status: 0 it was shown, or the program has ended meanwhile; 1 the system or the terminal failed; 2 wrong
arguments; 3 no such process; 4 a process of another user; 5 the process does not offer its diagnostics, or does
not answer; 6 its answer is broken.)";

/// What is wrong with a value; empty if nothing is.
std::string positive(const std::string& value) {
    int number = 0;
    const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), number);
    if (error == std::errc() && end == value.data() + value.size() && number > 0) return {};
    return "'" + value + "' is not the number of a process";
}

std::string seconds(const std::string& value) {
    double number = 0;
    if (CLI::detail::lexical_cast(value, number) && number >= 0.01 && number <= 86400) return {};
    return "'" + value + "' is not a number of seconds from 0.01 to 86400";
}

std::string sort_name(const std::string& value) {
    return sorts.contains(value) ? "" : "'" + value + "' is none of contended, waiters, wait, hold";
}

std::string version() {
    return "futon " + std::to_string(FUTON_VERSION_MAJOR) + "." + std::to_string(FUTON_VERSION_MINOR) + "." +
           std::to_string(FUTON_VERSION_PATCH);
}

}  // namespace

void add_options(CLI::App& app, Options& options) {
    app.footer(footer);
    app.set_version_flag("--version", version(), "Print the version and exit");
    app.add_option("PID", options.process, "The number of the process to watch")
        ->option_text("")
        ->required()
        ->check(positive);
    app.add_flag("--json", options.is_json, "Print one snapshot as JSON, whole, and exit");
    app.add_option("--interval", options.interval, "Seconds between two snapshots")
        ->option_text("SECONDS [1]")
        ->check(seconds);
    app.add_option_function<std::string>(
           "--sort", [&options](const std::string& name) { options.sort = sorts.at(name); },
           "What comes first: most contentions a second, most waiters, longest wait, longest hold (p99)")
        ->option_text("BY [contended]")
        ->check(sort_name);
    app.add_option("--filter", options.filter, "Show only objects whose name, kind or address contains this")
        ->option_text("TEXT");
    app.add_option("--timeout", options.timeout, "With --json: how long to wait for the answer")
        ->option_text("SECONDS [10]")
        ->check(seconds);
}

int parse_and_run(CLI::App& app, Options& options, int argc, char** argv) {
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : static_cast<int>(Exit::misused);
    }
    std::setlocale(LC_CTYPE, "");  // for letters alone: numbers are written as in C
    try {
        run(options);
        return static_cast<int>(Exit::success);
    } catch (const Problem& problem) {
        std::cerr << "futon top: " << shown(problem.what()) << '\n';
        return static_cast<int>(problem.exit());
    } catch (const std::exception& error) {
        std::cerr << "futon top: " << shown(error.what()) << '\n';
        return static_cast<int>(Exit::failed);
    }
}

}  // namespace futon::top
