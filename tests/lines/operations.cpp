// SPDX-License-Identifier: MIT
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <new>
#include <optional>
#include <type_traits>
#include <vector>

#include <futon/detail/reader_slots.hpp>
#include <futon/detail/sync/shared_lock_word.hpp>
#include <futon/futon.hpp>

#include "cost.hpp"
#include "queue/copies.hpp"
#include "queue/hash.hpp"
#include "support/waiting.hpp"

namespace futon::test {

namespace {

using WordOfInts = std::atomic<std::uint32_t>;

struct alignas(line_size) Items : Channel<int> {
    Items() : Channel<int>(4) {}
};

/// The address of its wait queue.
const void* key_of(const auto& object) {
    return &object;
}
const void* key_of(Items& items) {
    return items.receiving().key();
}

/// Whether the wait queues have the queue of this address there, as long as the shard has not grown.
bool leads_to(Place place, const void* key) {
    const std::uint64_t hash = tables::hash_of(key);
    return (hash >> 52) % 64 == place.shard && hash % 8 == place.bucket;
}

/// For readers in slots: the place of a lock's pause, too, has the number of the shard.
bool is_paused_at(Place place, const void* lock) {
    detail::ReaderSlots& slots = core::common_reader_slots();
    return &slots.pause_for(lock) == &slots.pauses[place.shard];
}

/// An object of a line of its own whose address leads to this place in the wait queues.
template <class T>
std::shared_ptr<T> at(Place place) {
    static_assert(sizeof(T) <= line_size);
    constexpr bool is_paused = std::is_same_v<T, SharedLock>;
    constexpr std::size_t lines =
        is_paused ? 1'048'576 : 16'384;  // one in 512 leads there, of locks with pauses one in 32,768
    const std::shared_ptr<std::byte> memory(static_cast<std::byte*>(std::aligned_alloc(line_size, lines * line_size)),
                                            std::free);
    for (std::size_t i = 0; i < lines; ++i) {
        std::byte* const line = memory.get() + i * line_size;
        if constexpr (is_paused)
            if (!is_paused_at(place, line) || !leads_to(place, line)) continue;
        T* const object = ::new (line) T();
        if (leads_to(place, key_of(*object)))
            return std::shared_ptr<T>(object, [memory](T* one) { std::destroy_at(one); });
        std::destroy_at(object);
    }
    throw std::bad_alloc();
}

void nothing(std::span<Core>) {}

/// One core does it all.
template <class T>
Operation alone(const char* name, void (*act)(T&), void (*prepare)(T&) = nullptr) {
    return {name, 1, [=](Place place, std::span<Core> cores) {
                const std::shared_ptr<T> object = at<T>(place);
                if (prepare != nullptr) cores[0].run([&] { prepare(*object); });
                return Rounds{[=](std::span<Core> core) { core[0].run([&] { act(*object); }); }, nothing, nothing};
            }};
}

void lock_and_unlock(AsyncLock& lock) {
    lock.lock();
    lock.unlock();
}

void notify_word(WordOfInts& word) {
    notify(word);
}

void wait_for_change(WordOfInts& word) {
    wait(word, word.load());
}

Promise<void> await_change(WordOfInts& word) {
    co_await wait_async(word, word.load()).promise();
}

void change_and_notify(WordOfInts& word) {
    word.fetch_add(1);
    notify(word);
}

Promise<void> await_lock(AsyncLock& lock) {
    const auto hold = co_await lock.scoped_lock_async();
}

void read(SharedLock& lock) {
    lock.lock_shared();
    lock.unlock_shared();
}

void write(SharedLock& lock) {
    lock.lock();
    lock.unlock();
}

void let_readers_use_slots(SharedLock& lock) {
    lock.lock_shared();
    std::launder(reinterpret_cast<detail::SharedLockWord*>(&lock))->prefer_slots();
    lock.unlock_shared();
}

/// A writer takes from its readers what let them use slots.
void revoke(SharedLock& lock) {
    let_readers_use_slots(lock);
    write(lock);
}

struct OnePermit : Semaphore {
    OnePermit() : Semaphore(1) {}
};

struct StrictLock : AsyncLock {
    StrictLock() : AsyncLock(Fairness::strict) {}
};

/// What a round of a pair does: the first core prepares, the second waits in the queue of `key`, the first wakes it.
struct Pair {
    const void* key;
    std::function<void()> prepare;
    std::function<void()> wait;
    std::function<void()> wake;
    std::function<void()> close;  // on the second core
    std::size_t waiting = 1;      // how many waiters the second core brings
};

Rounds rounds_of(const Pair& pair) {
    const auto begin = [pair](std::span<Core> core) {
        if (pair.prepare) core[0].run(pair.prepare);
        core[1].begin(pair.wait);
        until([&] { return core::process_table().count(pair.key) == pair.waiting; });
        core[1].until_asleep();
    };
    const auto end = [pair](std::span<Core> core) {
        core[0].run(pair.wake);
        core[1].finish();
    };
    const auto close = [pair](std::span<Core> core) {
        if (pair.close) core[1].run(pair.close);
    };
    return {begin, end, close};
}

/// The second core waits for an object of its own line, the first wakes it.
template <class T>
Operation pair(const char* name, void (*prepare)(T&), void (*wait)(T&), void (*wake)(T&)) {
    return {name, 2, [=](Place place, std::span<Core>) {
                const std::shared_ptr<T> object = at<T>(place);
                return rounds_of(
                    {object.get(), [=] { prepare(*object); }, [=] { wait(*object); }, [=] { wake(*object); }, {}});
            }};
}

/// The same of a task of an event loop, which the second core runs.
template <class T>
Operation task(const char* name, void (*prepare)(T&), Promise<void> (*wait)(T&), void (*wake)(T&)) {
    return {name, 2, [=](Place place, std::span<Core> cores) {
                const std::shared_ptr<T> object = at<T>(place);
                const auto loop = std::make_shared<std::optional<EventLoop>>();
                cores[1].run([&] { loop->emplace(); });
                return rounds_of({object.get(), [=] { prepare(*object); }, [=] { (*loop)->run_until(wait(*object)); },
                                  [=] { wake(*object); }, [=] { loop->reset(); }});
            }};
}

/// A task waits and is woken on its own core: in turn with another core the queues' lines are all that they share.
Operation wait_within_a_loop() {
    return {"wait + notify within a loop", 1, [](Place place, std::span<Core> cores) {
                const auto word = at<WordOfInts>(place);
                const auto loops = std::make_shared<std::array<std::optional<EventLoop>, max_cores>>();
                for (Core& core : cores) core.run([&] { (*loops)[core.number()].emplace(); });
                const auto begin = [=](std::span<Core> core) {
                    core[0].run([&] {
                        auto waiting = wait_async(*word, word->load()).promise();
                        change_and_notify(*word);
                        (*loops)[core[0].number()]->run_until(std::move(waiting));
                    });
                };
                const auto close = [=](std::span<Core> all) {
                    for (Core& core : all) core.run([&] { (*loops)[core.number()].reset(); });
                };
                return Rounds{begin, nothing, close};
            }};
}

Operation post() {
    return {"post to a loop", 2, [](Place, std::span<Core> cores) {
                struct Loop {
                    std::optional<EventLoop> loop;
                    std::size_t jobs = 0;
                };
                const auto object = std::make_shared<Loop>();
                cores[1].run([&] { object->loop.emplace(); });
                const auto begin = [=](std::span<Core> core) {
                    core[0].run([&] { object->loop->post([jobs = &object->jobs] { ++*jobs; }); });
                };
                const auto end = [=](std::span<Core> core) { core[1].run([&] { object->loop->run(); }); };
                const auto close = [=](std::span<Core> core) { core[1].run([&] { object->loop.reset(); }); };
                return Rounds{begin, end, close};
            }};
}

/// The task that is woken leaves another behind it, so the keeper is told of the queue.
Operation two_tasks() {
    return {"lock + unlock of two tasks, strict", 2, [](Place place, std::span<Core> cores) {
                const auto lock = at<StrictLock>(place);
                const auto loop = std::make_shared<std::optional<EventLoop>>();
                cores[1].run([&] { loop->emplace(); });
                const auto wait = [=] {
                    const auto first = await_lock(*lock);
                    (*loop)->run_until(await_lock(*lock));
                };
                return rounds_of(
                    {lock.get(), [=] { lock->lock(); }, wait, [=] { lock->unlock(); }, [=] { loop->reset(); }, 2});
            }};
}

/// The waiter moves from the queue of the condition to the queue of the lock, which is in another part.
Operation condition() {
    return {"wait + notify of a condition", 2, [](Place place, std::span<Core>) {
                const auto lock = at<AsyncLock>({place.shard + 8, place.bucket});
                const auto ready = at<Condition>(place);
                const auto wait = [=] {
                    std::unique_lock hold(*lock);
                    ready->wait(hold);
                };
                const auto wake = [=] {
                    lock->lock();
                    ready->notify_one();
                    lock->unlock();
                };
                return rounds_of({ready.get(), {}, wait, wake, {}});
            }};
}

Operation select_of_two() {
    return {"select of two words", 2, [](Place place, std::span<Core>) {
                const auto word = at<WordOfInts>(place);
                const auto other = at<WordOfInts>({place.shard + 8, place.bucket});
                const auto wait = [=] { static_cast<void>(select(waiting(*word, word->load()), waiting(*other, 0U))); };
                return rounds_of({word.get(), {}, wait, [=] { change_and_notify(*word); }, {}});
            }};
}

template <class T>
void leave_alone(T&) {}

template <class T>
void unlock(T& lock) {
    lock.unlock();
}

void acquire_and_release(OnePermit& permit) {
    permit.acquire();
    permit.release();
}

std::vector<Operation> operations_of_one_core() {
    return {
        alone<AsyncLock>("lock + unlock, free", lock_and_unlock),
        alone<WordOfInts>("notify, no waiters", notify_word),
        alone<SharedLock>("reader, counted", read),
        alone<SharedLock>("reader, in a slot", read, let_readers_use_slots),
        alone<SharedLock>("writer, free", write),
        alone<SharedLock>("writer that takes readers from slots", revoke),
        alone<OnePermit>("acquire + release, free", acquire_and_release),
        alone<Event>("set + reset, no waiters",
                     [](Event& event) {
                         event.set();
                         event.reset();
                     }),
        alone<Items>("send + receive",
                     [](Items& items) {
                         static_cast<void>(items.send(1));
                         static_cast<void>(items.receive());
                     }),
        wait_within_a_loop(),
    };
}

std::vector<Operation> operations_of_two_cores() {
    return {
        pair<WordOfInts>("wait + notify", leave_alone, wait_for_change, change_and_notify),
        pair<WordOfInts>(
            "wait with a deadline + notify", leave_alone,
            [](WordOfInts& word) { wait(word, word.load(), std::chrono::hours(1)); }, change_and_notify),
        task<WordOfInts>("wait of a task + notify", leave_alone, await_change, change_and_notify),
        pair<AsyncLock>(
            "lock + unlock, contended", [](AsyncLock& lock) { lock.lock(); }, lock_and_unlock, unlock),
        task<AsyncLock>(
            "lock + unlock of a task, contended", [](AsyncLock& lock) { lock.lock(); }, await_lock, unlock),
        task<StrictLock>(
            "lock + unlock of a task, contended, strict", [](StrictLock& lock) { lock.lock(); },
            [](StrictLock& lock) { return await_lock(lock); }, unlock),
        pair<SharedLock>(
            "writer behind a reader", [](SharedLock& lock) { lock.lock_shared(); }, write,
            [](SharedLock& lock) { lock.unlock_shared(); }),
        pair<OnePermit>(
            "acquire + release, contended", [](OnePermit& permit) { permit.acquire(); }, acquire_and_release,
            [](OnePermit& permit) { permit.release(); }),
        pair<Event>(
            "wait + set", [](Event& event) { event.reset(); }, [](Event& event) { event.wait(); },
            [](Event& event) { event.set(); }),
        pair<AutoResetEvent>(
            "wait + set, resetting itself", leave_alone, [](AutoResetEvent& event) { event.wait(); },
            [](AutoResetEvent& event) { event.set(); }),
        condition(),
        select_of_two(),
        two_tasks(),
        post(),
    };
}

}  // namespace

const std::vector<Operation>& operations() {
    static const std::vector<Operation> all = [] {
        std::vector<Operation> both = operations_of_one_core();
        for (Operation& one : operations_of_two_cores()) both.push_back(std::move(one));
        return both;
    }();
    return all;
}

}  // namespace futon::test
