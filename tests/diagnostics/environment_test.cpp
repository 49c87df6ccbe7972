// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <gtest/gtest.h>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

// The program starts itself again, with variables of the environment.
namespace {

using futon::AsyncLock;

/// What such a program does: run as a test that is skipped otherwise.
TEST(Environment, AsAProgramOfItsOwn) {
    if (std::getenv("FUTON_TEST_IS_CHILD") == nullptr) GTEST_SKIP() << "run by the other tests";
    AsyncLock lock;
    futon::name(lock, "of the child");
    lock.lock();
    if (std::getenv("FUTON_DIAGNOSTICS_RESPONSE") != nullptr) lock.lock();
    if (std::getenv("FUTON_DIAGNOSTICS_SIGNAL") != nullptr) kill(getpid(), SIGUSR1);
    lock.unlock();
}

struct Ended {
    int status = 0;
    std::string errors;
};

Ended run(const std::string& variables) {
    const std::string errors = testing::TempDir() + "futon_errors_" + std::to_string(getpid());
    char path[4096] = {};
    if (readlink("/proc/self/exe", path, sizeof(path) - 1) < 0) return {-1, "no path"};
    const std::string command = "FUTON_TEST_IS_CHILD=1 " + variables + " '" + path +
                                "' --gtest_filter=Environment.AsAProgramOfItsOwn >/dev/null 2>" + errors;
    Ended ended;
    ended.status = std::system(command.c_str());
    std::ifstream file(errors);
    ended.errors.assign(std::istreambuf_iterator<char>(file), {});
    std::remove(errors.c_str());
    return ended;
}

TEST(Environment, AsksForAnAbort) {
    const Ended ended = run("FUTON_DIAGNOSTICS_RESPONSE=abort");

    EXPECT_NE(ended.status, 0);
    EXPECT_NE(ended.errors.find("futon: a deadlock: a caller waits for what it holds itself"), std::string::npos)
        << ended.errors;
}

TEST(Environment, AsksForATrace) {
    const std::string path = testing::TempDir() + "futon_child_trace_" + std::to_string(getpid());

    const Ended ended = run("FUTON_DIAGNOSTICS_TRACE=" + path);

    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    EXPECT_EQ(ended.status, 0) << ended.errors;
    EXPECT_NE(text.find(R"("cat":"held","name":"of the child")"), std::string::npos) << text;
    std::remove(path.c_str());
}

TEST(Environment, ATraceIsWrittenBeforeAnAbort) {
    const std::string path = testing::TempDir() + "futon_aborted_trace_" + std::to_string(getpid());

    const Ended ended = run("FUTON_DIAGNOSTICS_RESPONSE=abort FUTON_DIAGNOSTICS_TRACE=" + path);

    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(ended.status, 0);
    EXPECT_NE(ended.errors.find("futon: a deadlock"), std::string::npos) << ended.errors;
    EXPECT_NE(text.find(R"("cat":"waiting","name":"of the child")"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("answer":"goes on")"), std::string::npos) << text;
    std::remove(path.c_str());
}

TEST(Environment, WhatItAsksForInVainIsSaid) {
    const Ended ended = run("FUTON_DIAGNOSTICS_TRACE=/nowhere/at/all");

    EXPECT_EQ(ended.status, 0) << "the program goes on";
    EXPECT_NE(ended.errors.find("FUTON_DIAGNOSTICS_TRACE: "), std::string::npos) << ended.errors;
}

}  // namespace
