// SPDX-License-Identifier: MIT
#pragma once

#include "generated_program.hpp"
#include "history.hpp"

namespace futon::test {

/// Performs the program with the library, within an exploration, and writes down what happens.
void perform(const GeneratedProgram& program, History& history);

}  // namespace futon::test
