// SPDX-License-Identifier: MIT
// The server: prints its port, and serves until SIGINT or SIGTERM. See docs/server.md.
#include <charconv>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string_view>

#include "server.hpp"

namespace {

const char* const usage =
    "futon_kv_server [--lock futon|mutex-loop|mutex-pool] [--snapshot-every MS] [--hold SHORTEST LONGEST]\n"
    "                [--folder FOLDER]\n";

bool milliseconds(const char* text, std::chrono::milliseconds& to) {
    int number = 0;
    const char* const end = text + std::strlen(text);
    if (std::from_chars(text, end, number).ptr != end || text == end || number < 0) return false;
    to = std::chrono::milliseconds(number);
    return true;
}

bool understand(int count, char** words, kv::ServerOptions& options) {
    for (int i = 1; i < count; ++i) {
        const std::string_view name = words[i];
        const int left = count - i - 1;
        if (name == "--lock" && left >= 1) {
            const auto kind = kv::lock_kind(words[++i]);
            if (!kind) return false;
            options.lock = *kind;
        } else if (name == "--snapshot-every" && left >= 1) {
            if (!milliseconds(words[++i], options.snapshots.period)) return false;
        } else if (name == "--hold" && left >= 2) {
            if (!milliseconds(words[++i], options.snapshots.shortest)) return false;
            if (!milliseconds(words[++i], options.snapshots.longest)) return false;
            if (options.snapshots.longest < options.snapshots.shortest) return false;
        } else if (name == "--folder" && left >= 1) {
            options.snapshots.folder = words[++i];
        } else {
            return false;
        }
    }
    return true;
}

}  // namespace

int main(int count, char** words) {
    kv::ServerOptions options;
    if (!understand(count, words, options)) {
        std::fputs(usage, stderr);
        return 2;
    }
    try {
        if (!options.snapshots.folder.empty()) std::filesystem::create_directories(options.snapshots.folder);
        kv::Server server(options);
        server.stop_on_signals();  // before the port is known, so a client that knows it may stop the server
        std::printf("port %u\n", unsigned{server.port()});
        std::fflush(stdout);
        server.run();
    } catch (const std::exception& error) {
        std::fprintf(stderr, "futon_kv_server: %s\n", error.what());
        return 1;
    }
}
