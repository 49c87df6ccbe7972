// SPDX-License-Identifier: MIT
// The jobs of event loops: which thread runs one, since when, and how long its longest took.
#include <cstdint>

#include <futon/core/probe.hpp>

#include "diagnostics/registry.hpp"
#include "diagnostics/trace.hpp"

namespace futon::core::probe {

namespace detail = diagnostics::detail;

void job_begins_seen() noexcept {
    detail::ThreadRecord* const thread = detail::this_thread();
    if (thread == nullptr) return;
    detail::sampler.has_job = true;
    thread->has_loop = true;
    thread->jobs.fetch_add(1);
    thread->job_since.store(detail::now());
}

void job_ends_seen() noexcept {
    detail::sampler.has_job = false;
    detail::ThreadRecord* const thread = detail::this_thread_if_known();
    if (thread == nullptr) return;
    const std::int64_t since = thread->job_since.exchange(0);
    if (since == 0) return;  // a job inside it has ended it
    const std::int64_t length = detail::now() - since;
    if (length > thread->longest_job.load()) thread->longest_job.store(length);
    detail::note_job(*thread, since, length);
}

}  // namespace futon::core::probe
