// SPDX-License-Identifier: MIT
#pragma once

#include <futon/detail/begin.hpp>

#include <futon/detail/export.hpp>

namespace futon {

/// A piece of work that an executor runs once; it brings its own storage, so that posting it can neither fail nor
/// allocate.
///
/// From `post` until `run` or `discard` the job belongs to the executor and must stay where it is. Both may destroy it.
class FUTON_API Job {
public:
    Job() noexcept = default;
    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;

    /// Does the work, on the executor's thread.
    virtual void run() noexcept = 0;

    /// Called instead of `run` when the executor ends first: frees what the job holds. A coroutine that waits for it is
    /// destroyed or, if it is not futon's, resumed.
    virtual void discard() noexcept = 0;

    /// For the list that currently holds the job.
    Job* next = nullptr;

protected:
    ~Job() = default;
};

}  // namespace futon

#include <futon/detail/end.hpp>
