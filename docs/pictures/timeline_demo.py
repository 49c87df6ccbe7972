# SPDX-License-Identifier: MIT
"""A part of the timeline that ./dev demo --trace writes."""

import timeline


def draw():
    return timeline.draw(
        "demo", "An event loop and four threads share a lock",
        "A part of the demo's timeline: rows for the loop, its coroutines and four worker threads. One after the other holds the shared lock; "
        "the others wait for it meanwhile, and the loop runs short jobs.")
