// SPDX-License-Identifier: MIT
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "harness/histogram.hpp"

namespace bench {

using Clock = std::chrono::steady_clock;

inline double nanoseconds(Clock::duration length) {
    return std::chrono::duration<double, std::nano>(length).count();
}

/// How long a run may take: seconds, to see that everything works; a few minutes, to compare; some twenty-five, for
/// figures to quote.
enum class Effort { smoke, quick, extended };

/// What a contestant is to the comparison: futon, a peer (another library that does the same), or the floor, the least
/// that the task can cost.
enum class Kind { ours, peer, floor };

/// The point at which something is measured, "threads" = 4 for example.
using Point = std::map<std::string, double>;

/// Names one record of the results: which contestant (`who`) does what at which point.
struct Key {
    std::string measure;
    std::string who;
    Kind kind = Kind::ours;
    Point at = {};
};

/// What one round of one contestant gave.
struct Sample {
    std::map<std::string, double> values = {};
    std::map<std::string, Histogram> latencies = {};
};

/// User and system time of this process, in nanoseconds.
struct CpuTime {
    double user;
    double system;

    static CpuTime now();
};

/// Wall time and CPU time of `f()` for each of `operations`: "ns", "user_ns" and "sys_ns".
template <class F>
Sample time_of(double operations, F&& f) {
    const CpuTime cpu = CpuTime::now();
    const Clock::time_point begin = Clock::now();
    std::forward<F>(f)();
    const Clock::time_point end = Clock::now();
    const CpuTime cpu_end = CpuTime::now();
    Sample sample;
    sample.values = {{"ns", nanoseconds(end - begin) / operations},
                     {"user_ns", (cpu_end.user - cpu.user) / operations},
                     {"sys_ns", (cpu_end.system - cpu.system) / operations}};
    return sample;
}

/// A program that answers one question: its options, its trials, its results.
///
/// Trials run in rounds, each once in every round, so that a disturbance of the machine hits all of them; the order
/// changes from round to round. A second thread lives as long as the session: in a process with one thread glibc omits
/// atomic instructions.
class Session {
public:
    /// Reads the options; ends the program if they are wrong or ask for help.
    Session(int argc, char** argv, std::string question);
    ~Session();
    Session(const Session&) = delete;
    Session& operator=(const Session&) = delete;

    Effort effort() const noexcept { return effort_; }

    /// The value for the effort of this run.
    template <class T>
    T pick(T smoke, T quick, T extended) const {
        return effort_ == Effort::smoke ? smoke : effort_ == Effort::quick ? quick : extended;
    }

    /// 10^first, 10^(first+1) ... up to the power for the effort of this run.
    std::vector<std::size_t> powers_of_ten(int first, int smoke, int quick, int extended) const;

    /// Adds a trial to the next rounds, unless the options leave it out.
    void add(Key key, std::function<Sample()> trial);

    /// Runs the added trials, `rounds` times.
    void run(std::size_t rounds);

    /// Records a value that needs no rounds, a size for example.
    void note(Key key, std::map<std::string, double> values);

    /// Writes the results. Returns what `main` should.
    int finish();

private:
    struct Record {
        Key key;
        std::map<std::string, std::vector<double>> rounds;
        std::map<std::string, Histogram> latencies;
    };
    struct Trial {
        Record record;
        std::function<Sample()> run;
    };

    std::string question_;
    Effort effort_ = Effort::quick;
    std::string output_;
    bool is_loud_ = false;
    std::string only_;
    std::vector<Trial> trials_;
    std::vector<Record> records_;
    std::jthread second_thread_;
};

}  // namespace bench
