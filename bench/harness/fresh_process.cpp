// SPDX-License-Identifier: MIT
#include "harness/fresh_process.hpp"

#include <cerrno>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include <sys/wait.h>
#include <unistd.h>

namespace bench {

double in_a_fresh_process(const std::function<double()>& f) {
    int ends[2];
    if (pipe(ends) != 0) throw std::system_error(errno, std::system_category(), "pipe");
    const pid_t child = fork();
    if (child < 0) throw std::system_error(errno, std::system_category(), "fork");
    if (child == 0) {
        const double result = f();
        const bool is_written = write(ends[1], &result, sizeof result) == sizeof result;
        std::_Exit(is_written ? 0 : 1);
    }
    close(ends[1]);
    double result = 0;
    const bool is_read = read(ends[0], &result, sizeof result) == sizeof result;
    close(ends[0]);
    int status = 0;
    waitpid(child, &status, 0);
    if (!is_read || status != 0) throw std::runtime_error("the copy of this process ended without a result");
    return result;
}

}  // namespace bench
