// SPDX-License-Identifier: MIT
#include "snapshot.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "problem.hpp"
#include "process.hpp"

namespace futon::top {

namespace {

using Json = nlohmann::ordered_json;

/// A field of another type than it should have, and the fields that it is in.
struct WrongType {
    const char* expected;
    std::string path;
};

template <class T>
void read(const Json& json, const char* name, T& to);

void from(const Json& json, Durations& to) {
    read(json, "count", to.count);
    read(json, "p50", to.p50);
    read(json, "p99", to.p99);
    read(json, "max", to.max);
}

void from(const Json& json, Profile& to) {
    read(json, "acquisitions", to.acquisitions);
    read(json, "contended", to.contended);
    read(json, "handoffs", to.handoffs);
    read(json, "barged", to.barged);
    read(json, "offers_expired", to.offers_expired);
    read(json, "wait_ns", to.wait);
    read(json, "hold_ns", to.hold);
}

void from(const Json& json, Holder& to) {
    read(json, "who", to.who);
    read(json, "mode", to.mode);
    read(json, "amount", to.amount);
    read(json, "since_ns", to.since);
    read(json, "where", to.where);
}

void from(const Json& json, Waiter& to) {
    read(json, "who", to.who);
    read(json, "operation", to.operation);
    read(json, "since_ns", to.since);
    read(json, "where", to.where);
}

void from(const Json& json, Object& to) {
    read(json, "address", to.address);
    read(json, "kind", to.kind);
    read(json, "name", to.name);
    read(json, "holders", to.holders);
    read(json, "waiters", to.waiters);
    read(json, "profile", to.profile);
}

void from(const Json& json, PlaceProfile& to) {
    read(json, "object", to.object);
    read(json, "where", to.where);
    read(json, "profile", to.profile);
}

void from(const Json& json, Thread& to) {
    read(json, "id", to.id);
    read(json, "number", to.number);
    read(json, "name", to.name);
}

void from(const Json& json, Loop& to) {
    read(json, "id", to.id);
    read(json, "name", to.name);
    read(json, "thread", to.thread);
    read(json, "delay_ns", to.delay);
    read(json, "longest_delay_ns", to.longest_delay);
}

void from(const Json& json, Task& to) {
    read(json, "id", to.id);
    read(json, "loop", to.loop);
}

void from(const Json& json, std::string& to) {
    if (!json.is_string()) throw WrongType{"a string", {}};
    json.get_to(to);
}

void from(const Json& json, std::int64_t& to) {
    if (!json.is_number()) throw WrongType{"a number", {}};
    json.get_to(to);
}

template <class T>
void from(const Json& json, std::vector<T>& to) {
    if (!json.is_array()) throw WrongType{"an array", {}};
    for (const Json& element : json) from(element, to.emplace_back());
}

/// A field that is not there keeps its default: another version of futon may know fewer.
template <class T>
void read(const Json& json, const char* name, T& to) {
    if (!json.is_object()) throw WrongType{"an object", {}};
    const auto found = json.find(name);
    if (found == json.end()) return;
    try {
        from(*found, to);
    } catch (WrongType& wrong) {
        wrong.path = wrong.path.empty() ? name : std::string(name) + "." + wrong.path;
        throw;
    }
}

[[noreturn]] void throw_broken(const Process& process, const std::string& why) {
    throw Problem(Exit::broken_answer, "the answer of the process " + process.title() + " is broken: " + why);
}

/// The answer's JSON, which is at least an object with the fields that every snapshot has.
Json checked(const std::string& answer, const Process& process) {
    Json json;
    try {
        json = Json::parse(answer);
    } catch (const Json::exception& error) {
        throw_broken(process, error.what());
    }
    if (!json.is_object()) throw_broken(process, "it is not an object");
    if (const auto error = json.find("error"); error != json.end() && error->is_string())
        throw Problem(Exit::failed, "the process " + process.title() + " answers: " + error->get<std::string>());
    for (const char* name : {"pid", "time_ns", "objects"})
        if (!json.contains(name)) throw_broken(process, std::string("it has no ") + name);
    return json;
}

}  // namespace

std::string Object::title() const {
    if (!name.empty()) return name;
    return kind.empty() ? address : kind + " " + address;
}

std::string Snapshot::describe(const std::string& who) const {
    const auto is_it = [&](const auto& one) { return one.id == who; };
    const auto of_name = [](const std::string& name) { return name.empty() ? std::string() : " " + name; };
    if (const auto thread = std::find_if(threads.begin(), threads.end(), is_it); thread != threads.end())
        return who + of_name(thread->name) + " (" + std::to_string(thread->number) + ")";
    if (const auto loop = std::find_if(loops.begin(), loops.end(), is_it); loop != loops.end())
        return "loop " + who + of_name(loop->name);
    if (const auto task = std::find_if(tasks.begin(), tasks.end(), is_it); task != tasks.end() && !task->loop.empty())
        return "coroutine " + who + " of " + task->loop;
    return who;
}

Snapshot parse(const std::string& answer, const Process& process) {
    const Json json = checked(answer, process);
    Snapshot snapshot;
    try {
        read(json, "futon", snapshot.futon);
        read(json, "program", snapshot.program);
        read(json, "pid", snapshot.process);
        read(json, "time_ns", snapshot.time);
        read(json, "threads", snapshot.threads);
        read(json, "loops", snapshot.loops);
        read(json, "tasks", snapshot.tasks);
        read(json, "objects", snapshot.objects);
        read(json, "sampled_one_in", snapshot.sampled_one_in);
        read(json, "places", snapshot.places);
    } catch (const WrongType& wrong) {
        throw_broken(process, wrong.path + " is not " + wrong.expected);
    }
    return snapshot;
}

std::string pretty(const std::string& answer, const Process& process) {
    parse(answer, process);
    return checked(answer, process).dump(2);
}

}  // namespace futon::top
