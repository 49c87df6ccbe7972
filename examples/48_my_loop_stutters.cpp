// SPDX-License-Identifier: MIT
//
// "My loop stutters": a loop draws a frame every 10 ms, and makes an index of a document. Run with --fault it makes the index in one
// job, until that has been reported; without, page by page.
//
// Prints:
//     the index has 20 pages, and frames were drawn while it was made

#include <atomic>
#include <chrono>
#include <iostream>
#include <string_view>

#include <futon/diagnostics.hpp>
#include <futon/futon.hpp>

using namespace std::chrono_literals;

namespace {

constexpr int pages = 20;
std::atomic<int> reports = 0;

struct Document {
    futon::AsyncLock lock;
    int frames = 0;
    int indexed = 0;

    Document() { futon::name(lock, "document"); }
};

/// Stands for work.
void compute(std::chrono::milliseconds length) {
    const auto end = std::chrono::steady_clock::now() + length;
    while (std::chrono::steady_clock::now() < end) continue;
}

void draw_frame(Document& document) {
    compute(2ms);
    ++document.frames;
}

void index_page(Document& document) {
    compute(5ms);
    ++document.indexed;
}

futon::Promise<void> draw_frames(Document& document, const bool& is_over) {
    while (!is_over) {
        {
            const auto hold = co_await document.lock.scoped_lock_async();
            draw_frame(document);
        }
        co_await futon::sleep_for(10ms);
    }
}

/// All pages in one job: nothing else runs on the loop meanwhile.
futon::Promise<void> index_at_once(Document& document) {
    const auto hold = co_await document.lock.scoped_lock_async();
    for (int page = 0; page < pages; ++page) index_page(document);
}

/// A page, then the loop's other jobs, then the next page.
futon::Promise<void> index_in_parts(Document& document) {
    for (int page = 0; page < pages; ++page) {
        {
            const auto hold = co_await document.lock.scoped_lock_async();
            index_page(document);
        }  // a frame need not wait for the next page
        co_await futon::sleep_for(1ns);
    }
}

futon::Promise<void> run(Document& document, bool is_faulty) {
    bool is_over = false;
    const auto frames = draw_frames(document, is_over);
    if (is_faulty) {
        while (reports == 0) {
            co_await futon::sleep_for(30ms);
            co_await index_at_once(document);
        }
    } else {
        co_await index_in_parts(document);
    }
    is_over = true;
    co_await frames;
}

}  // namespace

int main(int count, char** arguments) {
    const bool is_faulty = count > 1 && std::string_view(arguments[1]) == "--fault";
    if (is_faulty && !futon::diagnostics::is_on) return 77;  // nothing would be reported

    // A job of the loop that runs for longer than 50 ms is reported.
    futon::diagnostics::watch({.job = 50ms});
    futon::diagnostics::respond([](const futon::diagnostics::Report& report) {
        std::cerr << "futon: " << report.text << '\n';
        ++reports;
    });

    futon::EventLoop loop;
    Document document;
    loop.run_until(run(document, is_faulty));
    if (is_faulty) return 0;
    std::cout << "the index has " << document.indexed << " pages, and "
              << (document.frames > 1 ? "frames were" : "no frame was") << " drawn while it was made\n";
    return document.indexed == pages && document.frames > 1 ? 0 : 1;
}
