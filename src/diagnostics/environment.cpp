// SPDX-License-Identifier: MIT
#include "diagnostics/environment.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>

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

Response response_of(std::string_view text) {
    if (text == "print") return Response::print;
    if (text == "throw") return Response::throw_from_wait;
    if (text == "abort") return Response::abort;
    throw std::invalid_argument("'" + std::string(text) + "' is none of print, throw and abort");
}

int number_of(std::string_view text, const char* what) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size())
        throw std::invalid_argument("'" + std::string(text) + "' is not " + what);
    return number;
}

void write_asked_trace() noexcept {
    attempt("FUTON_DIAGNOSTICS_TRACE",
            [] { trace_path().ends_with(".html") ? write_timeline(trace_path()) : write_trace(trace_path()); });
}

}  // namespace

void read_environment() noexcept {
    if (const std::string_view response = variable("FUTON_DIAGNOSTICS_RESPONSE"); !response.empty())
        attempt("FUTON_DIAGNOSTICS_RESPONSE", [&] { respond(response_of(response)); });
    if (const std::string_view rate = variable("FUTON_DIAGNOSTICS_SAMPLE"); !rate.empty())
        attempt("FUTON_DIAGNOSTICS_SAMPLE", [&] {
            const int one_in = number_of(rate, "a number of acquisitions");
            observe(Observe::samples, static_cast<std::uint32_t>(std::max(one_in, 0)));
        });
    if (const std::string_view number = variable("FUTON_DIAGNOSTICS_SIGNAL"); !number.empty())
        attempt("FUTON_DIAGNOSTICS_SIGNAL", [&] { on_signal(number_of(number, "the number of a signal")); });
    if (const std::string_view answer = variable("FUTON_DIAGNOSTICS_SERVE"); !answer.empty() && answer != "0")
        attempt("FUTON_DIAGNOSTICS_SERVE", [&] {
            if (answer != "1") throw std::invalid_argument("'" + std::string(answer) + "' is neither 0 nor 1");
            serve();
        });
    if (const std::string_view path = variable("FUTON_DIAGNOSTICS_TRACE"); !path.empty())
        attempt("FUTON_DIAGNOSTICS_TRACE", [&] {
            trace_path() = path;
            trace();
            static_cast<void>(std::atexit(&write_asked_trace));
            if (variable("FUTON_DIAGNOSTICS_RESPONSE") != "abort") return;
            respond([](const Report& report) {
                std::fprintf(stderr, "futon: %s\n", report.text.c_str());
                write_asked_trace();  // an abort has no exit
                std::abort();
            });
        });
}

}  // namespace detail

}  // namespace futon::diagnostics
