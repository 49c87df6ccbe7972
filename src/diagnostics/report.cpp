// SPDX-License-Identifier: MIT
#include "diagnostics/report.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <utility>

#include "diagnostics/registry.hpp"

namespace futon::diagnostics {

namespace {

using Function = std::function<void(const Report&)>;

struct Chosen {
    std::mutex mutex;
    Response response = Response::print;
    std::shared_ptr<const Function> function;
};

Chosen& chosen() noexcept {
    static Chosen& chosen = *new Chosen;
    return chosen;
}

void print(const std::string& text) noexcept {
    // In one call, so that reports of several threads are not mixed.
    std::fputs(("futon: " + text + "\n").c_str(), stderr);
    std::fflush(stderr);
}

}  // namespace

void respond(Response response) {
    const std::scoped_lock hold(chosen().mutex);
    chosen().response = response;
    chosen().function = nullptr;
}

void respond(Function function) {
    auto kept = function ? std::make_shared<const Function>(std::move(function)) : nullptr;
    const std::scoped_lock hold(chosen().mutex);
    chosen().function = std::move(kept);
    chosen().response = Response::print;
}

namespace {

std::atomic<Places> kept_places{Places::all};

}  // namespace

void keep_places(Places places) {
    kept_places = places;
}

namespace detail {

bool keeps_all_places() noexcept {
    return kept_places == Places::all;
}

namespace {

std::pair<std::shared_ptr<const Function>, Response> choice() {
    const std::scoped_lock hold(chosen().mutex);
    return {chosen().function, chosen().response};
}

}  // namespace

void report(What what, std::string text) {
    const auto [function, response] = choice();
    if (function) return (*function)({what, std::move(text)});
    if (what == What::deadlock && response == Response::throw_from_wait) throw DeadlockFound("futon: " + text);
    print(text);
    if (response == Response::abort) std::abort();
}

void report_only(What what, std::string text) noexcept {
    const auto [function, response] = choice();
    if (function) {
        try {
            return (*function)({what, std::move(text)});
        } catch (...) {
            return;
        }
    }
    print(text);
    if (response == Response::abort) std::abort();
}

void report_later(What what, std::string text) noexcept {
    report(what, std::move(text));
}

void name(const void* address, std::size_t size, std::string_view name) {
    Registry& registry = Registry::get();
    const std::scoped_lock hold(registry.mutex);
    if (name.empty()) {
        registry.names.erase(address);
    } else {
        registry.names[address] = {size, std::string(name)};
    }
}

}  // namespace detail

}  // namespace futon::diagnostics
