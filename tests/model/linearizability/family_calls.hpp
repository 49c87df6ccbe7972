// SPDX-License-Identifier: MIT
#pragma once

#include <futon/futon.hpp>

#include "stage.hpp"

namespace futon::test {

// What the calls of the family do, with the subject of the program.

Answer call_at_once(Subject::Type type, const Call& call);
Answer block_for_subject(const Stage& stage, const Call& call, Deadline deadline);

Answer answer_to(const SendResult<>& result);
Answer answer_to(const Received<int>& result);

}  // namespace futon::test
