// SPDX-License-Identifier: MIT
// The semaphores of ../semaphore.hpp and ../fair_semaphore.hpp in every schedule: blocked threads, one with a deadline, and
// a select.
#include <cstdio>
#include <cstdlib>
#include <functional>

#include <futon/core/driver/block.hpp>
#include <futon/explorer.hpp>
#include <futon/select.hpp>

#include "../fair_semaphore.hpp"
#include "../semaphore.hpp"

namespace explorer = futon::explorer;
using example::FairSemaphore;
using example::Semaphore;
using futon::core::block;

namespace {

/// Two of two permits are asked for while one is there, with a deadline that may come first. What comes after it must be
/// served in either case.
void a_big_request_may_give_up() {
    FairSemaphore semaphore(1);
    explorer::spawn("big", [&] { (void)block(semaphore.acquiring(2), std::chrono::milliseconds(1)); });
    explorer::spawn("small", [&] { (void)block(semaphore.acquiring(1)); });
    explorer::join();
    explorer::check(semaphore.available() == 1, "no permit is lost");
}

void a_release_serves_both() {
    FairSemaphore semaphore(0);
    explorer::spawn("two", [&] { block(semaphore.acquiring(2)).release(); });
    explorer::spawn("one", [&] { block(semaphore.acquiring(1)).release(); });
    explorer::spawn("releaser", [&] {
        semaphore.release(1);
        semaphore.release(2);
    });
    explorer::join();
    explorer::check(semaphore.available() == 0, "each has got its permits once");
}

/// A select takes a permit of one semaphore or of the other; the thread that asks for the rest gets it.
void a_select_loses_nothing() {
    FairSemaphore left;
    FairSemaphore right;
    explorer::spawn("select", [&] { static_cast<void>(futon::select(left.acquiring(1), right.acquiring(1))); });
    explorer::spawn("releaser", [&] {
        left.release();
        right.release();
    });
    explorer::spawn("other", [&] { (void)block(left.acquiring(1)); });
    explorer::join();
    explorer::check(left.available() == 1 && right.available() == 1, "no permit is lost");
}

/// The wake-up of one that gives up goes to the next.
void a_plain_semaphore_loses_no_permit() {
    Semaphore semaphore(0);
    Semaphore other(0);
    explorer::spawn("impatient", [&] { (void)block(semaphore.acquiring(), std::chrono::milliseconds(1)); });
    explorer::spawn("select", [&] { static_cast<void>(futon::select(semaphore.acquiring(), other.acquiring())); });
    explorer::spawn("releaser", [&] { semaphore.release(); });
    explorer::join();
    explorer::check(semaphore.try_acquire() && !semaphore.try_acquire(), "no permit is lost, none is made");
}

bool holds(const char* name, const explorer::Options& options, const std::function<void()>& program) {
    const explorer::Report report = explorer::explore(options, program);
    std::printf("%s: %llu schedules%s\n", name, static_cast<unsigned long long>(report.schedules),
                report.is_exhausted ? ", which are all within the bound" : "");
    if (!report.failure.empty())
        std::printf("%s\n%sschedule %s\n", report.failure.c_str(), report.trace.c_str(), report.schedule.c_str());
    return report.is_exhausted && report.failure.empty();
}

}  // namespace

int main() {
    // An arbiter has many schedules: of those with up to two preemptions all are tried.
    const explorer::Options two{.preemptions = 2};
    const bool is_right = holds("a big request may give up", two, a_big_request_may_give_up) &&
                          holds("a release serves both", two, a_release_serves_both) &&
                          holds("a select loses nothing", two, a_select_loses_nothing) &&
                          holds("a plain semaphore loses no permit", {}, a_plain_semaphore_loses_no_permit);
    return is_right ? EXIT_SUCCESS : EXIT_FAILURE;
}
