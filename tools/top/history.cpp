// SPDX-License-Identifier: MIT
#include "history.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "text.hpp"

namespace futon::top {

namespace {

/// What is compared first; the rest decides between equals, so that rows do not change places without a reason.
double weight(const Row& row, Sort sort) {
    const Object& object = *row.object;
    switch (sort) {
        case Sort::waiters:
            return static_cast<double>(object.waiters.size());
        case Sort::wait:
            return static_cast<double>(object.profile.wait.p99);
        case Sort::hold:
            return static_cast<double>(object.profile.hold.p99);
        case Sort::contended:
            break;
    }
    return row.contended.value_or(static_cast<double>(object.profile.contended));
}

}  // namespace

void History::add(Snapshot snapshot) {
    if (!latest_ || snapshot.time < latest_->time) {
        before_.reset();
        begin_ = snapshot.time;
    } else if (snapshot.time > latest_->time) {
        before_ = std::move(latest_);
    }
    latest_ = std::move(snapshot);
    compare();
}

void History::compare() {
    rows_.clear();
    std::unordered_map<std::string, const Profile*> past;
    if (before_)
        for (const Object& object : before_->objects) past.emplace(object.identity(), &object.profile);
    for (const Object& object : latest_->objects) {
        Row& row = rows_.emplace_back(Row{&object, {}, {}});
        if (!before_) continue;
        const auto old = past.find(object.identity());
        // With fewer acquisitions than before it is a new object at the address of an old one.
        const bool is_old = old != past.end() && old->second->acquisitions <= object.profile.acquisitions;
        const Profile then = is_old ? *old->second : Profile();
        const double seconds = static_cast<double>(latest_->time - before_->time) / 1e9;
        const auto rate = [&](std::int64_t change) {
            return static_cast<double>(std::max<std::int64_t>(change, 0)) / seconds;
        };
        row.contended = rate(object.profile.contended - then.contended);
        row.acquired = rate(object.profile.acquisitions - then.acquisitions);
    }
}

std::vector<Row> History::rows(Sort sort, const std::string& filter) const {
    std::vector<Row> rows;
    std::copy_if(rows_.begin(), rows_.end(), std::back_inserter(rows), [&](const Row& row) {
        return contains(row.object->name, filter) || contains(row.object->kind, filter) ||
               contains(row.object->address, filter);
    });
    const auto key = [&](const Row& row) {
        return std::tuple(-weight(row, sort), -static_cast<double>(row.object->waiters.size()),
                          -row.object->profile.contended);
    };
    std::sort(rows.begin(), rows.end(), [&](const Row& one, const Row& other) {
        const auto first = key(one), second = key(other);
        if (first != second) return first < second;
        return std::tie(one.object->name, one.object->address, one.object->kind) <
               std::tie(other.object->name, other.object->address, other.object->kind);
    });
    return rows;
}

}  // namespace futon::top
