// SPDX-License-Identifier: MIT
#include "diagnostics/environment.hpp"

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <sstream>
#include <string>
#include <string_view>

#include <futon/diagnostics.hpp>

#include "diagnostics/server.hpp"
#include "diagnostics/snapshot.hpp"
#include "diagnostics/socket_path.hpp"

namespace futon::diagnostics {

void serve() {
    static std::mutex& mutex = *new std::mutex;
    static std::unique_ptr<detail::Server>& server = *new std::unique_ptr<detail::Server>;
    const std::scoped_lock hold(mutex);
    if (server) return;
    server = std::make_unique<detail::Server>(detail::socket_path(),
                                              [] { return detail::json_of(detail::take_snapshot()); });
    static_cast<void>(std::atexit([] { server->stop(); }));
}

namespace detail {

namespace {

std::string_view variable(const char* name) noexcept {
    const char* const value = std::getenv(name);
    return value != nullptr ? value : "";
}

std::string& trace_path() {
    static std::string& path = *new std::string;
    return path;
}

/// Does one of the things; what goes wrong is said, and the program goes on.
template <class Function>
void attempt(const char* name, Function function) noexcept {
    try {
        function();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "futon: %s: %s\n", name, error.what());
    }
}

}  // namespace

void read_environment() noexcept {
    if (variable("FUTON_DIAGNOSTICS_RESPONSE") == "abort") respond(Response::abort);
    if (variable("FUTON_DIAGNOSTICS_RESPONSE") == "throw") respond(Response::throw_from_wait);
    if (const std::string_view rate = variable("FUTON_DIAGNOSTICS_SAMPLE"); !rate.empty())
        attempt("FUTON_DIAGNOSTICS_SAMPLE",
                [&] { observe(Observe::samples, static_cast<std::uint32_t>(std::stoul(std::string(rate)))); });
    if (const std::string_view number = variable("FUTON_DIAGNOSTICS_SIGNAL"); !number.empty())
        attempt("FUTON_DIAGNOSTICS_SIGNAL", [&] { on_signal(std::stoi(std::string(number))); });
    if (variable("FUTON_DIAGNOSTICS_SERVE") == "1") attempt("FUTON_DIAGNOSTICS_SERVE", [] { serve(); });
    if (const std::string_view path = variable("FUTON_DIAGNOSTICS_TRACE"); !path.empty())
        attempt("FUTON_DIAGNOSTICS_TRACE", [&] {
            trace_path() = path;
            trace();
            static_cast<void>(std::atexit([] {
                attempt("FUTON_DIAGNOSTICS_TRACE", [] {
                    trace_path().ends_with(".html") ? write_timeline(trace_path()) : write_trace(trace_path());
                });
            }));
        });
}

}  // namespace detail

}  // namespace futon::diagnostics
