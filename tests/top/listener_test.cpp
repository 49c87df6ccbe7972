// SPDX-License-Identifier: MIT
#include "diagnostics/listener.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <string>
#include <system_error>

#include "diagnostics/socket_path.hpp"
#include "server_scene.hpp"

namespace {

using futon::diagnostics::detail::Listener;
using futon::diagnostics::detail::socket_path;
using futon::test::mode_of;
using futon::test::PrivateFolder;
using futon::test::SocketClient;

/// That there can be no listener there, with this code and this part of the text.
void expect_refused(const std::string& path, std::errc code, const std::string& part) {
    try {
        const Listener listener(path);
        ADD_FAILURE() << "it listens at " << path;
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), code) << error.what();
        EXPECT_NE(std::string(error.what()).find("futon::diagnostics::serve: "), std::string::npos) << error.what();
        EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
    }
}

TEST(SocketPath, IsInTheRuntimeFolderOfTheUser) {
    EXPECT_EQ(socket_path("/run/user/1000", 1000, 42), "/run/user/1000/futon-42.sock");
}

TEST(SocketPath, IsInAFolderOfTheUserWithoutARuntimeFolder) {
    EXPECT_EQ(socket_path("", 1000, 42), "/tmp/futon-1000/42.sock");
    EXPECT_EQ(socket_path("relative", 1000, 42), "/tmp/futon-1000/42.sock");
}

TEST(DiagnosticsListener, MakesTheFolderAndTheSocketForTheUserAlone) {
    const PrivateFolder folder;
    const std::string inner = folder.path() + "/inner";
    const mode_t before = umask(0);

    const Listener listener(inner + "/a.sock");

    umask(before);
    EXPECT_EQ(mode_of(inner), 0700u);
    EXPECT_EQ(mode_of(inner + "/a.sock"), 0600u);
}

TEST(DiagnosticsListener, RefusesAPathThatIsTooLong) {
    const PrivateFolder folder;
    expect_refused(folder.path() + "/" + std::string(108, 'x'), std::errc::filename_too_long,
                   "bytes, and may have 107");
}

TEST(DiagnosticsListener, RefusesAPathThatIsNotAbsolute) {
    expect_refused("a.sock", std::errc::invalid_argument, "not absolute");
}

TEST(DiagnosticsListener, RefusesAFolderThatCannotBeMade) {
    const PrivateFolder folder;
    expect_refused(folder.path() + "/none/either/a.sock", std::errc::no_such_file_or_directory,
                   "cannot make the folder");
}

TEST(DiagnosticsListener, RefusesAFolderThatOthersMayEnter) {
    const PrivateFolder folder;
    ASSERT_EQ(chmod(folder.path().c_str(), 0750), 0);
    expect_refused(folder.socket(), std::errc::permission_denied, "give it the mode 0700");
}

TEST(DiagnosticsListener, RefusesAFolderOfAnotherUser) {
    const PrivateFolder folder;
    if (geteuid() != 0)
        return expect_refused("/futon-test.sock", std::errc::permission_denied, "belongs to another user");
    ASSERT_EQ(chown(folder.path().c_str(), 65534, 65534), 0);
    expect_refused(folder.socket(), std::errc::permission_denied, "belongs to another user, with the number 65534");
}

TEST(DiagnosticsListener, RefusesASymbolicLinkToAFolder) {
    const PrivateFolder folder, other;
    std::filesystem::create_directory_symlink(other.path(), folder.path() + "/link");
    expect_refused(folder.path() + "/link/a.sock", std::errc::permission_denied, "is a symbolic link");
}

TEST(DiagnosticsListener, RefusesAFileInPlaceOfTheFolder) {
    const PrivateFolder folder;
    std::ofstream(folder.path() + "/file") << "text";
    expect_refused(folder.path() + "/file/a.sock", std::errc::not_a_directory, "is not a folder");
}

TEST(DiagnosticsListener, RefusesAPathWhereAServerListens) {
    const PrivateFolder folder;
    const Listener first(folder.socket());

    expect_refused(folder.socket(), std::errc::address_in_use, "another server listens");

    EXPECT_EQ(SocketClient(folder.socket()).error(), 0);
}

TEST(DiagnosticsListener, RefusesAPathWhereABusyServerListens) {
    const PrivateFolder folder;
    const futon::diagnostics::detail::Descriptor busy(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    const sockaddr_un address = futon::test::address_of(folder.socket());
    ASSERT_EQ(bind(busy.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ASSERT_EQ(listen(busy.number(), 0), 0);
    const SocketClient waiting(folder.socket());  // takes the one place

    expect_refused(folder.socket(), std::errc::address_in_use, "another server listens");
}

TEST(DiagnosticsListener, KeepsAFileThatIsNoSocket) {
    const PrivateFolder folder;
    std::ofstream(folder.socket()) << "text";

    expect_refused(folder.socket(), std::errc::file_exists, "is not a socket");

    EXPECT_TRUE(std::filesystem::is_regular_file(folder.socket()));
}

TEST(DiagnosticsListener, ReplacesTheSocketOfAServerThatHasEnded) {
    const PrivateFolder folder;
    {
        const futon::diagnostics::detail::Descriptor ended(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
        const sockaddr_un address = futon::test::address_of(folder.socket());
        ASSERT_EQ(bind(ended.number(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
        ASSERT_EQ(listen(ended.number(), 1), 0);
    }
    EXPECT_EQ(SocketClient(folder.socket()).error(), ECONNREFUSED);

    const Listener listener(folder.socket());

    EXPECT_EQ(SocketClient(folder.socket()).error(), 0);
}

TEST(DiagnosticsListener, LeavesTheSocketOfAnotherServerThatTookItsPlace) {
    const PrivateFolder folder;
    Listener first(folder.socket());
    ASSERT_EQ(unlink(folder.socket().c_str()), 0);
    const Listener second(folder.socket());

    first.remove();

    EXPECT_EQ(SocketClient(folder.socket()).error(), 0);
}

}  // namespace
