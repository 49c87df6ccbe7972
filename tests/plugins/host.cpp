// SPDX-License-Identifier: MIT
//
// host [--at-once] PLUGIN...: loads the plugins, each for itself alone, and has every copy of the library that there is then,
// its own too if it has one, wait for every other. A plugin that gives no copy is just loaded.

#include <barrier>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "copy.hpp"

namespace {

#ifdef HOST_HAS_COPY
constexpr bool has_own_copy = true;
#else
constexpr bool has_own_copy = false;  // what the first plugin has is used by the others, maybe
#endif

using Copies = std::vector<const Copy*>;

void check(bool holds, const char* claim) {
    if (holds) return;
    std::fprintf(stderr, "not so: %s\n", claim);
    std::_Exit(1);
}

void until_one_waits(const Copy& copy, const void* address) {
    while (copy.count(address) != 1) std::this_thread::yield();
}

void thread_waits(const Copy& waiter, const Copy& waker) {
    std::atomic<int> word{0};
    bool was_woken = false;
    std::jthread thread([&] { was_woken = waiter.wait(word); });
    until_one_waits(waker, &word);
    word = 1;
    check(waker.notify(word) == 1, "a notify through one copy wakes a thread that waits through another");
    thread.join();
    check(was_woken, "the thread was woken");
}

void lock_is_shared(const Copy& first, const Copy& second) {
    alignas(4) std::uint32_t lock = 0;
    int holders = 0;
    first.lock(&lock);
    ++holders;
    std::jthread thread([&] {
        second.lock(&lock);
        check(++holders == 1, "one thread has the lock");
        second.unlock(&lock);
    });
    until_one_waits(first, &lock);
    --holders;
    first.unlock(&lock);
    thread.join();
    check(holders == 1, "the lock goes from a thread of one copy to that of another");
}

struct LoopScene {
    const Copy& owner;
    const Copy& waiter;
    std::atomic<int> word{0};
    int wake_ups = 0;
    void* coroutine = nullptr;

    static void begin(void* context) {
        auto& scene = *static_cast<LoopScene*>(context);
        check(scene.owner.agent() != nullptr, "the loop's thread has an agent");
        check(scene.waiter.agent() == scene.owner.agent(), "all copies see one agent of a thread");
        check(scene.waiter.blocking_is_refused(scene.word), "a wait through another copy does not block a loop");
        scene.coroutine = scene.waiter.wait_in_coroutine(scene.word, scene.wake_ups);
    }
    static void end(void* context) {
        auto& scene = *static_cast<LoopScene*>(context);
        scene.waiter.end_coroutine(scene.coroutine);
    }
    void run() { owner.run_loop(begin, end, this); }
};

void coroutine_waits(const Copy& owner, const Copy& waiter, const Copy& waker) {
    LoopScene scene{owner, waiter};
    std::jthread thread([&] {
        until_one_waits(waker, &scene.word);
        check(waker.agent() == nullptr, "another thread has no agent");
        scene.word = 1;
        check(waker.notify(scene.word) == 1, "a notify through one copy wakes a coroutine that waits through another");
    });
    scene.run();
    check(scene.wake_ups == 1, "the coroutine was woken on a loop of another copy");
}

void all_meet(const Copies& copies) {
    for (const Copy* one : copies)
        for (const Copy* other : copies) {
            if (one->library() == other->library())
                check(one->rules() == other->rules(),
                      "the rules that the keeper asks are the library's, not a plugin's");
            thread_waits(*one, *other);
            lock_is_shared(*one, *other);
            coroutine_waits(*one, *other, *one);
            coroutine_waits(*one, *one, *other);
        }
}

template <class Body>
void in_child(Body body) {
    const pid_t child = fork();
    check(child >= 0, "the process forks");
    if (child == 0) {
        body();
        std::_Exit(0);
    }
    int status = 0;
    check(waitpid(child, &status, 0) == child && status == 0, "the child does as the parent does");
}

void children_begin_anew(const Copies& copies) {
    std::atomic<int> word{0};
    std::jthread thread([&] { copies.front()->wait(word); });
    until_one_waits(*copies.back(), &word);
    for (const Copy* owner : copies)
        for (const Copy* waiter : copies)
            in_child([&] {
                check(owner->agent() == nullptr && waiter->agent() == nullptr, "the thread of a child has no agent");
                check(waiter->count(&word) == 0, "the queues of a child are empty");
                struct Scene : LoopScene {
                    static void wake(void* context) {
                        begin(context);
                        auto& scene = *static_cast<Scene*>(static_cast<LoopScene*>(context));
                        scene.word = 1;
                        check(scene.owner.notify(scene.word) == 1, "copies meet in a child");
                    }
                } scene{{*owner, *waiter}};
                owner->run_loop(Scene::wake, LoopScene::end, static_cast<LoopScene*>(&scene));
                check(scene.wake_ups == 1, "a coroutine is woken in a child");
            });
    copies.front()->notify(word);
}

void* load(const char* plugin) {
    void* handle = dlopen(plugin, RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) std::fprintf(stderr, "%s\n", dlerror());
    check(handle != nullptr, "the plugin is loaded");
    return handle;
}

const Copy* copy_of(void* handle) {
    const auto get = reinterpret_cast<decltype(&futon_test_copy)>(dlsym(handle, "futon_test_copy"));
    return get != nullptr ? get() : nullptr;
}

Copies copies_of(const std::vector<void*>& handles) {
    Copies copies;
#ifdef HOST_HAS_COPY
    copies.push_back(futon_test_copy());
#endif
    for (void* handle : handles)
        if (const Copy* copy = copy_of(handle)) copies.push_back(copy);
    return copies;
}

void load_one_after_another(const std::vector<const char*>& plugins) {
    std::vector<void*> handles;
    for (const char* plugin : plugins) handles.push_back(load(plugin));
    const Copies copies = copies_of(handles);
    if (copies.empty()) return;
    all_meet(copies);
    children_begin_anew(copies);

    dlclose(handles.front());
    handles.erase(handles.begin());
    if (has_own_copy) check(dlopen(plugins.front(), RTLD_LAZY | RTLD_NOLOAD) == nullptr, "a plugin is unloaded");
    all_meet(copies_of(handles));
    handles.push_back(load(plugins.front()));
    all_meet(copies_of(handles));
    children_begin_anew(copies_of(handles));
}

void load_at_once(const std::vector<const char*>& plugins) {
    std::vector<void*> handles(plugins.size());
    std::barrier start(static_cast<std::ptrdiff_t>(plugins.size()));
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < plugins.size(); ++i)
            threads.emplace_back([&, i] {
                start.arrive_and_wait();
                handles[i] = load(plugins[i]);
            });
    }
    all_meet(copies_of(handles));
}

}  // namespace

int main(int count, char** arguments) {
    std::vector<const char*> plugins(arguments + 1, arguments + count);
    if (!plugins.empty() && std::string_view(plugins.front()) == "--at-once") {
        plugins.erase(plugins.begin());
        for (int i = 0; i < 20; ++i) in_child([&] { load_at_once(plugins); });
    } else {
        load_one_after_another(plugins);
    }
    std::puts("all meet");
}
