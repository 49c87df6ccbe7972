// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

futon::Word<double> attempt(double& cell) {
    return cell;
}
