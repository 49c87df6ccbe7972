// SPDX-License-Identifier: MIT
#include "specification.hpp"

#include <algorithm>
#include <utility>

namespace futon::test {

int Specification::exchange(int word, int value) {
    return std::exchange(values_[index(word)], value);
}

int Specification::compare_exchange(int word, int expected, int desired) {
    const int seen = load(word);
    if (seen == expected) store(word, desired);
    return seen;
}

std::size_t Specification::notify(int word, std::size_t count) {
    std::deque<Waiter>& line = lines_[index(word)];
    std::size_t taken = 0;
    for (; taken < count && !line.empty(); ++taken) {
        woken_.push_back({line.front(), notifies_});
        line.pop_front();
    }
    notifies_ += taken > 0;
    return taken;
}

bool Specification::dequeue(int word, std::size_t waiter) {
    return std::erase_if(lines_[index(word)], [&](const Waiter& other) { return other.number == waiter; }) == 1;
}

bool Specification::is_woken(std::size_t waiter) const {
    return std::ranges::find(woken_, waiter, [](const Woken& woken) { return woken.waiter.number; }) != woken_.end();
}

bool Specification::settle(std::size_t waiter) {
    const auto here = std::ranges::find(woken_, waiter, [](const Woken& woken) { return woken.waiter.number; });
    if (here == woken_.end()) return false;
    const bool is_in_turn = here->waiter.loop < 0 || std::none_of(woken_.begin(), here, [&](const Woken& before) {
                                return before.notify == here->notify && before.waiter.loop == here->waiter.loop;
                            });
    if (is_in_turn) woken_.erase(here);
    return is_in_turn;
}

bool Specification::request_stop() {
    return !std::exchange(is_stopped_, true);
}

bool Specification::try_lock(int agent) {
    if (is_locked()) return false;
    owner_ = agent;
    return true;
}

bool Specification::unlock(int agent) {
    if (owner_ != agent) return false;
    owner_ = no_owner;
    return true;
}

std::string Specification::key() const {
    std::string bytes;
    const auto add = [&bytes](std::size_t number) { bytes += static_cast<char>(number); };
    for (const int value : values_) add(static_cast<std::size_t>(value));
    add(static_cast<std::size_t>(owner_));
    add(is_stopped_);
    for (const auto& line : lines_) {
        add(line.size());
        for (const Waiter& waiter : line) add(waiter.number);
    }
    for (const Woken& woken : woken_) {
        add(woken.waiter.number);
        add(static_cast<std::size_t>(woken.notify));
    }
    if (family_) family_->add_to(bytes);
    return bytes;
}

}  // namespace futon::test
