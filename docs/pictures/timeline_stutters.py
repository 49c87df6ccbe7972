# SPDX-License-Identifier: MIT
"""The long job of examples/48_my_loop_stutters.cpp, as it was recorded."""

import timeline


def draw():
    return timeline.draw(
        "stutters", "A loop that draws no frame while one job runs",
        "A timeline with a row for a loop and one for each coroutine. Every ten milliseconds a coroutine holds the document for two, and draws "
        "a frame. Then one job of the loop makes the index, and holds the document for a hundred: no frame is drawn meanwhile.")
