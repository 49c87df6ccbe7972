// SPDX-License-Identifier: MIT
#include <map>
#include <string>
#include <utility>

#include "exploration.hpp"

// What a failed schedule is told in: its steps, the fibers that wait, and the places by the names that the program gave them.
namespace futon::explorer {

void Exploration::name(const void* begin, std::size_t size, std::string text) {
    const bool was_deciding = std::exchange(is_deciding_, true);  // the explorer's memory does not fail
    names_.add(begin, size, std::move(text), events_.size());
    is_deciding_ = was_deciding;
}

std::string Exploration::trace() const {
    std::string text;
    std::map<const void*, std::size_t> numbers;
    for (std::size_t i = 0; i < events_.size(); ++i) {
        const Event& event = events_[i];
        text += "  " + std::to_string(event.fiber) + " " + fiber(event.fiber).name + ": " + event.what;
        if (event.place != nullptr) {
            std::string name = names_.text_of(event.place, i);
            if (name.empty())
                name = "#" + std::to_string(numbers.try_emplace(event.place, numbers.size() + 1).first->second);
            text += " " + name;
        }
        text += '\n';
    }
    return text;
}

/// Which fibers wait, each with the last step that it took on a place with a name.
std::string Exploration::waiting() const {
    std::string text;
    for (int i = 0; i < count_; ++i) {
        if (fiber(i).has_ended || fiber(i).is_background || fiber(i).place == this)
            continue;  // which waits for the others
        text += text.empty() ? ". Waiting: " : "; ";
        text += std::to_string(i) + " " + fiber(i).name;
        for (std::size_t event = events_.size(); event-- > 0;) {
            const Event& step = events_[event];
            if (step.fiber != i || step.place == nullptr) continue;
            const std::string name = names_.text_of(step.place, event);
            if (name.empty()) continue;
            text += std::string(", after ") + step.what + " " + name;
            break;
        }
    }
    return text;
}

void Exploration::fail_at(const char* kind, const void* place, const char* what) {
    is_deciding_ = true;
    const std::string name = names_.text_of(place, events_.size());
    fail(kind + (name.empty() ? std::string() : " on " + name) + ": " + what);
}

}  // namespace futon::explorer
