// SPDX-License-Identifier: MIT
#include "harness/session.hpp"

#include <algorithm>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <mutex>
#include <stop_token>

#include <sys/resource.h>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "harness/median.hpp"

namespace bench {

namespace {

const char* name_of(Kind kind) {
    switch (kind) {
        case Kind::ours:
            return "ours";
        case Kind::peer:
            return "peer";
        case Kind::floor:
            return "floor";
    }
    return "";
}

/// Four digits are more than any of this is worth, and keep the file small.
double rounded(double value) {
    if (value == 0 || !std::isfinite(value)) return 0;
    const double unit = std::pow(10.0, std::floor(std::log10(std::abs(value))) - 3);
    return unit >= 1 ? std::round(value / unit) * unit : std::round(value / unit) / std::round(1 / unit);
}

double nanoseconds_of(const timeval& time) {
    return static_cast<double>(time.tv_sec) * 1e9 + static_cast<double>(time.tv_usec) * 1e3;
}

nlohmann::ordered_json summary(const Histogram& latencies) {
    return {{"count", latencies.count()},
            {"p50", rounded(latencies.quantile(0.5))},
            {"p99", rounded(latencies.quantile(0.99))},
            {"p99.9", rounded(latencies.quantile(0.999))}};
}

std::string described(const Key& key) {
    std::string text = key.measure + ", " + key.who;
    for (const auto& [name, value] : key.at) text += ", " + name + " " + nlohmann::json(value).dump();
    return text;
}

void sleep_until_stopped(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock hold(mutex);
    stopped.wait(hold, stop, [] { return false; });
}

}  // namespace

CpuTime CpuTime::now() {
    rusage used{};
    getrusage(RUSAGE_SELF, &used);
    return {nanoseconds_of(used.ru_utime), nanoseconds_of(used.ru_stime)};
}

Session::Session(int argc, char** argv, std::string question)
    : question_(std::move(question)), second_thread_(sleep_until_stopped) {
    CLI::App app("Measures futon beside its peers: " + question_);
    const std::map<std::string, Effort> efforts{
        {"smoke", Effort::smoke}, {"quick", Effort::quick}, {"long", Effort::extended}};
    app.add_option("--effort", effort_, "smoke, quick or long")->transform(CLI::CheckedTransformer(efforts));
    app.add_option("--output", output_, "a file for the results (JSON); default: standard output");
    app.add_flag("--loud", is_loud_, "print each trial and its duration");
    app.add_option("--only", only_, "the trials whose description, as --loud prints it, contains this; for a profiler");
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        std::exit(app.exit(error));
    }
}

Session::~Session() = default;

std::vector<std::size_t> Session::powers_of_ten(int first, int smoke, int quick, int extended) const {
    std::vector<std::size_t> result;
    const int last = pick(smoke, quick, extended);
    std::size_t value = 1;
    for (int power = 0; power <= last; ++power, value *= 10)
        if (power >= first) result.push_back(value);
    return result;
}

void Session::add(Key key, std::function<Sample()> trial) {
    if (described(key).find(only_) == std::string::npos) return;
    trials_.push_back({{std::move(key), {}, {}}, std::move(trial)});
}

void Session::run(std::size_t rounds) {
    for (std::size_t round = 0; round < rounds; ++round) {
        // Each trial is first in some round, and every other round runs backwards, so that no trial always follows the
        // same one.
        for (std::size_t i = 0; i < trials_.size(); ++i) {
            const std::size_t place = round % 2 == 0 ? i : trials_.size() - 1 - i;
            Trial& trial = trials_[(place + round / 2) % trials_.size()];
            const Clock::time_point begin = Clock::now();
            const Sample sample = trial.run();
            for (const auto& [name, value] : sample.values) trial.record.rounds[name].push_back(value);
            for (const auto& [name, histogram] : sample.latencies) trial.record.latencies[name].add(histogram);
            if (is_loud_)
                std::fprintf(stderr, "%8.0f ms  %s\n", nanoseconds(Clock::now() - begin) / 1e6,
                             described(trial.record.key).c_str());
        }
    }
    for (Trial& trial : trials_) records_.push_back(std::move(trial.record));
    trials_.clear();
}

void Session::note(Key key, std::map<std::string, double> values) {
    Record record{std::move(key), {}, {}};
    for (const auto& [name, value] : values) record.rounds[name].push_back(value);
    records_.push_back(std::move(record));
}

int Session::finish() {
    nlohmann::ordered_json results;
    results["question"] = question_;
    results["compiler"] = FUTON_BENCH_COMPILER;
    for (const Record& record : records_) {
        nlohmann::ordered_json entry;
        entry["measure"] = record.key.measure;
        entry["who"] = record.key.who;
        entry["kind"] = name_of(record.key.kind);
        entry["at"] = record.key.at;
        for (const auto& [name, values] : record.rounds) {
            entry["median"][name] = rounded(median(values));
            for (const double value : values) entry["rounds"][name].push_back(rounded(value));
        }
        for (const auto& [name, histogram] : record.latencies) entry["latency"][name] = summary(histogram);
        results["records"].push_back(std::move(entry));
    }

    if (output_.empty()) {
        std::cout << results.dump(1) << '\n';
        return 0;
    }
    std::ofstream file(output_);
    file << results.dump() << '\n';
    file.close();
    if (!file) std::cerr << "cannot write " << output_ << '\n';
    return file ? 0 : 1;
}

}  // namespace bench
