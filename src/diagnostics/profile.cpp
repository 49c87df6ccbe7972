// SPDX-License-Identifier: MIT
#include "diagnostics/profile.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <new>
#include <ostream>
#include <thread>
#include <utility>

#include <futon/diagnostics.hpp>

#include "diagnostics/sampling.hpp"

namespace futon::diagnostics {

namespace detail {

namespace {

constexpr std::size_t most_sites = 1024;

/// All under the registry's mutex.
struct Sites {
    Site* all = nullptr;  // memory that is touched as it is used
    std::size_t count = 0;
    std::array<std::uint16_t, most_sites * 2> index{};  // by hash: 1 + a place's number; 0 if free
    Site elsewhere;

    Sites() noexcept : all(static_cast<Site*>(std::calloc(most_sites, sizeof(Site)))) {
        constexpr std::string_view name = "elsewhere";
        std::copy(name.begin(), name.end(), elsewhere.label.begin());
    }
};

Sites& sites() noexcept {
    static Sites& sites = *new Sites;
    return sites;
}

std::string_view label_of(const Site& site) noexcept {
    return site.label.data();  // ends with a zero
}

std::size_t hash_of(std::string_view label, const Place& place) noexcept {
    std::size_t hash = std::hash<std::string_view>()(label);
    for (const void* const frame : place.frames) {
        if (frame == nullptr) break;
        hash = (hash ^ reinterpret_cast<std::uintptr_t>(frame)) * static_cast<std::size_t>(0x9e3779b97f4a7c15U);
    }
    return hash ^ hash >> (sizeof hash * 4);
}

}  // namespace

Site* site_of(const void* address, std::string_view kind, const Place& place) noexcept {
    Sites& known = sites();
    std::string_view label = kind.empty() ? "word" : kind;
    if (const std::string* const name = Registry::get().name_of(address)) label = *name;
    label = label.substr(0, Site{}.label.size() - 1);
    for (std::size_t at = hash_of(label, place);; ++at) {
        std::uint16_t& number = known.index[at % known.index.size()];
        if (number == 0) {
            if (known.count == most_sites || known.all == nullptr) return &known.elsewhere;
            Site* const made = ::new (&known.all[known.count]) Site;
            std::copy(label.begin(), label.end(), made->label.begin());
            made->place = place;
            number = static_cast<std::uint16_t>(++known.count);
            return made;
        }
        Site& site = known.all[number - 1];
        if (site.place == place && label_of(site) == label) return &site;
    }
}

std::vector<SeenSite> take_sites() {
    std::vector<Site> copies;
    copies.reserve(most_sites + 1);
    // In parts, so that no caller waits for all of them: places are added, and never taken away.
    constexpr std::size_t part = 64;
    for (bool goes_on = true; goes_on; std::this_thread::yield()) {
        const std::scoped_lock hold(Registry::get().mutex);
        const Sites& known = sites();
        const std::size_t end = std::min(copies.size() + part, known.count);
        copies.insert(copies.end(), known.all + copies.size(), known.all + end);
        goes_on = end < known.count;
        if (!goes_on) copies.push_back(known.elsewhere);
    }
    // A call has several places, by its stack, and with or without a wait; its line is one.
    std::map<std::pair<std::string, std::string>, Profile> lines;
    for (const Site& site : copies) {
        const Profile& profile = site.profile;
        if (profile.acquisitions == 0 && profile.wait.count() == 0) continue;
        lines[{std::string(label_of(site)), text_of(site.place)}].add(profile);
    }
    std::vector<SeenSite> seen;
    seen.reserve(lines.size());
    for (auto& [texts, profile] : lines) seen.push_back({texts.first, texts.second, profile});
    std::stable_sort(seen.begin(), seen.end(), [](const SeenSite& one, const SeenSite& other) {
        return one.profile.wait.sum() > other.profile.wait.sum();
    });
    return seen;
}

}  // namespace detail

void write_profile(std::ostream& out) {
    using namespace detail;
    const std::vector<SeenSite> seen = take_sites();
    if (const std::uint32_t rate = sampled_one_in(); rate > 1)
        out << "counts are estimates: one of " << rate << " acquisitions is seen\n";
    if (seen.empty()) out << "nothing was acquired, or waited for\n";
    std::size_t widest = 6, widest_place = 5;
    for (const SeenSite& site : seen) {
        widest = std::max(widest, site.label.size());
        widest_place = std::max(widest_place, site.where.size());
    }
    const auto line = [&](const std::string& label, const std::string& where,
                          const std::array<std::string, 10>& cells) {
        std::string text = label + std::string(widest + 2 - label.size(), ' ');
        text += where + std::string(widest_place - where.size(), ' ');
        for (const std::string& cell : cells)
            text += "  " + std::string(cell.size() < 8 ? 8 - cell.size() : 0, ' ') + cell;
        out << text << '\n';
    };
    if (!seen.empty())
        line("OBJECT", "PLACE",
             {"ACQUIRED", "WAITED", "WAIT SUM", "WAIT p50", "p99", "HOLD p50", "p99", "HANDOFFS", "BARGED"});
    for (const SeenSite& site : seen) {
        const Profile& profile = site.profile;
        std::array<char, 16> share{};
        const double acquisitions = static_cast<double>(std::max<std::uint64_t>(profile.acquisitions, 1));
        std::snprintf(share.data(), share.size(), "%.1f %%",
                      static_cast<double>(profile.contended) * 100 / acquisitions);
        line(site.label, site.where,
             {std::to_string(profile.acquisitions), profile.acquisitions == 0 ? "-" : share.data(),
              text_of(profile.wait.sum()), text_of(profile.wait.quantile(.5)), text_of(profile.wait.quantile(.99)),
              text_of(profile.hold.quantile(.5)), text_of(profile.hold.quantile(.99)), std::to_string(profile.handoffs),
              std::to_string(profile.barged)});
    }
    out << std::flush;
}

}  // namespace futon::diagnostics
