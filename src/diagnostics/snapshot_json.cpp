// SPDX-License-Identifier: MIT
#include "diagnostics/snapshot.hpp"

#include <array>
#include <cstdio>
#include <ostream>
#include <sstream>

#include <unistd.h>

#include <futon/diagnostics.hpp>

#include "diagnostics/json.hpp"
#include "diagnostics/profile.hpp"
#include "diagnostics/sampling.hpp"

namespace futon::diagnostics {

namespace detail {

namespace {

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

}  // namespace detail

void dump_json(std::ostream& out) {
    out << detail::json_of(detail::take_snapshot()) << '\n' << std::flush;
}

}  // namespace futon::diagnostics
