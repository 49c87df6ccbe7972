// SPDX-License-Identifier: MIT
#pragma once

#include <sys/types.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace futon::diagnostics::detail {

/// Where a process of this user offers its diagnostics: in the user's runtime folder; if that is not an absolute path, in a
/// folder of the user's own below /tmp.
inline std::string socket_path(std::string_view runtime_folder, uid_t user, pid_t process) {
    const std::string name = std::to_string(process) + ".sock";
    if (!runtime_folder.starts_with('/')) return "/tmp/futon-" + std::to_string(user) + "/" + name;
    return std::string(runtime_folder) + "/futon-" + name;
}

/// Where this process offers its own.
inline std::string socket_path() {
    const char* folder = std::getenv("XDG_RUNTIME_DIR");
    return socket_path(folder != nullptr ? folder : "", geteuid(), getpid());
}

}  // namespace futon::diagnostics::detail
