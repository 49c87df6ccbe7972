// SPDX-License-Identifier: MIT
#include <cxxabi.h>
#include <dlfcn.h>
#include <unwind.h>

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "diagnostics/registry.hpp"
#include "diagnostics/runtime.hpp"

// Where a call was made: the stack is unwound when it happens, and its frames are given names only when a text is wanted.
namespace futon::diagnostics::detail {

namespace {

struct Walk {
    Place& place;
    int skipped;
    std::size_t count = 0;
};

_Unwind_Reason_Code step(_Unwind_Context* context, void* argument) {
    auto& walk = *static_cast<Walk*>(argument);
    if (walk.skipped-- > 0) return _URC_NO_REASON;
    if (walk.count == Place::most) return _URC_END_OF_STACK;
    walk.place.frames[walk.count++] = reinterpret_cast<const void*>(_Unwind_GetIP(context));
    return _URC_NO_REASON;
}

std::string demangled(const char* name) {
    int status = 0;
    const std::unique_ptr<char, void (*)(void*)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status), std::free);
    return status == 0 ? text.get() : name;
}

/// A function's name without what only a compiler needs.
std::string readable(std::string name) {
    constexpr std::string_view unnamed = "(anonymous namespace)::";
    for (std::size_t at = name.find(unnamed); at != std::string::npos; at = name.find(unnamed))
        name.erase(at, unnamed.size());
    // Where a coroutine goes on is a function of its frame, "name(name(...)::_Z...Frame*) [clone .actor]".
    if (name.find("[clone .actor]") == std::string::npos) return name;
    return name.substr(0, name.find('(')) + ", a coroutine,";
}

/// A function, and a line of a file; either may be empty.
struct Line {
    std::string function, position;
    bool has_file = false, is_in_library_file = false;
};

/// Whether it begins or ends the program.
bool is_of_system(std::string_view function) {
    return function.starts_with("libc.so.") || function.starts_with("__libc_start") || function == "_start" ||
           function == "exit" || function == "__run_exit_handlers" || function.starts_with("_Unwind");
}

bool is_of_library(std::string_view function) {
    for (const std::string_view name :
         {"futon::", "std::", "void futon::", "bool futon::", "decltype", "__gnu", "auto futon::"})
        if (function.starts_with(name)) return true;
    return function.find("futon::core::") != std::string_view::npos;
}

/// Where the library was compiled.
constexpr std::string_view sources =
    std::string_view(__FILE__).substr(0, std::string_view(__FILE__).rfind("diagnostics/"));

/// Whether a file is of the library or the standard library, where functions may have no qualified names, or begins and ends threads
/// and the program.
bool is_library_file(std::string_view path) {
    if (!sources.empty() && path.starts_with(sources)) return true;
    // Of a checkout: its folder's name before them may be any.
    constexpr std::string_view root = sources.substr(0, sources.size() - (sources.ends_with("src/") ? 4 : 0));
    for (const std::string_view folder : {"adapters/", "bindings/"})
        if (!root.empty() && path.starts_with(root) && path.substr(root.size()).starts_with(folder)) return true;
    for (const std::string_view folder :
         {"/include/futon/", "/include/futon-diagnostics/", "/include/c++/", "-gnu/c++/", "/libstdc++-v3/"})
        if (path.find(folder) != std::string_view::npos) return true;
    for (const std::string_view file :
         {"/pthread_create.c", "/clone.S", "/clone3.S", "/libc-start.c", "/exit.c", "/cxa_finalize.c"})
        if (path.ends_with(file)) return true;
    return false;
}

/// The same of a file of the library whose debug information tells another folder than that of this one: a compiler's cache or an
/// option may have put it there.
bool is_moved_library_file(std::string_view path, std::string_view function) {
    if (!is_of_library(function)) return false;
    for (const std::string_view room : {"atomics/", "base/", "diagnostics/", "driver/", "loop/", "memory/",
                                        "operation/", "platform/", "queue/", "sync/"})
        if (path.find("/src/" + std::string(room)) != std::string_view::npos) return true;
    return false;
}

/// Where the file is known, it decides: a function of the program that was inlined into one of the standard library has that
/// one's name, and so has one that a program defines for it.
bool is_of_program(const Line& line) {
    if (line.function.empty() || is_of_system(line.function)) return false;
    return line.has_file ? !line.is_in_library_file : !is_of_library(line.function);
}

/// What a program for the purpose knows of an address, with the functions that were inlined there, innermost first.
std::vector<Line> look_up(const char* module, std::uintptr_t offset) {
    std::vector<Line> lines;
    std::string command = "addr2line -C -f -i -e '";
    for (const char* at = module; *at != '\0'; ++at)
        command += *at == '\'' ? std::string("'\\''") : std::string(1, *at);
    std::array<char, 32> number{};
    std::snprintf(number.data(), number.size(), "' %#zx", static_cast<std::size_t>(offset));
    command += number.data();
    command += " 2>/dev/null";
    const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
    if (!pipe) return lines;
    std::array<char, 4096> buffer{};
    bool is_function = true;
    while (std::fgets(buffer.data(), buffer.size(), pipe.get()) != nullptr) {
        std::string text(buffer.data());
        while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
        if (is_function) {
            lines.push_back({text == "??" ? "" : text, ""});
        } else if (!lines.empty()) {
            text = text.substr(0, text.find(" (discriminator"));
            lines.back().has_file = !text.starts_with("??");
            const std::string_view path = std::string_view(text).substr(0, text.rfind(':'));
            lines.back().is_in_library_file =
                is_library_file(path) || is_moved_library_file(path, lines.back().function);
            if (!text.starts_with("??") && !text.ends_with(":?") && !text.ends_with(":0"))
                lines.back().position = text.substr(text.rfind('/') + 1);
        }
        is_function = !is_function;
    }
    return lines;
}

/// Whether there is no time to look up.
std::atomic<bool> is_hurried{false};

/// The names of the frames at return addresses: kept, for a program asks about few.
struct Known {
    std::mutex mutex;
    std::map<const void*, std::vector<Line>> lines;
    std::map<std::string, const void*> named;  // the places of other languages, which are addresses of nothing
};

Known& known() {
    static Known& known = *new Known;
    return known;
}

const std::vector<Line>& lines_at(const void* address) {
    const std::scoped_lock hold(known().mutex);
    const auto [found, is_new] = known().lines.try_emplace(address);
    if (!is_new) return found->second;
    Dl_info info{};
    if (dladdr(address, &info) == 0) return found->second;
    // The call is before the address to which it returns.
    const auto offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(info.dli_fbase) - 1;
    if (info.dli_fname != nullptr && !is_hurried) {
        const std::unique_ptr<char, void (*)(void*)> path(realpath(info.dli_fname, nullptr), std::free);
        if (path) found->second = look_up(path.get(), offset);
    }
    if (found->second.empty() || found->second.front().function.empty()) {
        std::string text = info.dli_sname != nullptr ? demangled(info.dli_sname) : "";
        if (text.empty() && info.dli_fname != nullptr) {
            std::array<char, 32> number{};
            std::snprintf(number.data(), number.size(), "+%#zx", static_cast<std::size_t>(offset));
            const char* const slash = std::strrchr(info.dli_fname, '/');
            text = std::string(slash != nullptr ? slash + 1 : info.dli_fname) + number.data();
        }
        found->second = {{std::move(text), ""}};
    }
    return found->second;
}

}  // namespace

const void* place_named(std::string_view function, std::string_view position) {
    const std::scoped_lock hold(known().mutex);
    const auto [found, is_new] = known().named.try_emplace(std::string(function).append("\n").append(position));
    if (!is_new) return found->second;
    found->second = &found->first;
    known().lines[found->second] = {{std::string(function), std::string(position)}};
    return found->second;
}

void hurry_places() noexcept {
    is_hurried = true;
}

void take_place(Place& place, int skipped) noexcept {
    if (this_call().place != nullptr) {
        place.frames[0] = this_call().place;
        place.frames[1] = nullptr;
        return;
    }
    Walk walk{place, skipped + 1};
    _Unwind_Backtrace(&step, &walk);
    if (walk.count < Place::most) place.frames[walk.count] = nullptr;
}

std::string text_of(const Place& place) {
    for (const void* const frame : place.frames) {
        if (frame == nullptr) break;
        for (const Line& line : lines_at(frame)) {
            if (!is_of_program(line)) continue;
            return line.position.empty() ? line.function : line.position;
        }
    }
    return "";
}

std::string stack_text_of(const Place& place) {
    std::string text;
    bool is_below = false;  // below a function of the program: what the library has between those says nothing
    for (const void* const frame : place.frames) {
        if (frame == nullptr) break;
        for (const Line& line : lines_at(frame)) {
            if (line.function.empty()) continue;
            if (is_below && !is_of_program(line)) continue;
            is_below |= is_of_program(line) && !line.position.empty();
            text += "\n      " + readable(line.function);
            if (!line.position.empty()) text += " at " + line.position;
        }
    }
    return text;
}

}  // namespace futon::diagnostics::detail
