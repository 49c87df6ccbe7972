// SPDX-License-Identifier: MIT
//
// "My event loop freezes", from the bug to its end, in four steps: a mutex on the loop's thread freezes it; futon's lock refuses to;
// a function that is called with the lock does not; a coroutine reads like the first.
//
// The window draws a frame each millisecond. A worker holds the document until the window has drawn five frames meanwhile, which a
// frozen window never does.
//
// Prints:
//     step 1: frames while it waited for a std::mutex:  0
//     step 2: lock() on the loop's thread:              refused
//     step 3: frames while execute_locked waited:       5 or more
//     step 4: frames while the coroutine waited:        5 or more

#include <atomic>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <string>
#include <thread>

#include <futon/futon.hpp>

using namespace std::chrono_literals;

namespace {

/// A window that draws a frame each millisecond, as long as its thread is not blocked.
class Window {
public:
    explicit Window(futon::EventLoop& loop) : loop_(loop) { draw(); }
    ~Window() { next_.cancel(); }
    Window(const Window&) = delete;
    Window& operator=(const Window&) = delete;

    std::atomic<int> frames{0};

private:
    void draw() {
        ++frames;
        futon::notify(frames);
        next_ = loop_.post_after(1ms, [this] { draw(); });
    }

    futon::EventLoop& loop_;
    futon::TimerHandle next_;
};

struct Document {
    futon::AsyncLock lock;
    std::string text;
};

void wait_until_at_least(std::atomic<int>& word, int value) {
    for (int now = word; now < value; now = word) futon::wait(word, now);
}

/// Holds the document until the window has drawn five frames more.
void save(Document& document, std::atomic<int>& frames, std::atomic<bool>& is_saving) {
    const std::scoped_lock hold(document.lock);
    const int before = frames;
    is_saving = true;
    futon::notify(is_saving);
    wait_until_at_least(frames, before + 5);
    document.text += "saved";
}

/// Step 1: the loop's thread blocks. Nothing is drawn until the worker is done.
int freeze(Window& window) {
    std::mutex mutex;
    std::atomic<bool> is_held = false;
    std::thread worker([&] {
        const std::scoped_lock hold(mutex);
        is_held = true;
        futon::notify(is_held);
        std::this_thread::sleep_for(10ms);  // it computes
    });
    while (!is_held) std::this_thread::yield();
    const int before = window.frames;
    {
        const std::scoped_lock hold(mutex);  // the window is frozen here
    }
    worker.join();
    return window.frames - before;
}

/// Step 2: futon's lock throws before it blocks a thread that must not be.
bool is_refused(Document& document) {
    try {
        document.lock.lock();
        document.lock.unlock();
        return false;
    } catch (const futon::BlockingForbidden&) {
        return true;
    }
}

/// Step 3: the loop says what is to be done with the lock, and goes on.
futon::Promise<void> append_later(Document& document) {
    return document.lock.execute_locked([&document] { document.text += ", and read"; });
}

/// Step 4: the same as a coroutine: it reads from the top to the bottom, and the loop runs while it waits.
futon::Promise<void> append(Document& document) {
    const auto hold = co_await document.lock.scoped_lock_async();
    document.text += ", and read again";
}

/// Runs the loop until `f`'s promise has settled, while a worker saves the document. Returns how many frames were drawn.
int frames_during(futon::Promise<void> (*f)(Document&), futon::EventLoop& loop, Window& window, Document& document) {
    std::atomic<bool> is_saving = false;
    std::thread worker([&] { save(document, window.frames, is_saving); });
    while (!is_saving) std::this_thread::yield();
    const int before = window.frames;
    loop.run_until(f(document));
    worker.join();  // it has unlocked
    return window.frames - before;
}

}  // namespace

int main() {
    futon::EventLoop loop;  // this thread must not block
    Window window(loop);
    Document document;

    const int frozen = freeze(window);
    std::printf("step 1: frames while it waited for a std::mutex:  %d\n", frozen);
    const bool refused = is_refused(document);
    std::printf("step 2: lock() on the loop's thread:              %s\n", refused ? "refused" : "IT BLOCKED");
    const int with_function = frames_during(append_later, loop, window, document);
    std::printf("step 3: frames while execute_locked waited:       %s\n", with_function >= 5 ? "5 or more" : "TOO FEW");
    const int with_coroutine = frames_during(append, loop, window, document);
    std::printf("step 4: frames while the coroutine waited:        %s\n",
                with_coroutine >= 5 ? "5 or more" : "TOO FEW");

    const bool is_whole = document.text == "saved, and readsaved, and read again";
    return frozen == 0 && refused && with_function >= 5 && with_coroutine >= 5 && is_whole ? 0 : 1;
}
