// SPDX-License-Identifier: MIT
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "diagnostics/server.hpp"
#include "diagnostics/socket_path.hpp"

// A program whose diagnostics are the lines of a file: each question is answered by the next one, and at the end by the last.
// PID stands for the number of the process. It says when it serves, and ends with its standard input.
int main(int argc, char** argv) {
    std::vector<std::string> answers;
    std::ifstream file(argc > 1 ? argv[1] : "");
    for (std::string line; std::getline(file, line);) {
        if (const std::size_t place = line.find("PID"); place != std::string::npos)
            line.replace(place, 3, std::to_string(getpid()));
        answers.push_back(line);
    }
    if (answers.empty()) return 2;
    std::size_t next = 0;
    try {
        const futon::diagnostics::detail::Server server(futon::diagnostics::detail::socket_path(), [&] {
            const std::string& answer = answers[next];
            if (next + 1 < answers.size()) ++next;
            return answer;
        });
        std::cout << getpid() << std::endl;
        for (std::string line; std::getline(std::cin, line);)
            if (line == "die") std::raise(SIGKILL);
    } catch (const std::exception& error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
}
