# SPDX-License-Identifier: MIT
"""The deadlock of examples/47_my_program_hangs.cpp, as it was recorded."""

import timeline


def draw():
    return timeline.draw(
        "hangs", "A thread and a coroutine that wait for each other",
        "A timeline with a row for a thread and one for a coroutine. The coroutine holds the log and waits for the accounts; the thread "
        "holds the accounts and waits for the log. Neither wait ends.")
