// SPDX-License-Identifier: MIT
// The server with each kind of lock.
#include <gtest/gtest.h>

#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "running_server.hpp"

namespace {

using namespace std::chrono_literals;
using kv::Client;
using kv::LockKind;
using kv::RunningServer;

class Server : public testing::TestWithParam<LockKind> {
protected:
    /// Snapshots hold the lock for a millisecond or two.
    static kv::ServerOptions options() {
        kv::ServerOptions options;
        options.lock = GetParam();
        options.snapshots.shortest = 1ms;
        options.snapshots.longest = 2ms;
        return options;
    }
};

TEST_P(Server, GetsWhatWasPut) {
    RunningServer server(options());
    Client client(server.port());
    EXPECT_EQ(client.ask("PING"), "PONG");
    EXPECT_EQ(client.ask("GET a"), "NONE");
    EXPECT_EQ(client.ask("PUT a first value"), "OK 1");
    EXPECT_EQ(client.ask("PUT a second"), "OK 2");
    EXPECT_EQ(client.ask("GET a"), "VALUE 2 second");
    EXPECT_EQ(client.ask("NONSENSE"), "ERROR no such request");
    EXPECT_EQ(client.ask("PING"), "PONG");
}

TEST_P(Server, AnswersInOrder) {
    RunningServer server(options());
    Client client(server.port());
    client.send("PUT a 1\nPING\nGET a\nSNAPSHOT\nPING");
    EXPECT_EQ(client.reply(), "OK 1");
    EXPECT_EQ(client.reply(), "PONG");
    EXPECT_EQ(client.reply(), "VALUE 1 1");
    EXPECT_EQ(client.reply().substr(0, 11), "SNAPSHOT 1 ");
    EXPECT_EQ(client.reply(), "PONG");
}

TEST_P(Server, ClosesAConnectionWhoseLineHasNoEnd) {
    RunningServer server(options());
    Client client(server.port());
    Client other(server.port());
    client.send(std::string(2 * kv::longest_line, 'x'));
    EXPECT_TRUE(client.is_at_end());
    EXPECT_EQ(other.ask("PING"), "PONG");
}

TEST_P(Server, AWatchEndsWithAChange) {
    RunningServer server(options());
    Client watcher(server.port());
    Client client(server.port());
    watcher.send("WATCH a 0");
    ask_until(client, [](const kv::Stats& stats) { return stats.watches == 1; });
    EXPECT_EQ(client.ask("PUT b other"), "OK 1");
    EXPECT_EQ(stats(client).watches, 1u);
    EXPECT_EQ(client.ask("PUT a changed"), "OK 1");
    EXPECT_EQ(watcher.reply(), "VALUE 1 changed");
    EXPECT_EQ(watcher.ask("WATCH a 0"), "VALUE 1 changed");  // has changed before
}

TEST_P(Server, ARequestEndsAWatch) {
    RunningServer server(options());
    Client watcher(server.port());
    Client client(server.port());
    watcher.send("WATCH a 0");
    ask_until(client, [](const kv::Stats& stats) { return stats.watches == 1; });
    watcher.send("PING");
    EXPECT_EQ(watcher.reply(), "ENDED");
    EXPECT_EQ(watcher.reply(), "PONG");
    watcher.send("WATCH a 0\nPING");
    EXPECT_EQ(watcher.reply(), "ENDED");
    EXPECT_EQ(watcher.reply(), "PONG");
    EXPECT_EQ(stats(client).watches, 0u);
}

TEST_P(Server, ManyWatchesOfOneKeyAllEnd) {
    RunningServer server(options());
    std::vector<std::unique_ptr<Client>> watchers;
    for (int i = 0; i < 50; ++i) watchers.push_back(std::make_unique<Client>(server.port()));
    for (auto& watcher : watchers) watcher->send("WATCH a 0");
    Client client(server.port());
    ask_until(client, [](const kv::Stats& stats) { return stats.watches == 50; });
    EXPECT_EQ(client.ask("PUT a b"), "OK 1");
    for (auto& watcher : watchers) EXPECT_EQ(watcher->reply(), "VALUE 1 b");
}

TEST_P(Server, SnapshotsAreTakenWhilePutsGoOn) {
    RunningServer server(options());
    Client client(server.port());
    Client other(server.port());
    std::thread putting([&] {
        for (int i = 1; i <= 200; ++i) ASSERT_EQ(client.ask("PUT a " + std::to_string(i)), "OK " + std::to_string(i));
    });
    for (int i = 1; i <= 20; ++i) {
        EXPECT_EQ(other.ask("SNAPSHOT").substr(0, 9), "SNAPSHOT ");
    }
    putting.join();
    EXPECT_EQ(other.ask("GET a"), "VALUE 200 200");
    EXPECT_EQ(stats(other).finished, 20u);
}

TEST_P(Server, ServesManyConnections) {
    RunningServer server(options());
    std::vector<std::unique_ptr<Client>> clients;
    for (int i = 0; i < 200; ++i) clients.push_back(std::make_unique<Client>(server.port()));
    for (int round = 0; round < 3; ++round) {
        for (auto& client : clients) client->send("PUT a b\nPING\nGET a");
        for (auto& client : clients) {
            EXPECT_EQ(client->reply().substr(0, 3), "OK ");
            EXPECT_EQ(client->reply(), "PONG");
            EXPECT_EQ(client->reply().substr(0, 6), "VALUE ");
        }
    }
    EXPECT_EQ(stats(*clients[0]).connections, 200u);
    EXPECT_EQ(clients[0]->ask("PUT a b"), "OK 601");
}

TEST_P(Server, OutlivesClientsThatVanish) {
    RunningServer server(options());
    Client client(server.port());
    for (const char* middle : {"PUT a", "WATCH a 0", "SNAPSHOT", "SNAPSHOT\nWATCH a 0", "GET a\nGET a\nGET a"}) {
        Client other(server.port());
        other.send(middle);
        other.vanish();
    }
    Client half(server.port());
    half.send("WATCH b 0");
    ask_until(client, [](const kv::Stats& stats) { return stats.watches > 0; });
    half.vanish();
    ask_until(client, [](const kv::Stats& stats) { return stats.connections == 1; });
    EXPECT_EQ(stats(client).watches, 0u);
    EXPECT_EQ(client.ask("PUT b c"), "OK 1");
}

TEST_P(Server, AStopAnswersWatchesAndFinishesSnapshots) {
    RunningServer server(options());
    Client idle(server.port()), watcher(server.port()), snapshot(server.port()), client(server.port());
    EXPECT_EQ(idle.ask("PING"), "PONG");
    watcher.send("WATCH a 0");
    ask_until(client, [](const kv::Stats& stats) { return stats.watches == 1; });
    snapshot.send("SNAPSHOT");
    ask_until(client, [](const kv::Stats& stats) { return stats.started == 1; });
    server.begin_to_stop();
    EXPECT_EQ(watcher.reply(), "CLOSING");
    EXPECT_EQ(snapshot.reply().substr(0, 11), "SNAPSHOT 1 ");
    EXPECT_TRUE(idle.is_at_end());
    EXPECT_TRUE(watcher.is_at_end());
    EXPECT_TRUE(snapshot.is_at_end());
    server.stop();
    EXPECT_THROW(Client(server.port()), std::system_error);
}

INSTANTIATE_TEST_SUITE_P(Each, Server,
                         testing::Values(LockKind::futon, LockKind::mutex_on_loop, LockKind::mutex_in_pool),
                         [](const auto& kind) {
                             return kind.param == LockKind::futon           ? "futon"
                                    : kind.param == LockKind::mutex_on_loop ? "mutex_on_loop"
                                                                            : "mutex_in_pool";
                         });

}  // namespace
