// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/export.hpp>

namespace futon {

/// A piece of work that an executor runs once. It brings its own storage, so posting it can neither fail nor allocate.
/// Derive from it if a post must not fail; else post a function, by `EventLoop::post`.
///
///     struct Ping final : futon::Job {
///         void run() noexcept override { answer(); }
///         void discard() noexcept override {}
///     };
///
/// From `post` until `run` or `discard` the job belongs to the executor and must not move. Both of these may destroy
/// it.
class FUTON_API Job {
public:
    Job() noexcept = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    /// Does the work, on the executor's thread.
    virtual void run() noexcept = 0;

    /// Called instead of `run` if the executor ends first: frees what the job holds. A coroutine that waits for the job
    /// is destroyed, or resumed if it belongs to another library.
    virtual void discard() noexcept = 0;

    /// A link for the list that currently holds the job.
    Job* next = nullptr;

protected:
    ~Job() = default;
};

}  // namespace futon

#include <futon/detail/end.hpp>
