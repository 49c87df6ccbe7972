// SPDX-License-Identifier: MIT
// What a loop does before and after it polls.
#include "environment.hpp"

#include <poll.h>

namespace futon::node {

/// Whether the poll that comes next may wait, for it finds nothing to do at once.
bool Environment::may_poll_wait() const noexcept {
    if (uv_backend_timeout(&loop_) == 0) return false;
    pollfd descriptor{uv_backend_fd(&loop_), POLLIN, 0};
    return ::poll(&descriptor, 1, 0) == 0;
}

void Environment::on_prepare(uv_prepare_t* prepare) {
    auto& environment = *static_cast<Environment*>(prepare->data);
    const bool is_asked_for = environment.pace_.is_wanted();
    if (is_asked_for) environment.poll_pace_.look(core::Pace::now());
    // Arrivals are taken here, for in the poll they may come behind jobs of sockets. A batch is there if a call threw before
    // it could settle it, because the stack was full.
    if (environment.mailbox_->batch_size > 0 || environment.arrivals_.load() != nullptr) {
        environment.settle_in_callback();
    } else {
        environment.release_taken();
        environment.let_go_if_idle();
    }
    environment.diagnosis_.look();
    // The look may have ended that, and so may what was settled.
    if (!is_asked_for || !environment.pace_.is_wanted()) return environment.poll_pace_.forget();
    environment.poll_pace_.before_poll(core::Pace::now(), uv_metrics_idle_time(&environment.loop_),
                                       environment.may_poll_wait(), environment.in_use_ > 0);
}

void Environment::on_check(uv_check_t* check) {
    auto& environment = *static_cast<Environment*>(check->data);
    if (environment.poll_pace_.is_polling())
        environment.poll_pace_.after_poll(core::Pace::now(), uv_metrics_idle_time(&environment.loop_));
}

}  // namespace futon::node
