# SPDX-License-Identifier: MIT
"""What the site has, and in which order: the documents of the menu, and the public headers by topic."""

import doxygen

# (title of the section, [(path in the repository, title in the menu)]); None as the title: that of the document.
# What is not there is left out; a path that ends in * stands for all such documents, by name.
MENU = [
    ("Learn", [
        ("README.md", "What futon is"),
        ("docs/start.md", "Start here"),
        ("docs/guide.md", "Guide"),
        ("docs/primitives.md", "Primitives"),
        ("docs/fairness.md", "Fairness"),
        ("docs/cookbook.md", "Cookbook"),
        ("docs/pictures.md", "Pictures"),
        ("docs/glossary.md", "Glossary"),
        ("examples", "Examples"),
    ]),
    ("Coming from", [
        ("docs/from/std.md", "std"),
        ("docs/from/tokio.md", "tokio"),
        ("docs/from/go.md", "Go"),
        ("docs/from/kotlin.md", "Kotlin"),
        ("docs/from/javascript.md", "JavaScript"),
    ]),
    ("Adapters", [
        ("docs/adapters/asio.md", "Asio"),
        ("docs/adapters/qt.md", "Qt"),
        ("docs/adapters/glib.md", "GLib"),
        ("docs/adapters/uv.md", "libuv"),
        ("docs/adapters/any_loop.md", "Any other loop"),
        ("docs/adapters/*", None),
        ("docs/server.md", None),
        ("bindings/node/README.md", "Node"),
        ("docs/web.md", None),
        ("docs/web_setup.md", None),
        ("docs/web_cpp.md", None),
    ]),
    ("In a program", [
        ("docs/install.md", "Install"),
        ("docs/platforms.md", None),
        ("docs/windows.md", None),
        ("docs/misuse.md", None),
        ("docs/memory_model.md", None),
        ("docs/processes.md", None),
        ("docs/plugins.md", None),
        ("docs/my_program_hangs.md", None),
        ("docs/my_loop_stutters.md", None),
        ("docs/diagnostics.md", None),
        ("docs/debugging.md", None),
        ("docs/exploring_your_own_lock.md", None),
    ]),
    ("Inside", [
        ("docs/protocol.md", None),
        ("docs/verification.md", None),
        ("docs/comparison.md", None),
        ("docs/benchmarks.md", None),
        ("docs/decisions", "Decisions"),
        ("CONTRIBUTING.md", "Contributing"),
        ("CHANGELOG.md", "Changelog"),
    ]),
]

# The headers by topic, without `futon/` and `.hpp`; each public header stands in one of them. What is not there is left out.
# `sync/*` are those of that folder that no topic names: a new primitive is found, and a part of one is named.
REFERENCE = [
    ("Waiting", ["atomics", "change_and_notify", "wait_async_result", "wait_result", "limits", "deadline", "select", "operations", "pause", "word"]),
    ("Locks", ["sync/async_lock", "sync/guarded", "sync/lock_all", "sync/shared_lock", "fairness"]),
    ("Primitives", ["sync/*", "scope"]),
    ("Loops and promises", ["event_loop", "agent", "executor", "job", "timer", "sleep", "promise", "promise_source",
                            "promise_combine", "native_handle"]),
    ("Memory", ["shared_array_buffer", "typed_array"]),
    ("Errors, version", ["errors", "version", "futon"]),
    ("For authors: operations", ["core/operation/arbiter", "core/operation/arbiter_base", "core/operation/arbiter_rules", "core/operation/operation", "core/operation/operation_cycle", "core/operation/operation_hooks", "core/until",
                                 "core/driver/block", "core/driver/await", "core/driver/await_on", "core/driver/promise_of", "core/driver/await_select", "core/driver/choice", "core/driver/selection", "core/driver/select_cycle", "core/driver/select_waiter",
                                 "core/operation/select_group", "core/driver/settling"]),
    ("For authors: waiters", ["core/queue/waiter", "core/queue/wait_check", "core/queue/wait_table", "core/queue/private_table", "core/queue/async_waiter",
                              "core/loop/agent_waiter", "core/loop/executor_waiter", "core/queue/blocked_waiter", "core/operation/operation_waiter", "core/driver/operation_task", "core/atomic", "core/probe"]),
    ("For authors: conformance", ["conformance/wait_table", "conformance/report"]),
    ("For authors: loops", ["core/loop/loop_executor", "core/loop/loop_base", "core/loop/hosted_loop", "core/loop/host_waker", "core/driver/call_back",
                            "core/loop/timer_wheel", "core/operation/pace", "core/operation/poll_pace", "core"]),
    ("Parts of other headers", ["sync/async_lock_guard", "detail/sync/async_lock_operation", "detail/sync/async_lock_tasks",
                                "detail/sync/async_lock_uncontended", "detail/sync/barrier_base", "sync/blocking_guard", "detail/sync/byte_channel_operations",
                                "detail/sync/channel_answers", "detail/sync/channel_items", "detail/sync/channel_operations",
                                "detail/sync/channel_bits", "detail/sync/channel_buffer", "detail/sync/channel_party", "sync/channel_result", "detail/sync/channel_state",
                                "detail/sync/condition_operation", "sync/condition_result", "detail/sync/condition_std_names",
                                "detail/sync/condition_tasks", "detail/sync/condition_threads", "detail/sync/execute_holding",
                                "sync/guarded_access",
                                "detail/sync/guarded_operation", "detail/sync/lock_all_tasks", "detail/sync/lock_all_threads",
                                "detail/sync/lock_rules", "detail/sync/lock_sequence", "sync/locked_result",
                                "detail/sync/once_attempt", "detail/sync/permit_rules", "detail/sync/require_can_block",
                                "detail/sync/semaphore_operations", "sync/semaphore_permits", "detail/sync/semaphore_tasks",
                                "detail/sync/semaphore_uncontended", "sync/shared_lock_guards",
                                "detail/sync/shared_lock_operations", "detail/sync/shared_lock_tasks",
                                "detail/sync/shared_lock_timed", "detail/sync/shared_lock_uncontended",
                                "detail/sync/shared_lock_word", "detail/sync/time_points", "detail/sync/ways_to_wait"]),
    ("Seeing who waits", ["diagnostics", "watched_mutex"]),
]


def _found(names):
    """The headers that a topic's names stand for."""
    for name in names:
        if name.endswith("/*"):
            yield from sorted(other for other in _there - _named if other.startswith(name[:-1]))
        elif name in _there:
            yield name


_there = {header.removeprefix("futon/").removesuffix(".hpp") for folder in doxygen.INCLUDES for header in doxygen.headers(folder)}
_named = {name for _, names in REFERENCE for name in names}
REFERENCE = [(topic, list(_found(names))) for topic, names in REFERENCE]
# Those of the adapters, as many as there are.
_NAMES = {"asio": "Asio", "glib": "GLib", "javascript": "JavaScript", "qt": "Qt", "uv": "libuv"}
REFERENCE[-1:-1] = [(f"Adapter: {_NAMES.get(folder.name, folder.name)}", [header.removeprefix("futon/").removesuffix(".hpp") for header in doxygen.headers(folder)])
                    for folder in doxygen.INCLUDES[1:]]


def headers():
    return [f"futon/{name}.hpp" for _, names in REFERENCE for name in names]
