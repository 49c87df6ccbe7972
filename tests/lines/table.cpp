// SPDX-License-Identifier: MIT
//
// Prints the table of docs/protocol.md; with --lines, too, which code accesses the lines. The offsets are those of the program, for
// addr2line.
#include <cstdio>
#include <cstring>

#include "cost.hpp"

using futon::test::Cost;

int main(int argc, char** argv) {
    const bool is_verbose = argc > 1 && std::strcmp(argv[1], "--lines") == 0;
    std::puts(
        "| operation | lines that two cores share for it | transfers | shared by unrelated objects | by objects of one "
        "shard |");
    std::puts("|---|---:|---:|---:|---:|");
    for (const auto& operation : futon::test::operations()) {
        const Cost one = futon::test::of_one_object(operation);
        const Cost unrelated = futon::test::of_unrelated_objects(operation, operation);
        const Cost neighbours = futon::test::of_neighbours(operation, operation);
        std::printf("| %s | %zu | %zu | %zu | %zu |\n", operation.name, one.lines.size(), one.transfers,
                    unrelated.lines.size(), neighbours.lines.size());
        if (!is_verbose) continue;
        for (const Cost* cost : {&one, &unrelated, &neighbours}) {
            for (const auto& line : cost->lines) std::printf("    %s\n", line.describe().c_str());
            std::puts("");
        }
    }
}
