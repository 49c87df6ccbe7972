// SPDX-License-Identifier: MIT
// Who holds what, and who waits: the same program with futon::futon, which sees nothing, and with futon::diagnostics.
#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

#include <chrono>
#include <iostream>
#include <mutex>
#include <sstream>
#include <string>
#include <thread>

namespace {

bool is_right = true;

void expect(bool holds, const char* what) {
    if (holds || !futon::diagnostics::is_on) return;
    std::cerr << "wrong: " << what << '\n';
    is_right = false;
}

void transfer(futon::AsyncLock& from, futon::AsyncLock& to) {
    const std::scoped_lock first(from);
    const std::scoped_lock second(to);  // another caller may hold it, and want `from`
}

}  // namespace

int main(int, char** arguments) {
    using namespace std::chrono_literals;

    // What lasts too long is reported, and all is recorded for a timeline.
    futon::diagnostics::watch({.hold = 10s, .wait = 5s, .job = 50ms});
    futon::diagnostics::trace();

    // A name says which of many a lock is.
    futon::AsyncLock accounts, log;
    futon::name(accounts, "accounts");
    futon::name(log, "log");

    // Two orders of locking: reported, though nothing hangs here.
    std::string order;
    futon::diagnostics::respond([&](const futon::diagnostics::Report& report) { order = report.text; });
    std::thread([&] { transfer(accounts, log); }).join();
    std::thread([&] { transfer(log, accounts); }).join();
    expect(order.find("orders of locking that may deadlock") != std::string::npos, "the two orders are reported");
    std::cout << order << '\n';

    // A deadlock: thrown by the wait that closes it, if that is asked for.
    futon::diagnostics::respond(futon::diagnostics::Response::throw_from_wait);
    const std::scoped_lock hold(accounts);
    if (futon::diagnostics::is_on) {
        try {
            accounts.lock();
        } catch (const futon::diagnostics::DeadlockFound& found) {
            std::cout << found.what() << '\n';
        }
    }

    // At any time: who holds what. on_signal writes the same for a process that is stuck.
    std::ostringstream out;
    futon::diagnostics::dump(out);
    std::cout << out.str();
    expect(out.str().find("AsyncLock \"accounts\"") != std::string::npos, "the dump shows what is held");

    const std::string path = arguments[0];
    futon::diagnostics::write_trace(path + ".trace.json");  // opens in ui.perfetto.dev
    futon::diagnostics::write_timeline(path + ".html");     // opens in a browser, from disk
    return is_right ? 0 : 1;
}
