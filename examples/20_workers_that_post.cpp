// SPDX-License-Identifier: MIT
//
// Shutting down, first order: workers that post to a loop. The loop is declared first, since they need it to the end; so
// it still lives while they are joined. `close` takes it out of all queues: from then on no lock and no wake-up goes to a
// loop that runs no more, and what the workers post until their end still runs.
//
// Prints:
//     the window was closed while 3 workers were busy
//     the redraw that waited for the lock: ended
//     results that arrived after that:     3 of 3

#include <cstdio>
#include <mutex>
#include <stop_token>
#include <thread>
#include <vector>

#include <futon/futon.hpp>

namespace {

/// A document that workers change, and a window shows.
struct Document {
    futon::AsyncLock lock;
    int changes = 0;
};

/// Changes the document until it is told to stop; then posts what became of it.
void work(std::stop_token stop, Document& document, futon::EventLoop& window, int& results) {
    while (!stop.stop_requested()) {
        const std::scoped_lock hold(document.lock);
        ++document.changes;
    }
    const std::scoped_lock last(document.lock);  // is not stuck behind the window
    window.post([&results] { ++results; });
}

struct SetsFlag {
    bool& flag;
    ~SetsFlag() { flag = true; }
};

/// Redraws for ever: waits for the lock, as the workers do, and never blocks the window's thread.
futon::Promise<void> redraw(Document& document, int& frames, bool& has_ended) {
    const SetsFlag at_end{has_ended};
    while (true) {
        const futon::AsyncLock::Guard guard = co_await document.lock.scoped_lock_async();
        ++frames;
    }
}

}  // namespace

int main() {
    constexpr int workers = 3;
    Document document;
    int frames = 0;
    int results = 0;
    bool redraw_has_ended = false;
    {
        futon::EventLoop window;
        std::vector<std::jthread> threads;  // end before the window does: they post to it
        for (int i = 0; i < workers; ++i)
            threads.emplace_back([&](std::stop_token stop) { work(stop, document, window, results); });
        static_cast<void>(redraw(document, frames, redraw_has_ended));

        window.post_after(std::chrono::milliseconds(20), [&] { window.stop(); });  // the user closes the window
        window.run();
        std::printf("the window was closed while %d workers were busy\n", workers);

        window.close();   // leaves the queue of the lock; a lock that was on its way here goes to a worker
        threads.clear();  // asks each to stop, and joins it
        window.run();     // what they posted until then
    }
    std::printf("the redraw that waited for the lock: %s\n", redraw_has_ended ? "ended" : "STILL WAITING");
    std::printf("results that arrived after that:     %d of %d\n", results, workers);
    return redraw_has_ended && results == workers && document.changes > 0 ? 0 : 1;
}
