// SPDX-License-Identifier: MIT
// The program, which a signal ends.
#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "compression.hpp"
#include "running_server.hpp"

namespace {

using kv::Client;

/// The server's program. Its port is known once it listens.
class Program {
public:
    explicit Program(std::vector<std::string> words) {
        words.insert(words.begin(), FUTON_KV_SERVER);
        std::vector<char*> arguments;
        for (std::string& word : words) arguments.push_back(word.data());
        arguments.push_back(nullptr);
        int ends[2];
        if (pipe(ends) != 0) throw std::runtime_error("pipe");
        posix_spawn_file_actions_t actions;
        posix_spawn_file_actions_init(&actions);
        posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
        posix_spawn_file_actions_addclose(&actions, ends[0]);
        const int error = posix_spawn(&pid_, FUTON_KV_SERVER, &actions, nullptr, arguments.data(), environ);
        posix_spawn_file_actions_destroy(&actions);
        close(ends[1]);
        std::FILE* const output = fdopen(ends[0], "r");
        unsigned number = 0;
        const bool is_known = error == 0 && std::fscanf(output, "port %u", &number) == 1;
        std::fclose(output);
        if (!is_known) throw std::runtime_error("the server has not started");
        port_ = static_cast<std::uint16_t>(number);
    }
    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;
    ~Program() {
        if (pid_ <= 0) return;
        kill(pid_, SIGKILL);
        waitpid(pid_, nullptr, 0);
    }

    std::uint16_t port() const { return port_; }
    void send(int signal) const { kill(pid_, signal); }

    /// Its exit status, or -1 if a signal has killed it.
    int wait() {
        int status = 0;
        waitpid(pid_, &status, 0);
        pid_ = -1;
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    pid_t pid_ = -1;
    std::uint16_t port_ = 0;
};

class Shutdown : public testing::TestWithParam<const char*> {};

TEST_P(Shutdown, ASignalEndsItWithConnectionsOpenAndASnapshotRunning) {
    const auto folder = std::filesystem::path(testing::TempDir()) / ("kv-" + std::to_string(getpid()) + GetParam());
    std::filesystem::create_directories(folder);
    for (const int signal : {SIGTERM, SIGINT}) {
        Program program({"--lock", GetParam(), "--hold", "50", "50", "--folder", folder.string()});
        Client idle(program.port()), watcher(program.port()), snapshot(program.port()), client(program.port());
        EXPECT_EQ(client.ask("PUT key-1 value"), "OK 1");
        EXPECT_EQ(client.ask("PUT key-2 value"), "OK 1");
        watcher.send("WATCH key-1 1");
        ask_until(client, [](const kv::Stats& stats) { return stats.watches == 1; });
        snapshot.send("SNAPSHOT");
        ask_until(client, [](const kv::Stats& stats) { return stats.started == 1; });
        program.send(signal);
        EXPECT_EQ(watcher.reply(), "CLOSING");
        EXPECT_EQ(snapshot.reply().substr(0, 11), "SNAPSHOT 1 ");
        EXPECT_EQ(program.wait(), 0);
        EXPECT_TRUE(idle.is_at_end());
        std::ifstream file(folder / "snapshot-1", std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        EXPECT_EQ(kv::decompress(text), (kv::Lines{"key-1 value", "key-2 value"}));
    }
    std::filesystem::remove_all(folder);
}

TEST_P(Shutdown, ASignalEndsItRightAfterItsStart) {
    Program program({"--lock", GetParam(), "--snapshot-every", "1"});
    program.send(SIGTERM);
    EXPECT_EQ(program.wait(), 0);
}

INSTANTIATE_TEST_SUITE_P(Each, Shutdown, testing::Values("futon", "mutex-loop", "mutex-pool"), [](const auto& kind) {
    std::string name = kind.param;
    for (char& c : name) c = c == '-' ? '_' : c;
    return name;
});

}  // namespace
