// SPDX-License-Identifier: MIT
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include <unistd.h>

namespace futon::test {

/// The descriptors of this process whose target's name begins so: "anon_inode:[eventfd]".
inline std::vector<int> descriptors_of(const std::string& target) {
    std::vector<int> found;
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code error;
        if (std::filesystem::read_symlink(entry.path(), error).string().rfind(target, 0) == 0)
            found.push_back(std::stoi(entry.path().filename().string()));
    }
    return found;
}

}  // namespace futon::test
