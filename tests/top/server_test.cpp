// SPDX-License-Identifier: MIT
#include "diagnostics/server.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include <csignal>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "server_scene.hpp"
#include "support/child.hpp"
#include "support/descriptors.hpp"

namespace {

using futon::diagnostics::detail::Server;
using futon::test::PrivateFolder;
using futon::test::SocketClient;

/// A server whose answers are numbered.
struct Numbering {
    PrivateFolder folder;
    int count = 0;  // read after an answer that followed the last change
    Server server{folder.socket(), [this] { return std::to_string(++count); }};
};

TEST(DiagnosticsServer, AnswersEachLineOfAConnection) {
    Numbering scene;
    SocketClient client(scene.server.path());

    client.send("snapshot\nsnapshot\nsnap");

    EXPECT_EQ(client.receive(), "1");
    EXPECT_EQ(client.receive(), "2");
    client.send("shot\n");
    EXPECT_EQ(client.receive(), "3");
}

TEST(DiagnosticsServer, AnswersAnUnknownLineByAnErrorAndGoesOn) {
    Numbering scene;
    SocketClient client(scene.server.path());

    client.send("shutdown\n\n");

    EXPECT_EQ(client.receive(), R"({"error": "unknown request; the known one is: snapshot"})");
    EXPECT_EQ(client.receive(), R"({"error": "unknown request; the known one is: snapshot"})");
    EXPECT_EQ(client.ask(), "1");
}

TEST(DiagnosticsServer, PutsAnAnswerOnOneLine) {
    const PrivateFolder folder;
    const Server server(folder.socket(), [] { return std::string("{\n \"pid\": 1}"); });
    SocketClient client(server.path());

    EXPECT_EQ(client.ask(), "{  \"pid\": 1}");
}

TEST(DiagnosticsServer, SaysWhyASnapshotFailedAndGoesOn) {
    const PrivateFolder folder;
    int count = 0;
    const Server server(folder.socket(), [&]() -> std::string {
        if (++count == 1) throw std::runtime_error("no \"luck\"\n");
        if (count == 2) throw count;
        return "{}";
    });
    SocketClient client(server.path());

    EXPECT_EQ(client.ask(), R"({"error": "the snapshot failed: no \"luck\" "})");
    EXPECT_EQ(client.ask(), R"({"error": "the snapshot failed"})");
    EXPECT_EQ(client.ask(), "{}");
}

TEST(DiagnosticsServer, AnswersAClientThatSendsNoMore) {
    Numbering scene;
    SocketClient client(scene.server.path());

    client.send("snapshot\nsnapshot\nsnap");
    client.send_no_more();

    EXPECT_EQ(client.receive(), "1");
    EXPECT_EQ(client.receive(), "2");
    EXPECT_EQ(client.receive(), std::nullopt);
}

TEST(DiagnosticsServer, DismissesAClientWhoseLineDoesNotEnd) {
    Numbering scene;
    SocketClient client(scene.server.path());

    client.send(std::string(64, 'x'));
    EXPECT_EQ(client.receive(), R"({"error": "the line is too long"})");
    while (client.send(std::string(65536, 'x'))) continue;

    EXPECT_EQ(client.receive(), std::nullopt);
    EXPECT_EQ(SocketClient(scene.server.path()).ask(), "1");
}

/// A server whose answers do not fit into what a socket holds.
struct Huge {
    PrivateFolder folder;
    int count = 0;  // as above
    Server server{folder.socket(), [this] { return ++count, std::string(std::size_t{1} << 20, '1'); }};
};

TEST(DiagnosticsServer, AClientThatDoesNotReadIsAnsweredOnceAndHoldsUpNoOther) {
    Huge scene;
    SocketClient slow(scene.server.path()), other(scene.server.path());

    slow.send("snapshot\nsnapshot\nsnapshot\n");
    EXPECT_TRUE(slow.receive_part());
    EXPECT_TRUE(other.ask());
    EXPECT_TRUE(other.ask());

    EXPECT_EQ(scene.count, 3);
}

TEST(DiagnosticsServer, AnswersAReaderThatWasSlow) {
    Huge scene;
    SocketClient slow(scene.server.path());

    slow.send("snapshot\nsnapshot\n");
    const auto first = slow.receive(), second = slow.receive();

    ASSERT_TRUE(first && second);
    EXPECT_EQ(first->size(), std::size_t{1} << 20);
    EXPECT_EQ(second->size(), std::size_t{1} << 20);
}

TEST(DiagnosticsServer, SurvivesAClientThatEndsAmidAnAnswer) {
    Huge scene;
    {
        SocketClient client(scene.server.path());
        client.send("snapshot\nsnapshot\n");
        EXPECT_TRUE(client.receive_part());
    }

    EXPECT_TRUE(SocketClient(scene.server.path()).ask());
}

TEST(DiagnosticsServer, DismissesTheClientThatIsSilentForLongestIfThereAreTooMany) {
    Numbering scene;
    std::vector<SocketClient> clients;
    for (int i = 0; i < Server::most_clients; ++i) EXPECT_TRUE(clients.emplace_back(scene.server.path()).ask());
    EXPECT_TRUE(clients[0].ask());

    SocketClient late(scene.server.path());
    EXPECT_TRUE(late.ask());

    EXPECT_EQ(clients[1].receive(), R"({"error": "too many clients: this one was silent for longest"})");
    EXPECT_EQ(clients[1].receive(), std::nullopt);
    EXPECT_TRUE(clients[0].ask());
    EXPECT_TRUE(clients[2].ask());
}

TEST(DiagnosticsServer, ServesAgainOnceThereAreDescriptors) {
    Numbering scene;
    SocketClient client(scene.server.path());
    EXPECT_EQ(client.ask(), "1");
    const int lowest = open("/dev/null", O_RDONLY | O_CLOEXEC);
    close(lowest);
    rlimit before{};
    getrlimit(RLIMIT_NOFILE, &before);
    const rlimit one_more{static_cast<rlim_t>(lowest) + 1, before.rlim_max};

    setrlimit(RLIMIT_NOFILE, &one_more);
    SocketClient next(scene.server.path());  // has the last descriptor
    EXPECT_EQ(client.ask(), "2");
    setrlimit(RLIMIT_NOFILE, &before);

    EXPECT_EQ(next.ask(), "3");
}

TEST(DiagnosticsServer, BlocksAllSignalsInItsThreadOnly) {
    const PrivateFolder folder;
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, nullptr, &before);
    const Server server(folder.socket(), [] {
        sigset_t blocked;
        pthread_sigmask(SIG_SETMASK, nullptr, &blocked);
        std::string names;
        for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGUSR1, SIGCHLD, SIGALRM})
            names += sigismember(&blocked, signal) ? '1' : '0';
        return names;
    });
    sigset_t after;
    pthread_sigmask(SIG_SETMASK, nullptr, &after);

    EXPECT_EQ(SocketClient(server.path()).ask(), "111111");
    for (const int signal : {SIGINT, SIGTERM, SIGPIPE, SIGUSR1})
        EXPECT_EQ(sigismember(&before, signal), sigismember(&after, signal));
}

TEST(DiagnosticsServer, StopsWhileClientsAreConnectedAndRemovesItsSocket) {
    Numbering scene;
    SocketClient silent(scene.server.path()), asked(scene.server.path());
    EXPECT_EQ(asked.ask(), "1");

    scene.server.stop();
    scene.server.stop();

    EXPECT_EQ(asked.receive(), std::nullopt);
    EXPECT_FALSE(std::filesystem::exists(scene.server.path()));
    EXPECT_EQ(SocketClient(scene.server.path()).error(), ENOENT);
}

TEST(DiagnosticsServer, LeavesNoDescriptorBehind) {
    const auto sockets = [] { return futon::test::descriptors_of("socket:").size(); };
    const std::size_t before = sockets();
    {
        Numbering scene;
        SocketClient client(scene.server.path());
        EXPECT_EQ(client.ask(), "1");
        EXPECT_GT(sockets(), before);
    }

    EXPECT_EQ(sockets(), before);
}

TEST(DiagnosticsServer, ANewOneMayServeWhereOneHasEnded) {
    const PrivateFolder folder;
    for (const char* answer : {"first", "second"}) {
        const Server server(folder.socket(), [=] { return std::string(answer); });
        EXPECT_EQ(SocketClient(server.path()).ask(), answer);
    }
}

TEST(DiagnosticsServer, TheChildOfAForkHasNoServerAndLeavesItToTheParent) {
    if (futon::test::inherits_sanitizers_locks) GTEST_SKIP() << "a child may inherit the sanitizer's lock";
    Numbering scene;
    SocketClient client(scene.server.path());
    EXPECT_EQ(client.ask(), "1");

    const std::string wrong = futon::test::wrong_in_child([&](futon::test::Claims& claim) {
        claim(futon::test::descriptors_of("socket:").size() == 1, "it has the socket of the client alone");
        scene.server.stop();
        claim(std::filesystem::exists(scene.server.path()), "the socket is still there");
        const pid_t grandchild = fork();
        if (grandchild == 0) _exit(futon::test::descriptors_of("socket:").size() == 1 ? 0 : 1);
        int status = 0;
        waitpid(grandchild, &status, 0);
        claim(status == 0, "a grandchild closes nothing that is not its own");
    });

    EXPECT_EQ(wrong, "");
    EXPECT_EQ(client.ask(), "2");
}

TEST(DiagnosticsServer, StopsWhileAChildLives) {
    if (futon::test::inherits_sanitizers_locks) GTEST_SKIP() << "a child may inherit the sanitizer's lock";
    Numbering scene;
    EXPECT_EQ(SocketClient(scene.server.path()).ask(), "1");
    std::array<int, 2> ends{};
    ASSERT_EQ(pipe(ends.data()), 0);
    futon::test::Child child([&](futon::test::Claims&) {
        close(ends[1]);
        char byte = 0;
        static_cast<void>(!read(ends[0], &byte, 1));  // until the parent closes its end
    });
    close(ends[0]);

    scene.server.stop();
    EXPECT_EQ(SocketClient(scene.server.path()).error(), ENOENT);

    close(ends[1]);
    EXPECT_EQ(child.wrong(), "");
}

#ifdef __linux__
TEST(DiagnosticsServer, RefusesAnotherUserThatReachesItsSocket) {
    if (geteuid() != 0) GTEST_SKIP() << "only root can become another user";
    Numbering scene;
    ASSERT_EQ(chmod(scene.folder.path().c_str(), 0755), 0);
    ASSERT_EQ(chmod(scene.server.path().c_str(), 0666), 0);
    std::optional<std::string> answer = "none yet";
    int error = -1;

    std::thread other([&] {
        if (syscall(SYS_setresuid, -1, 65534, -1) != 0) return;  // this thread alone
        SocketClient client(scene.server.path());
        error = client.error();
        answer = client.ask();
    });
    other.join();

    EXPECT_EQ(error, 0);
    EXPECT_EQ(answer, std::nullopt);
    EXPECT_EQ(SocketClient(scene.server.path()).ask(), "1");
}
#endif

}  // namespace
