// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <string>
#include <string_view>
#include <vector>

#include <futon/detail/chrono.hpp>

/// For the tests of programs that bring a part of their own: whether it keeps the contract that the library relies on.
namespace futon::conformance {

/// How thorough a check is.
struct Options {
    int threads = 4;   ///< of each clause in which threads race; two at least
    int rounds = 500;  ///< of each thread of these

    /// After which a wait is in vain. It ends a clause that is broken, never one that holds.
    std::chrono::milliseconds patience{10'000};

    /// What a thread gets to come too early, where a table makes it wait. A table that is right lets this pass, a few times; of one
    /// that is wrong the fault may escape if a thread takes longer to start.
    std::chrono::milliseconds head_start{50};

    std::string_view only = {};  ///< the clauses whose names begin with this
};

/// A clause of a contract that does not hold.
struct BrokenClause {
    std::string name;   ///< "notify.fifo"
    std::string claim;  ///< what the contract says, in a sentence
    std::string found;  ///< what was found instead
};

/// What a check has found.
struct Report {
    std::vector<std::string> held;     ///< the names of the clauses that hold
    std::vector<BrokenClause> broken;  ///< those that do not

    /// Whether there were clauses, and all hold.
    bool holds() const noexcept { return broken.empty() && !held.empty(); }

    /// Whether the clause of this name is broken.
    bool breaks(std::string_view name) const noexcept {
        for (const BrokenClause& clause : broken)
            if (clause.name == name) return true;
        return false;
    }

    /// For people: a line for each broken clause, and one with the numbers.
    std::string text() const {
        std::string text;
        for (const BrokenClause& clause : broken)
            text += clause.name + ": " + clause.claim + "; but " + clause.found + '\n';
        return text + std::to_string(held.size()) + " clauses hold, " + std::to_string(broken.size()) + " are broken\n";
    }
};

}  // namespace futon::conformance

#include <futon/detail/end.hpp>
