// SPDX-License-Identifier: MIT
#include "diagnostics/snapshot.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <ostream>
#include <set>
#include <sstream>
#include <thread>

#include <unistd.h>

#include <futon/diagnostics.hpp>

#include "diagnostics/json.hpp"
#include "diagnostics/profile.hpp"
#include "diagnostics/sampling.hpp"

namespace futon::diagnostics {

namespace detail {

namespace {

/// Copies the registry. Of each object all is copied while the mutex is held once, and its actors get their texts later.
class Copier {
public:
    Snapshot run() {
        const std::scoped_lock one_at_a_time(registry_.dumping);
        in_parts([this] { return copy_objects(); });
        in_parts([this] { return copy_other_waits(); });
        in_parts([this] { return copy_threads(); });
        seen_.time = now();
        for (auto& [address, object] : objects_) seen_.objects.push_back(std::move(object));
        object_ = seen_.objects.begin();
        in_parts([this] { return add_texts(); });
        in_parts([this] { return forget_tasks(); });
        return std::move(seen_);
    }

private:
    static constexpr std::size_t most_steps = 1024;  // in one part, through what is empty

    /// Calls the function under the mutex until it returns false. Others take the mutex in between.
    template <class Function>
    void in_parts(Function function) {
        for (bool goes_on = true; goes_on; std::this_thread::yield()) {
            const std::scoped_lock hold(registry_.mutex);
            copied_ = 0;
            goes_on = function();
            seen_.most_at_once = std::max(seen_.most_at_once, copied_);
        }
    }

    bool copy_objects() {
        const auto& objects = registry_.objects;
        // When it grows, all of it moves to other buckets. What was copied before is copied again, as it is now.
        if (bucket_count_ != objects.bucket_count()) bucket_ = 0;
        bucket_count_ = objects.bucket_count();
        for (std::size_t step = 0; bucket_ < bucket_count_ && step < most_steps && copied_ < snapshot_part; ++step) {
            for (auto at = objects.begin(bucket_); at != objects.end(bucket_); ++at) copy(at->first, &at->second);
            ++bucket_;
        }
        return bucket_ < bucket_count_;
    }

    /// Who waits for what is no object, such as an event.
    bool copy_other_waits() {
        const std::size_t end = registry_.at_addresses.size();
        for (; list_ < end && copied_ < snapshot_part; ++list_)
            for (const WaitRecord* wait = registry_.at_addresses[list_]; wait != nullptr;
                 wait = wait->next_at_address) {
                if (objects_.contains(wait->address)) continue;
                const auto found = registry_.objects.find(wait->address);
                copy(wait->address, found != registry_.objects.end() ? &found->second : nullptr);
            }
        return list_ < end;
    }

    void copy(const void* address, const Object* known) {
        SeenObject object;
        object.address = address;
        if (const std::string* const name = registry_.name_of(address)) object.name = *name;
        if (known != nullptr) {
            object.kind = known->kind;
            object.profile = known->profile;
            object.has_profile = true;
            for (const Holder& holder : known->holders)
                object.holders.push_back({holder.actor,
                                          holder.ended,
                                          {},
                                          {},
                                          name_of(holder.hold),
                                          holder.amount,
                                          holder.since,
                                          holder.place});
        }
        for (const WaitRecord* wait = registry_.waits_at(address); wait != nullptr; wait = wait->next_at_address) {
            if (wait->address != address) continue;
            if (object.kind.empty()) object.kind = kind_of_operation(wait->operation);
            object.waiters.push_back({wait->actor, wait->is_task, {}, {}, wait->operation, wait->since, wait->place});
            object.is_promise = object.is_promise || wait->is_promise;
        }
        if (object.is_promise)
            if (const auto settlers = registry_.settlers.find(address); settlers != registry_.settlers.end())
                for (const void* const frame : settlers->second.frames) copy_settler(object, frame);
        copied_ += 1 + object.holders.size() + object.waiters.size() + object.settlers.size();
        objects_[address] = std::move(object);
    }

    void copy_settler(SeenObject& object, const void* frame) {
        const auto found = registry_.coroutines.find(frame);
        if (found == registry_.coroutines.end()) return;
        const Actor actor{found->second.thread, frame};
        note_task(actor);
        object.settlers.push_back({id_of(actor), text_of(actor), found->second.place});
    }

    bool copy_threads() {
        if (seen_.threads.empty()) thread_ = registry_.last_thread;  // each leads to the one before it, for ever
        for (; thread_ != nullptr && copied_ < snapshot_part; thread_ = thread_->next, ++copied_)
            seen_.threads.push_back({thread_->id, thread_->number, thread_->has_ended, thread_->has_loop,
                                     thread_->job_since.load(), thread_->longest_job.load(), thread_->jobs.load()});
        return thread_ != nullptr;
    }

    bool add_texts() {
        std::size_t steps = 0;
        for (; object_ != seen_.objects.end() && steps < most_steps; ++steps) {
            if (caller_ == object_->holders.size() + object_->waiters.size()) {
                ++object_;
                caller_ = 0;
                continue;
            }
            if (copied_ == snapshot_part) return true;
            ++copied_;
            add_text(*object_, caller_++);
        }
        return object_ != seen_.objects.end();
    }

    void add_text(SeenObject& object, std::size_t number) {
        if (number < object.holders.size()) {
            SeenHolder& holder = object.holders[number];
            note_task(holder.actor);
            holder.id = id_of(holder.actor);
            holder.text = holder.ended.empty() ? text_of(holder.actor) : holder.ended + ", which has ended";
            return;
        }
        SeenWaiter& waiter = object.waiters[number - object.holders.size()];
        note_task(waiter.actor);
        // A promise's waiter is a task that is no coroutine's.
        const bool is_promise = waiter.is_task && waiter.actor.task == nullptr;
        waiter.id = is_promise && waiter.actor.thread != nullptr ? "l" + std::to_string(waiter.actor.thread->id)
                                                                 : id_of(waiter.actor);
        waiter.text = (is_promise ? "a promise or a callback of the loop of " : "") + text_of(waiter.actor);
    }

    void note_task(const Actor& actor) {
        if (actor.task == nullptr || !tasks_.insert(actor.task).second) return;
        seen_.tasks.emplace_back(id_of(actor), actor.thread != nullptr ? actor.thread->id : 0);
    }

    /// The numbers of coroutines that are neither holders nor waiters any more. What moves meanwhile, the next dump forgets.
    bool forget_tasks() {
        auto& tasks = registry_.tasks;
        std::vector<const void*> gone;
        for (std::size_t step = 0; number_ < tasks.bucket_count() && step < most_steps && copied_ < snapshot_part;
             ++step, ++number_)
            for (auto at = tasks.begin(number_); at != tasks.end(number_); ++at, ++copied_)
                if (!tasks_.contains(at->first)) gone.push_back(at->first);
        for (const void* const task : gone) tasks.erase(task);
        return number_ < tasks.bucket_count();
    }

    Registry& registry_ = Registry::get();
    Snapshot seen_;
    std::map<const void*, SeenObject> objects_;
    std::set<const void*> tasks_;
    std::size_t copied_ = 0;  // in this part
    // How far it is.
    std::size_t bucket_ = 0, bucket_count_ = 0, list_ = 0, number_ = 0;
    const ThreadRecord* thread_ = nullptr;
    std::vector<SeenObject>::iterator object_;
    std::size_t caller_ = 0;  // of that object: first the holders, then the waiters
};

}  // namespace

Snapshot take_snapshot() {
    Snapshot seen = Copier().run();
    // A list begins with who came last.
    for (SeenObject& object : seen.objects)
        std::stable_sort(object.waiters.begin(), object.waiters.end(),
                         [](const SeenWaiter& one, const SeenWaiter& other) { return one.since < other.since; });
    return seen;
}

namespace {

void write_person(std::ostream& out, const char* verb, const std::string& who, std::int64_t time, const Place& place) {
    out << "\n  " << verb << ' ' << who << ", for " << text_of(time);
    if (const std::string where = text_of(place); !where.empty()) out << ", at " << where;
}

void write_metric(std::ostream& out, const char* name, const SeenObject& object, const std::string& value,
                  const std::string& more = "") {
    out << "futon_" << name << "{object=" << label(object.name.empty() ? hexadecimal(object.address) : object.name)
        << ",kind=" << label(object.kind) << more << "} " << value << '\n';
}

std::string seconds(std::int64_t nanoseconds) {
    std::array<char, 40> text{};
    std::snprintf(text.data(), text.size(), "%.9g", static_cast<double>(nanoseconds) / 1e9);
    return text.data();
}

}  // namespace

}  // namespace detail

void dump(std::ostream& out) {
    using namespace detail;
    const Snapshot seen = take_snapshot();
    std::size_t shown = 0;
    for (const SeenObject& object : seen.objects) {
        if (object.holders.empty() && object.waiters.empty()) continue;
        ++shown;
        out << (object.kind.empty() ? "word" : object.kind);
        if (!object.name.empty()) out << " \"" << object.name << '"';
        out << " at " << hexadecimal(object.address)
            << (object.holders.empty() && !object.is_promise ? ": held by none" : ":");
        for (const SeenSettler& settler : object.settlers) {
            out << "\n  settled by the end of " << settler.text;
            if (const std::string where = text_of(settler.place); !where.empty()) out << ", called at " << where;
        }
        for (const SeenHolder& holder : object.holders) {
            write_person(out, "held by", holder.text, seen.time - holder.since, holder.place);
            if (*holder.mode != 'e')
                out << " (" << holder.mode << (holder.amount > 1 ? ", " + std::to_string(holder.amount) : "") << ')';
        }
        for (const SeenWaiter& waiter : object.waiters) {
            write_person(out, "waited for by", waiter.text, seen.time - waiter.since, waiter.place);
            if (*waiter.operation != '\0') out << ", in " << waiter.operation;
        }
        out << '\n';
    }
    for (const SeenThread& thread : seen.threads)
        if (thread.has_loop && !thread.has_ended) {
            out << "the loop of thread " << thread.id << " (LWP " << thread.number << ") has run " << thread.jobs
                << " jobs";
            if (thread.job_since != 0) out << "; the one it runs has run for " << text_of(seen.time - thread.job_since);
            out << "; the longest took " << text_of(thread.longest_job) << '\n';
        }
    if (shown == 0) out << "no primitive is held, and no one waits\n";
    out << std::flush;
}

void metrics(std::ostream& out) {
    using namespace detail;
    const Snapshot seen = take_snapshot();
    const auto counter = [&](const char* name, const char* help, auto value) {
        out << "# HELP futon_" << name << ' ' << help << "\n# TYPE futon_" << name << " counter\n";
        for (const SeenObject& object : seen.objects)
            if (object.has_profile) write_metric(out, name, object, std::to_string(value(object.profile)));
    };
    counter("acquisitions_total", "How often it was acquired.", [](const Profile& p) { return p.acquisitions; });
    counter("contended_total", "How often a caller had to wait for it.", [](const Profile& p) { return p.contended; });
    counter("handoffs_total", "How often a release gave it to a waiter.", [](const Profile& p) { return p.handoffs; });
    counter("barged_total", "How often a woken waiter found it taken.", [](const Profile& p) { return p.barged; });
    counter("offers_expired_total", "Offers that a loop did not come to.",
            [](const Profile& p) { return p.offers_expired; });
    const auto summary = [&](const char* name, const char* help, auto times) {
        out << "# HELP futon_" << name << ' ' << help << "\n# TYPE futon_" << name << " summary\n";
        for (const SeenObject& object : seen.objects) {
            if (!object.has_profile) continue;
            const Histogram& histogram = times(object.profile);
            for (const auto& [share, text] : {std::pair{.5, "0.5"}, std::pair{.99, "0.99"}})
                write_metric(out, name, object, seconds(histogram.quantile(share)),
                             std::string(",quantile=\"") + text + '"');
            write_metric(out, (std::string(name) + "_sum").c_str(), object, seconds(histogram.sum()));
            write_metric(out, (std::string(name) + "_count").c_str(), object, std::to_string(histogram.count()));
        }
    };
    summary("wait_seconds", "How long callers waited for it.",
            [](const Profile& p) -> const Histogram& { return p.wait; });
    summary("hold_seconds", "How long it was held.", [](const Profile& p) -> const Histogram& { return p.hold; });
    const std::vector<SeenSite> sites = take_sites();
    const auto of_places = [&](const char* name, const char* help, auto value) {
        out << "# HELP futon_place_" << name << ' ' << help << "\n# TYPE futon_place_" << name << " counter\n";
        for (const SeenSite& site : sites)
            out << "futon_place_" << name << "{object=" << label(site.label) << ",place=" << label(site.where) << "} "
                << value(site.profile) << '\n';
    };
    of_places("acquisitions_total", "How often it was acquired there.",
              [](const Profile& p) { return std::to_string(p.acquisitions); });
    of_places("contended_total", "How often a caller there had to wait.",
              [](const Profile& p) { return std::to_string(p.contended); });
    of_places("wait_seconds_total", "How long callers there waited.",
              [](const Profile& p) { return seconds(p.wait.sum()); });
    of_places("hold_seconds_total", "How long it was held from there.",
              [](const Profile& p) { return seconds(p.hold.sum()); });
    out << "# HELP futon_waiters Who waits now.\n# TYPE futon_waiters gauge\n";
    for (const SeenObject& object : seen.objects)
        if (!object.is_promise) write_metric(out, "waiters", object, std::to_string(object.waiters.size()));
    out << std::flush;
}

}  // namespace futon::diagnostics
