// SPDX-License-Identifier: MIT
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include <futon/core/probe.hpp>
#include <futon/core/queue/waiter.hpp>

// What the diagnostics know: who holds what, who waits for what, and since when.
//
// One lock guards it all. It is taken inside the locks of queues, so that nothing under it calls the library, and what is called
// inside a queue's lock allocates nothing.
namespace futon::diagnostics::detail {

using core::probe::Hold;
using core::probe::WaitRecord;
using core::probe::Way;

/// Nanoseconds of the steady clock.
std::int64_t now() noexcept;

/// A thread that has used the library. Never freed: reports may name a thread that has ended.
struct ThreadRecord {
    ThreadRecord* next = nullptr;  ///< the one before it
    std::uint32_t id = 0;          ///< t1, t2, ...
    std::int64_t number = 0;       ///< the system's
    std::thread::native_handle_type handle{};
    bool has_ended = false;
    int runtimes = 0;               ///< of other languages, whose loops it runs: see runtime.hpp
    std::array<char, 24> title{};   ///< what they call it
    std::int64_t reported_job = 0;  ///< the beginning of the job that was reported last
    bool has_loop = false;
    // Of the job that its event loop runs; 0 if it runs none.
    std::atomic<std::int64_t> job_since{0};
    std::atomic<std::uint64_t> jobs{0};
    std::atomic<std::int64_t> longest_job{0};
    // What the handler of the watch's signal found on its stack.
    Place stack;
    std::atomic<std::uint32_t> stack_of{0};
};

/// The calling thread's; null once it ends.
ThreadRecord* this_thread() noexcept;

/// The same, but never makes one: inside a queue's lock.
ThreadRecord* this_thread_if_known() noexcept;

/// The calling thread, or the coroutine for which it makes an attempt.
Actor this_actor() noexcept;

/// The calling thread's attempt; null if it makes none.
core::probe::Attempt*& this_attempt() noexcept;

struct Site;

/// Who holds a primitive.
struct Holder {
    Actor actor;
    Hold hold = Hold::lock;
    std::uint64_t amount = 1;
    std::int64_t since = 0;
    Place place;
    Site* site = nullptr;      ///< the profile of its place
    bool is_certain = true;    ///< not, where a release by another reader may have been this one's
    bool is_reported = false;  ///< as held for too long
    bool is_guarded = false;   ///< a guard releases it, wherever that is
    std::string ended;         ///< who it was that ended while it held the primitive, and left it to none that is known
    const void* left_with = nullptr;  ///< the promise of the coroutine that ended while it held the primitive
};

/// Times, in classes of which each is half as long again as the one before, roughly.
class Histogram {
public:
    /// A time that is the sample of so many.
    void add(std::int64_t nanoseconds, std::uint64_t weight = 1) noexcept;
    void add(const Histogram& other) noexcept;
    std::uint64_t count() const noexcept { return count_; }
    std::int64_t sum() const noexcept { return sum_; }
    std::int64_t most() const noexcept { return most_; }

    /// The upper end of the class that holds this share of the times, from 0 to 1; at most `most()`.
    std::int64_t quantile(double share) const noexcept;

private:
    std::array<std::uint32_t, 96> classes_{};
    std::uint64_t samples_ = 0, count_ = 0;
    std::int64_t sum_ = 0, most_ = 0;
};

struct Profile {
    std::uint64_t acquisitions = 0, contended = 0, handoffs = 0, barged = 0, offers_expired = 0;
    Histogram wait, hold;

    void add(const Profile& other) noexcept;
};

/// A primitive that was held.
struct Object {
    const char* kind = "";
    std::vector<Holder> holders;
    bool is_passed_on = false;  ///< it was released by another thread than acquired it: nothing is concluded of it
    Profile profile;
    const ThreadRecord* offered_to = nullptr;   ///< whose loop was offered it last
    const ThreadRecord* expired_for = nullptr;  ///< whose loop did not come to it; until that is reported
    const ThreadRecord* reported_for = nullptr;
};

/// The name of an object, and of all that lies in it.
struct Name {
    std::size_t size = 0;
    std::string text;
};

/// A coroutine of the library's own types, until its frame is freed.
struct Coroutine {
    ThreadRecord* thread = nullptr;
    const void* promise = nullptr;  ///< that its end settles
    const void* whole = nullptr;    ///< of which its end settles a part; else the same
    Place place;                    ///< of its call
    bool has_handle = true;         ///< of its promise
    bool is_reachable = true;       ///< whether any caller may go on with what it leaves
    const void* heir = nullptr;     ///< the coroutine that awaits its end, and goes on with what it holds
    std::uint64_t serial = 0;       ///< of which no other has the same
};

/// A promise that coroutines settle: each of them must end; or any may settle it.
struct Settlers {
    std::unordered_set<const void*> frames;
    bool is_any = false;
    const void* awaiter = nullptr;
    std::uint32_t awaiters = 0;
};

/// What a coroutine held when it ended, and its promise was not awaited yet.
struct Left {
    const void* address = nullptr;
    std::string actor;
};

/// The order of two locks as it was seen first: who locked the second while it held the first, and where.
struct Edge {
    Actor actor;
    std::string id;            ///< which a coroutine's frame does not keep
    std::uint64_t serial = 0;  ///< the coroutine's
    Place first, second;
    std::vector<const void*> gates;  ///< what else it held
};

class Registry {
public:
    static Registry& get() noexcept;

    std::mutex mutex;
    std::mutex dumping;  // taken before the other: a dump forgets the numbers of coroutines that it has not seen

    // All below under the mutex.
    std::unordered_map<const void*, Object> objects;
    std::unordered_map<const void*, std::vector<const void*>> held;  // by a thread's record, or a coroutine's frame
    std::map<const void*, Name> names;
    std::unordered_map<const void*, std::unordered_map<const void*, Edge>> orders;
    std::unordered_map<const void*, std::vector<const void*>> orders_to;  // the first locks of the edges to one
    std::unordered_map<const void*, Coroutine> coroutines;                // by their frames
    std::unordered_map<const void*, Settlers> settlers;                   // by their promises
    std::unordered_map<const void*, std::vector<Left>> left;              // the same
    ThreadRecord* last_thread = nullptr;
    std::uint32_t generation = 0;  // of the ring: how many times it was begun anew
    WaitRecord queued;             // the ring of all that are queued
    std::array<WaitRecord*, 4096> of_actors{};
    std::array<WaitRecord*, 4096> at_addresses{};          // the same by what is waited for
    std::unordered_map<const void*, std::uint32_t> tasks;  // numbers of coroutines that were shown
    std::uint32_t next_task = 1;
    std::uint64_t last_serial = 0;
    std::uint64_t forgotten = 0;  // for want of memory

    /// The name of what lies at an address; null if it has none.
    const std::string* name_of(const void* address) const noexcept;

    WaitRecord*& waits_of(const Actor& actor) noexcept;
    template <class Function>
    void for_each_wait(const Actor& actor, Function function) {
        for (WaitRecord* wait = waits_of(actor); wait != nullptr; wait = wait->next_of_actor)
            if (wait->actor == actor) function(*wait);
    }
    WaitRecord*& waits_at(const void* address) noexcept;

    void begin_child() noexcept;
    void forget_coroutines() noexcept;

    /// Forgets who holds and who waits, but no counts. Under the mutex.
    void forget_callers() noexcept;

private:
    Registry();
    void begin_ring() noexcept;
};

/// What kind of primitive it is, by how it is held, or by the name of the operation that waits for it.
const char* kind_of(Hold hold) noexcept;

/// The same of what an operation acquires, which may be a program's own: under the mutex. Throws std::bad_alloc.
const char* kind_of(Hold hold, const char* operation);

/// Whether it is one that `lock_all` takes. Under the mutex.
bool is_async_lock(const void* address) noexcept;

std::string_view kind_of_operation(const char* operation) noexcept;
const char* name_of(Hold hold) noexcept;

/// Looks up the frames of the caller, except for the innermost.
void take_place(Place& place, int skipped) noexcept;

/// Whether the places of acquisitions that need not wait are kept.
bool keeps_all_places() noexcept;

/// Who is the key of `Registry::held`.
inline const void* key_of(const Actor& actor) noexcept {
    return actor.task != nullptr ? actor.task : actor.thread;
}

// Under the registry's mutex, inside a queue's lock or not.
void forget_held(const Actor& actor, const void* address) noexcept;
void forget_name(const void* address) noexcept;
void link(WaitRecord& wait) noexcept;
void unlink(WaitRecord& wait) noexcept;
void move_to(WaitRecord& wait, const void* address) noexcept;  ///< of a wait that has an address

/// How a number of nanoseconds reads: "3.2 ms".
std::string text_of(std::int64_t nanoseconds);

/// How an actor reads: "thread 3 (LWP 4711)", "coroutine 5 on the loop of thread 3 (LWP 4711)". Under the mutex.
std::string text_of(const Actor& actor);
std::string id_of(const Actor& actor);
std::string text_of(const Holder& holder);

/// How an object reads: "AsyncLock \"accounts\" at 0x7f00". Under the mutex.
std::string text_of(const void* address);

/// How a place reads: the file and line of the innermost frame that is not the library's, or its function or module. May take long:
/// outside of the mutex.
std::string text_of(const Place& place);

/// All frames of a place, each on a line of its own. As above.
std::string stack_text_of(const Place& place);

/// From now on the frames that have no name yet get no files and lines, which take the longest to find.
void hurry_places() noexcept;

}  // namespace futon::diagnostics::detail
