// SPDX-License-Identifier: MIT
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <thread>
#include <utility>

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
    if (std::getenv("FUTON_TEST_DEADLOCKS") != nullptr) lock.lock();
    if (const char* const path = std::getenv("FUTON_TEST_DUMP")) {
        futon::diagnostics::on_signal(SIGUSR1, path);
        kill(getpid(), SIGUSR1);
        // The thread that dumps says that it cannot; only its words tell that it has tried.
        while (lseek(STDERR_FILENO, 0, SEEK_END) == 0) std::this_thread::yield();
    }
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
    const Ended ended = run("FUTON_TEST_DEADLOCKS=1 FUTON_DIAGNOSTICS_RESPONSE=abort");

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

    const Ended ended = run("FUTON_TEST_DEADLOCKS=1 FUTON_DIAGNOSTICS_RESPONSE=abort FUTON_DIAGNOSTICS_TRACE=" + path);

    std::ifstream file(path);
    const std::string text(std::istreambuf_iterator<char>(file), {});
    EXPECT_NE(ended.status, 0);
    EXPECT_NE(ended.errors.find("futon: a deadlock"), std::string::npos) << ended.errors;
    EXPECT_NE(text.find(R"("cat":"waiting","name":"of the child")"), std::string::npos) << text;
    EXPECT_NE(text.find(R"("answer":"goes on")"), std::string::npos) << text;
    std::remove(path.c_str());
}

TEST(Environment, WhatItAsksForInVainIsSaidAndTheProgramGoesOn) {
    const std::string nowhere = "/" + std::string(200, 'n');
    const std::pair<std::string, std::string> all[] = {
        {"FUTON_DIAGNOSTICS_TRACE=/nowhere/at/all", "FUTON_DIAGNOSTICS_TRACE: .*cannot write /nowhere/at/all"},
        {"FUTON_DIAGNOSTICS_TRACE=/nowhere/at/all.html",
         "FUTON_DIAGNOSTICS_TRACE: .*cannot write /nowhere/at/all.html"},
        {"FUTON_DIAGNOSTICS_TRACE=/dev/full", "FUTON_DIAGNOSTICS_TRACE: .*cannot write /dev/full: No space left"},
        {"FUTON_DIAGNOSTICS_SIGNAL=USR1", "FUTON_DIAGNOSTICS_SIGNAL: 'USR1' is not the number of a signal"},
        {"FUTON_DIAGNOSTICS_SIGNAL=10x", "FUTON_DIAGNOSTICS_SIGNAL: '10x' is not the number of a signal"},
        {"FUTON_DIAGNOSTICS_SIGNAL=4711", "FUTON_DIAGNOSTICS_SIGNAL: .*there is no signal 4711"},
        {"FUTON_DIAGNOSTICS_SIGNAL=9", "FUTON_DIAGNOSTICS_SIGNAL: .*signal 9 cannot be caught"},
        {"FUTON_DIAGNOSTICS_RESPONSE=faint", "FUTON_DIAGNOSTICS_RESPONSE: 'faint' is none of print, throw and abort"},
        {"FUTON_DIAGNOSTICS_SERVE=yes", "FUTON_DIAGNOSTICS_SERVE: 'yes' is neither 0 nor 1"},
        {"FUTON_DIAGNOSTICS_SERVE=1 XDG_RUNTIME_DIR=" + nowhere,
         "FUTON_DIAGNOSTICS_SERVE: .*the path of the socket has 2"},
        {"FUTON_DIAGNOSTICS_SERVE=1 XDG_RUNTIME_DIR=/nowhere/at/all",
         "FUTON_DIAGNOSTICS_SERVE: .*cannot make the folder"},
        {"FUTON_TEST_DUMP=/dev/full", "futon: the dump cannot be written to /dev/full: No space left"},
    };
    for (const auto& [variables, sentence] : all) {
        const Ended ended = run(variables);

        EXPECT_EQ(ended.status, 0) << variables << ": the program goes on\n" << ended.errors;
        EXPECT_TRUE(std::regex_search(ended.errors, std::regex(sentence))) << variables << '\n' << ended.errors;
    }
}

}  // namespace
