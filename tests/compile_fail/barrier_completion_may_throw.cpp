// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>

void end_phase();

void make() {
    futon::Barrier barrier(2, [] { end_phase(); });
}
