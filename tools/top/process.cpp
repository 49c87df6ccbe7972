// SPDX-License-Identifier: MIT
#include "process.hpp"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string_view>
#include <thread>

#include "diagnostics/socket_path.hpp"
#include "problem.hpp"

namespace futon::top {

namespace {

std::optional<std::string> text_of(pid_t process, const char* name) {
    std::ifstream file("/proc/" + std::to_string(process) + "/" + name);
    if (!file) return {};
    std::string text(std::istreambuf_iterator<char>(file), {});
    if (text.empty()) return {};
    return text;
}

/// What the system's status of a process says under a heading: a word, the first of a line or a later one.
std::string field(const std::string& status, const std::string& heading, int word) {
    std::istringstream lines(status);
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with(heading + ":")) continue;
        std::istringstream words(line.substr(heading.size() + 1));
        std::string found;
        for (int i = 0; i <= word; ++i) words >> found;
        return found;
    }
    return {};
}

/// The variable that a process was started with; empty if there is none, or it cannot be read.
std::string variable_of(pid_t process, std::string_view name) {
    std::istringstream variables(text_of(process, "environ").value_or(""));
    const std::string beginning = std::string(name) + "=";
    for (std::string variable; std::getline(variables, variable, '\0');)
        if (variable.starts_with(beginning)) return variable.substr(beginning.size());
    return {};
}

}  // namespace

Process::Process(pid_t number) : number_(number) {
    const std::optional<std::string> status = text_of(number, "status");
    if (!status) throw Problem(Exit::no_process, "there is no process " + std::to_string(number));
    title_ = field(*status, "Name", 0) + " (" + std::to_string(number) + ")";
    if (const std::string group = field(*status, "Tgid", 0); group != std::to_string(number))
        throw Problem(Exit::no_process,
                      std::to_string(number) + " is a thread of the process " + group + ": ask for " + group);
    if (field(*status, "State", 0) == "Z") throw Problem(Exit::no_process, "the process " + title_ + " has ended");
    if (const std::string user = field(*status, "Uid", 1); user != std::to_string(geteuid()))
        throw Problem(Exit::of_another_user, "the process " + title_ + " belongs to the user with the number " + user +
                                                 ", and shows its diagnostics to that user only");
}

std::vector<std::string> Process::sockets() const {
    const char* own = std::getenv("XDG_RUNTIME_DIR");
    const uid_t user = geteuid();
    std::vector<std::string> found;
    for (const std::string& folder : {variable_of(number_, "XDG_RUNTIME_DIR"), std::string(own != nullptr ? own : ""),
                                      std::string(), "/run/user/" + std::to_string(user)}) {
        std::string path = diagnostics::detail::socket_path(folder, user, number_);
        if (std::find(found.begin(), found.end(), path) == found.end()) found.push_back(std::move(path));
    }
    return found;
}

bool Process::is_running() const {
    const std::optional<std::string> status = text_of(number_, "status");
    return status && field(*status, "State", 0) != "Z";
}

bool Process::ends() const {
    for (int i = 0; i < 50 && is_running(); ++i) std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return !is_running();
}

}  // namespace futon::top
