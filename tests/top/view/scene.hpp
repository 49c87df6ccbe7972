// SPDX-License-Identifier: MIT
#pragma once

#include <algorithm>
#include <clocale>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <vector>

#include "history.hpp"
#include "snapshot.hpp"
#include "view.hpp"

namespace futon::top::test {

inline constexpr std::int64_t second = 1'000'000'000;

/// Text is of UTF-8 while it lives.
class Utf8 {
public:
    Utf8() {
        if (std::setlocale(LC_ALL, "C.UTF-8") == nullptr) throw std::runtime_error("there is no locale C.UTF-8");
    }
    Utf8(const Utf8&) = delete;
    ~Utf8() { std::setlocale(LC_ALL, "C"); }
};

inline Object make_object(std::string name, std::int64_t contended, std::string address = "0x10") {
    Object object;
    object.address = std::move(address);
    object.kind = "AsyncLock";
    object.name = std::move(name);
    object.profile.acquisitions = 10 * contended;
    object.profile.contended = contended;
    return object;
}

/// A place of so many acquisitions, each tenth of which had to wait for as many microseconds.
inline PlaceProfile make_place(std::string object, std::string where, std::int64_t count) {
    PlaceProfile place;
    place.object = std::move(object);
    place.where = std::move(where);
    place.profile.acquisitions = count;
    place.profile.contended = count / 10;
    place.profile.wait = {count / 10, count * 1000, count * 2000, count * 3000};
    return place;
}

inline Snapshot make_snapshot(std::int64_t time, std::vector<Object> objects) {
    Snapshot snapshot;
    snapshot.program = "bank";
    snapshot.process = 4711;
    snapshot.time = time;
    snapshot.threads.push_back({"t1", "teller", 4712});
    snapshot.loops.push_back({"l1", "", "t1", 120'000, 4'000'000});
    snapshot.tasks.push_back({"c5", "l1"});
    snapshot.objects = std::move(objects);
    return snapshot;
}

inline Press press(const char* character) {
    return {Press::Key::character, character};
}

inline Press press(Press::Key key) {
    return {key, {}};
}

inline std::vector<std::string> names(const std::vector<Row>& rows) {
    std::vector<std::string> found;
    for (const Row& row : rows) found.push_back(row.object->name);
    return found;
}

inline std::string text(const std::vector<Line>& lines) {
    std::string all;
    for (const Line& line : lines) all += line.text + "\n";
    return all;
}

inline bool contains_text(const std::vector<Line>& lines, const std::string& part) {
    return text(lines).find(part) != std::string::npos;
}

/// What the selected line begins with; empty if there is none.
inline std::string selected(const std::vector<Line>& lines) {
    const auto found =
        std::find_if(lines.begin(), lines.end(), [](const Line& line) { return line.style == Line::Style::selected; });
    return found == lines.end() ? "" : found->text.substr(2, found->text.find(' ', 2) - 2);
}

}  // namespace futon::top::test
