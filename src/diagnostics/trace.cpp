// SPDX-License-Identifier: MIT
#include "diagnostics/trace.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <sstream>
#include <string>
#include <system_error>
#include <unordered_map>
#include <utility>
#include <vector>

#include <futon/diagnostics.hpp>
#include <futon/version.hpp>

#include "diagnostics/json.hpp"
#include "diagnostics/registry.hpp"
#include "diagnostics/sampling.hpp"
#include "diagnostics/timeline_page.hpp"

namespace futon::diagnostics {

namespace detail {

namespace {

enum class Kind : std::uint8_t { waiting, held, job, woke, was_woken };

struct Event {
    Kind kind{};
    Hold hold{};
    bool is_ok = false, goes_on = false;
    std::uint32_t row = 0;
    std::uint32_t name = 0;  // in Recording::names
    const void* object = nullptr;
    const char* text = "";  // the operation, or the kind of object
    std::int64_t since = 0, length = 0;
    std::uint64_t wake = 0;
};

/// A row of the timeline: a thread, its event loop, a coroutine.
struct Row {
    Actor actor;
    bool is_loop = false;
};

/// Under the registry's mutex.
struct Recording {
    std::vector<Event> events;
    std::size_t most = 0;
    std::int64_t begin = 0;
    std::uint64_t lost = 0, wakes = 0;
    std::vector<Row> rows;
    std::map<std::pair<const void*, bool>, std::uint32_t> row_of;
    std::vector<std::string> names;
    std::unordered_map<std::string, std::uint32_t> number_of;
};

Recording& recording() noexcept {
    static Recording& recording = *new Recording;
    return recording;
}

std::uint32_t row_of(const Actor& actor, bool is_loop) {
    Recording& recorded = recording();
    const auto [found, is_new] =
        recorded.row_of.try_emplace({key_of(actor), is_loop}, static_cast<std::uint32_t>(recorded.rows.size()));
    if (is_new) recorded.rows.push_back({actor, is_loop});
    return found->second;
}

/// The name of an object is that which it has now; it may have ended when the timeline is written.
std::uint32_t name_number(const void* address, const char* kind) {
    Recording& recorded = recording();
    const std::string* const name = Registry::get().name_of(address);
    std::string text;
    if (name != nullptr) {
        text = *name;
    } else {
        std::array<char, 64> number{};
        std::snprintf(number.data(), number.size(), "%s %p", kind, address);
        text = number.data();
    }
    const auto [found, is_new] =
        recorded.number_of.try_emplace(text, static_cast<std::uint32_t>(recorded.names.size()));
    if (is_new) recorded.names.push_back(text);
    return found->second;
}

/// Adds an event if there is room; `make` fills it.
template <class Make>
void add(Make make) noexcept {
    Recording& recorded = recording();
    if (recorded.most == 0) return;
    if (recorded.events.size() >= recorded.most) {
        ++recorded.lost;
        return;
    }
    try {
        Event event;
        make(event);
        recorded.events.push_back(event);
    } catch (const std::bad_alloc&) {
        ++recorded.lost;
    }
}

}  // namespace

void note_wait(WaitRecord& wait) noexcept {
    if (wait.address == nullptr) return;
    const std::int64_t until = now();
    note_profile(wait, until);
    const void* const address = std::exchange(wait.address, nullptr);
    Registry& registry = Registry::get();
    const auto found = registry.objects.find(address);
    const char* const kind = found != registry.objects.end() ? found->second.kind : nullptr;
    add([&](Event& event) {
        event.kind = Kind::waiting;
        event.is_ok = wait.woken_at != 0;
        event.row = row_of(wait.actor, false);
        event.name = kind != nullptr ? name_number(address, kind)
                                     : name_number(address, std::string(kind_of_operation(wait.operation)).c_str());
        event.object = address;
        event.text = wait.operation;
        event.since = wait.since;
        event.length = until - wait.since;
    });
    if (const std::uint64_t wake = std::exchange(wait.wake, 0); wake != 0)
        add([&](Event& event) {
            event.kind = Kind::was_woken;
            event.row = row_of(wait.actor, false);
            event.since = until;
            event.wake = wake;
        });
}

void note_hold(const void* address, const Object& object, const Holder& holder, std::int64_t until) noexcept {
    add([&](Event& event) {
        event.kind = Kind::held;
        event.hold = holder.hold;
        event.row = row_of(holder.actor, false);
        event.name = name_number(address, object.kind);
        event.object = address;
        event.text = object.kind;
        event.since = holder.since;
        event.length = until - holder.since;
    });
}

std::uint64_t note_wake() noexcept {
    Recording& recorded = recording();
    if (recorded.most == 0) return 0;
    const std::uint64_t wake = ++recorded.wakes;
    ThreadRecord* const thread = this_thread_if_known();
    if (thread == nullptr) return 0;
    add([&](Event& event) {
        event.kind = Kind::woke;
        event.row = row_of({thread, nullptr}, false);
        event.since = now();
        event.wake = wake;
    });
    return wake;
}

void note_job(const ThreadRecord& thread, std::int64_t since, std::int64_t length) noexcept {
    const std::scoped_lock hold(Registry::get().mutex);
    add([&](Event& event) {
        event.kind = Kind::job;
        event.row = row_of({const_cast<ThreadRecord*>(&thread), nullptr}, true);
        event.since = since;
        event.length = length;
    });
}

namespace {

/// Microseconds, with three decimals.
std::string microseconds(std::int64_t nanoseconds) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.3f", static_cast<double>(nanoseconds) / 1e3);
    return text.data();
}

/// What goes on now, as long as it has lasted since the recording began: a program that hangs has no other spans.
std::vector<Event> what_goes_on() {
    const Registry& registry = Registry::get();
    const Recording& recorded = recording();
    std::vector<Event> events;
    if (recorded.most == 0) return events;
    const std::int64_t until = now();
    const auto event_of = [&](Kind kind, const Actor& actor, std::int64_t since) -> Event& {
        Event& event = events.emplace_back();
        event.kind = kind;
        event.goes_on = true;
        event.row = row_of(actor, kind == Kind::job);
        event.since = std::max(since, recorded.begin);
        event.length = std::max<std::int64_t>(until - event.since, 0);
        return event;
    };
    for (const auto& [address, object] : registry.objects)
        for (const Holder& holder : object.holders) {
            Event& event = event_of(Kind::held, holder.actor, holder.since);
            event.hold = holder.hold;
            event.name = name_number(address, object.kind);
            event.object = address;
            event.text = object.kind;
        }
    for (const WaitRecord* wait = registry.queued.next; wait != &registry.queued; wait = wait->next) {
        const auto found = registry.objects.find(wait->address);
        Event& event = event_of(Kind::waiting, wait->actor, wait->since);
        const std::string kind(found != registry.objects.end() ? std::string(found->second.kind)
                                                               : std::string(kind_of_operation(wait->operation)));
        event.name = name_number(wait->address, kind.c_str());
        event.object = wait->address;
        event.text = wait->operation;
    }
    for (ThreadRecord* thread = registry.last_thread; thread != nullptr; thread = thread->next)
        if (const std::int64_t since = thread->job_since.load(); since != 0)
            event_of(Kind::job, {thread, nullptr}, since);
    return events;
}

void write_row(std::ostream& out, const Row& row, std::uint32_t number) {
    const bool is_task = row.actor.task != nullptr;
    std::string name = is_task ? "coroutine " : row.is_loop ? "loop of thread " : "thread ";
    name += id_of(row.actor).substr(1);
    out << R"({"ph":"M","pid":1,"tid":)" << number << R"(,"name":"thread_name","args":{"name":)" << quoted(name)
        << R"(,"kind":")"
        << (row.is_loop ? "loop"
            : is_task   ? "task"
                        : "thread")
        << "\"}},\n"
        << R"({"ph":"M","pid":1,"tid":)" << number << R"(,"name":"thread_sort_index","args":{"sort_index":)" << number
        << "}},\n";
}

void write_event(std::ostream& out, const Event& event, const std::vector<std::string>& names, std::int64_t begin) {
    const auto head = [&](const char* phase) -> std::ostream& {
        return out << "{\"ph\":\"" << phase << "\",\"pid\":1,\"tid\":" << event.row + 1
                   << ",\"ts\":" << microseconds(event.since - begin);
    };
    switch (event.kind) {
        case Kind::woke:
            head("s") << R"(,"cat":"wake","name":"wake","id":)" << event.wake << '}';
            return;
        case Kind::was_woken:
            head("f") << R"(,"bp":"e","cat":"wake","name":"wake","id":)" << event.wake << '}';
            return;
        case Kind::job:
            head("X") << R"(,"cat":"job","name":"job","dur":)" << microseconds(event.length) << R"(,"args":{}})";
            return;
        case Kind::held:
        case Kind::waiting:
            break;
    }
    std::array<char, 32> address{};
    std::snprintf(address.data(), address.size(), "%p", event.object);
    const bool is_held = event.kind == Kind::held;
    head("X") << ",\"cat\":\"" << (is_held ? "held" : "waiting") << "\",\"name\":" << quoted(names[event.name])
              << ",\"dur\":" << microseconds(event.length) << R"(,"args":{"object":")" << address.data() << "\",";
    if (is_held)
        out << R"("kind":)" << quoted(event.text) << R"(,"mode":")" << name_of(event.hold) << "\"}}";
    else
        out << R"("kind":)" << quoted(kind_of_operation(event.text)) << R"(,"operation":)" << quoted(event.text)
            << R"(,"answer":")"
            << (event.goes_on ? "goes on"
                : event.is_ok ? "ok"
                              : "ended")
            << "\"}}";
}

/// A copy of what was recorded, as the trace.
std::string trace_text() {
    Recording copy;
    std::ostringstream out;
    {
        const std::scoped_lock hold(Registry::get().mutex);
        const Recording& recorded = recording();
        const std::vector<Event> going_on = what_goes_on();
        copy.events = recorded.events;
        copy.events.insert(copy.events.end(), going_on.begin(), going_on.end());
        copy.names = recorded.names;
        copy.lost = recorded.lost;
        out << R"({"displayTimeUnit":"ns","otherData":{"program":)" << quoted(program_name()) << R"(,"futon":")"
            << version_text() << R"(","lost":)" << copy.lost << "},\n\"traceEvents\":[\n";
        for (std::size_t i = 0; i < recorded.rows.size(); ++i)
            write_row(out, recorded.rows[i], static_cast<std::uint32_t>(i + 1));
    }
    std::int64_t begin = copy.events.empty() ? 0 : copy.events.front().since;
    for (const Event& event : copy.events) begin = std::min(begin, event.since);
    // Only wake-ups of which both ends are there.
    std::unordered_map<std::uint64_t, int> ends;
    for (const Event& event : copy.events)
        if (event.wake != 0) ++ends[event.wake];
    for (const Event& event : copy.events) {
        if (event.wake != 0 && ends[event.wake] != 2) continue;
        write_event(out, event, copy.names, begin);
        out << ",\n";
    }
    out << R"({"ph":"M","pid":1,"tid":0,"name":"process_name","args":{"name":)" << quoted(program_name()) << "}}\n]}\n";
    return out.str();
}

void write_file(const std::string& path, const std::string& text, const char* what) {
    std::ofstream file(path, std::ios::binary);
    if (file) file << text << std::flush;
    if (!file) throw std::system_error(errno, std::generic_category(), std::string(what) + ": cannot write " + path);
}

}  // namespace

}  // namespace detail

void trace(std::size_t events) {
    detail::Recording fresh;
    fresh.most = events;
    fresh.begin = detail::now();
    fresh.events.reserve(events);  // so that none is allocated inside a queue's lock
    const std::scoped_lock hold(detail::Registry::get().mutex);
    detail::Recording& recorded = detail::recording();
    if (events == 0) {
        recorded.most = 0;  // what was recorded stays, to be written
    } else {
        std::swap(recorded, fresh);
    }
}

void write_trace(const std::string& path) {
    detail::write_file(path, detail::trace_text(), "futon::diagnostics::write_trace");
}

void write_timeline(const std::string& path) {
    std::ostringstream page;
    detail::write_timeline(page, detail::trace_text());
    detail::write_file(path, page.str(), "futon::diagnostics::write_timeline");
}

}  // namespace futon::diagnostics
