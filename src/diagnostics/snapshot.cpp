// SPDX-License-Identifier: MIT
#include "diagnostics/snapshot.hpp"

#include <array>
#include <cstdio>
#include <map>
#include <ostream>
#include <set>
#include <sstream>

#include <unistd.h>

#include <futon/diagnostics.hpp>

#include "diagnostics/json.hpp"
#include "diagnostics/profile.hpp"
#include "diagnostics/sampling.hpp"

namespace futon::diagnostics {

namespace detail {

Snapshot take_snapshot() {
    Snapshot seen;
    seen.time = now();
    std::map<const void*, SeenObject> objects;
    std::set<const void*> tasks;
    Registry& registry = Registry::get();
    const std::scoped_lock hold(registry.mutex);
    const auto object_at = [&](const void* address) -> SeenObject& {
        SeenObject& object = objects[address];
        if (object.address == nullptr) {
            object.address = address;
            if (const std::string* const name = registry.name_of(address)) object.name = *name;
        }
        return object;
    };
    const auto note_task = [&](const Actor& actor) {
        if (actor.task == nullptr || !tasks.insert(actor.task).second) return;
        seen.tasks.emplace_back(id_of(actor), actor.thread != nullptr ? actor.thread->id : 0);
    };
    const auto note_settler = [&](SeenObject& object, const void* frame) {
        const Coroutine& coroutine = registry.coroutines[frame];
        const Actor actor{coroutine.thread, frame};
        note_task(actor);
        object.settlers.push_back({id_of(actor), text_of(actor), coroutine.place});
    };
    for (const auto& [address, known] : registry.objects) {
        SeenObject& object = object_at(address);
        object.kind = known.kind;
        object.profile = known.profile;
        object.has_profile = true;
        for (const Holder& holder : known.holders) {
            note_task(holder.actor);
            object.holders.push_back({id_of(holder.actor), text_of(holder), name_of(holder.hold), holder.amount,
                                      holder.since, holder.place});
        }
    }
    for (const Stamp* stamp = registry.queued.next; stamp != &registry.queued; stamp = stamp->next) {
        SeenObject& object = object_at(stamp->address);
        if (object.kind.empty()) object.kind = kind_of_operation(stamp->operation);
        if (stamp->is_promise && !object.is_promise) {
            object.is_promise = true;
            if (const auto settlers = registry.settlers.find(stamp->address); settlers != registry.settlers.end())
                for (const void* const frame : settlers->second.frames) note_settler(object, frame);
        }
        note_task(stamp->actor);
        // A promise's waiter is a task that is no coroutine's.
        const bool is_promise = stamp->is_task && stamp->actor.task == nullptr;
        const std::string id = is_promise && stamp->actor.thread != nullptr
                                   ? "l" + std::to_string(stamp->actor.thread->id)
                                   : id_of(stamp->actor);
        object.waiters.push_back(
            {id, is_promise ? "a promise or a callback of the loop of " + text_of(stamp->actor) : text_of(stamp->actor),
             stamp->operation, stamp->since, false, stamp->place});
    }
    for (const ThreadRecord* thread = registry.last_thread; thread != nullptr; thread = thread->next)
        seen.threads.push_back({thread->id, thread->number, thread->has_ended, thread->has_loop,
                                thread->job_since.load(), thread->longest_job.load(), thread->jobs.load()});
    // The numbers of coroutines that are neither holders nor waiters any more are forgotten.
    std::erase_if(registry.tasks, [&](const auto& entry) { return !tasks.contains(entry.first); });
    for (auto& [address, object] : objects) seen.objects.push_back(std::move(object));
    return seen;
}

namespace {

std::string hexadecimal(const void* address) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%p", address);
    return text.data();
}

void write_times(std::ostream& out, const Histogram& times) {
    out << "{\"count\":" << times.count() << ",\"p50\":" << times.quantile(.5) << ",\"p99\":" << times.quantile(.99)
        << ",\"max\":" << times.most() << '}';
}

void write_profile(std::ostream& out, const Profile& profile) {
    out << "\"profile\":{\"acquisitions\":" << profile.acquisitions << ",\"contended\":" << profile.contended
        << ",\"handoffs\":" << profile.handoffs << ",\"barged\":" << profile.barged
        << ",\"offers_expired\":" << profile.offers_expired << ",\"wait_ns\":";
    write_times(out, profile.wait);
    out << ",\"hold_ns\":";
    write_times(out, profile.hold);
    out << '}';
}

void write_object(std::ostream& out, const SeenObject& object) {
    out << "{\"address\":\"" << hexadecimal(object.address) << "\",\"kind\":" << quoted(object.kind)
        << ",\"name\":" << quoted(object.name) << ",\"holders\":[";
    const char* separator = "";
    for (const SeenHolder& holder : object.holders) {
        out << separator << "{\"who\":\"" << holder.id << "\",\"mode\":\"" << holder.mode
            << "\",\"amount\":" << holder.amount << ",\"since_ns\":" << holder.since
            << ",\"where\":" << quoted(text_of(holder.place)) << '}';
        separator = ",";
    }
    out << "],\"waiters\":[";
    separator = "";
    for (const SeenWaiter& waiter : object.waiters) {
        out << separator << "{\"who\":\"" << waiter.id << "\",\"operation\":" << quoted(waiter.operation)
            << ",\"since_ns\":" << waiter.since << ",\"where\":" << quoted(text_of(waiter.place)) << '}';
        separator = ",";
    }
    out << "],";
    if (object.is_promise) {
        out << "\"settlers\":[";
        separator = "";
        for (const SeenSettler& settler : object.settlers) {
            out << separator << "{\"who\":\"" << settler.id << "\",\"where\":" << quoted(text_of(settler.place)) << '}';
            separator = ",";
        }
        out << "],";
    }
    write_profile(out, object.profile);
    out << '}';
}

}  // namespace

std::string json_of(const Snapshot& snapshot) {
    std::ostringstream out;
    out << "{\"futon\":\"" << version_text() << "\",\"pid\":" << getpid() << ",\"program\":" << quoted(program_name())
        << ",\"time_ns\":" << snapshot.time << ",\"threads\":[";
    const char* separator = "";
    for (const SeenThread& thread : snapshot.threads) {
        if (thread.has_ended) continue;
        out << separator << "{\"id\":\"t" << thread.id << "\",\"number\":" << thread.number << ",\"name\":\"\"}";
        separator = ",";
    }
    out << "],\"loops\":[";
    separator = "";
    for (const SeenThread& thread : snapshot.threads) {
        if (!thread.has_loop || thread.has_ended) continue;
        out << separator << "{\"id\":\"l" << thread.id << "\",\"name\":\"\",\"thread\":\"t" << thread.id
            << "\",\"delay_ns\":" << (thread.job_since != 0 ? snapshot.time - thread.job_since : 0)
            << ",\"longest_delay_ns\":" << thread.longest_job << ",\"jobs\":" << thread.jobs << '}';
        separator = ",";
    }
    out << "],\"tasks\":[";
    separator = "";
    for (const auto& [id, thread] : snapshot.tasks) {
        out << separator << "{\"id\":\"" << id << "\",\"loop\":\"l" << thread << "\"}";
        separator = ",";
    }
    out << "],\"objects\":[";
    separator = "";
    for (const SeenObject& object : snapshot.objects) {
        out << separator;
        write_object(out, object);
        separator = ",";
    }
    out << "],\"sampled_one_in\":" << sampled_one_in() << ",\"places\":[";
    separator = "";
    for (const SeenSite& site : take_sites()) {
        out << separator << "{\"object\":" << quoted(site.label) << ",\"where\":" << quoted(site.where) << ',';
        write_profile(out, site.profile);
        out << '}';
        separator = ",";
    }
    out << "]}";
    return out.str();
}

namespace {

void write_person(std::ostream& out, const char* verb, const std::string& who, std::int64_t time, const Place& place) {
    out << "\n  " << verb << ' ' << who << ", for " << text_of(time);
    if (const std::string where = text_of(place); !where.empty()) out << ", at " << where;
}

/// The escape of a value in Prometheus' format is JSON's, as far as both have it.
void write_metric(std::ostream& out, const char* name, const SeenObject& object, const std::string& value,
                  const std::string& label = "") {
    out << "futon_" << name << "{object=" << quoted(object.name.empty() ? hexadecimal(object.address) : object.name)
        << ",kind=" << quoted(object.kind) << label << "} " << value << '\n';
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
            if (!waiter.operation.empty()) out << ", in " << waiter.operation;
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

void dump_json(std::ostream& out) {
    out << detail::json_of(detail::take_snapshot()) << '\n' << std::flush;
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
            out << "futon_place_" << name << "{object=" << quoted(site.label) << ",place=" << quoted(site.where) << "} "
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
