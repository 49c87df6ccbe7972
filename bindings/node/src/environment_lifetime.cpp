// SPDX-License-Identifier: MIT
// How an environment begins, what keeps it, and how it ends.
#include "environment.hpp"

#include <chrono>
#include <memory>
#include <thread>
#include <utility>
#include <variant>

#include <futon/core/operation/operation.hpp>

#include "engine_promise.hpp"

namespace futon::node {

using core::process_table;

namespace {

/// What runs the callbacks of pending waits. It keeps no process alive itself: tools ask by `hasRef`. Node may keep it for as long as
/// the environment, so nothing of it belongs to lib/.
napi_value make_resource(napi_env env) noexcept {
    constexpr auto has_ref = [](napi_env caller, napi_callback_info) -> napi_value {
        napi_value no = nullptr;
        return napi_get_boolean(caller, false, &no) == napi_ok ? no : nullptr;
    };
    const napi_property_descriptor property{"hasRef", nullptr, has_ref,      nullptr,
                                            nullptr,  nullptr, napi_default, nullptr};
    napi_value resource = nullptr;
    must(napi_create_object(env, &resource), "napi_create_object");
    // Fails in a thread that is being ended: then no tool asks.
    static_cast<void>(napi_define_properties(env, resource, 1, &property));
    return resource;
}

}  // namespace

/// What Node calls back when the owner is collected, which may be after the environment has ended.
struct Environment::Owner {
    Environment* environment;
};

Environment* Environment::open(napi_env env, std::int32_t thread_id, std::int32_t modules,
                               napi_value* mailbox) noexcept {
    void* memory = nullptr;
    uv_loop_t* loop = nullptr;
    if (napi_get_uv_event_loop(env, &loop) != napi_ok ||
        napi_create_arraybuffer(env, sizeof(Mailbox), &memory, mailbox) != napi_ok) {
        napi_throw_error(env, nullptr, "futon: this environment has no event loop");
        return nullptr;
    }
    auto* environment = new Environment(env, thread_id, *new (memory) Mailbox{}, *loop);
    environment->has_engine_promises_ = engine_promise::is_usable(modules);
    environment->offer_slots();
    if (core::probe::is_enabled) environment->look_at_each_turn();
    must(napi_create_reference(env, *mailbox, 1, &environment->mailbox_buffer_), "napi_create_reference");

    napi_value name = nullptr;
    must(napi_create_string_utf8(env, "futon", NAPI_AUTO_LENGTH, &name), "napi_create_string_utf8");
    must(napi_async_init(env, make_resource(env), name, &environment->context_), "napi_async_init");
    must(napi_add_async_cleanup_hook(env, on_end, environment, &environment->cleanup_), "napi_add_async_cleanup_hook");
    return environment;
}

Environment::Environment(napi_env env, std::int32_t thread_id, Mailbox& mailbox, uv_loop_t& loop) noexcept
    : env_(env),
      thread_id_(thread_id),
      mailbox_(&mailbox),
      loop_(loop),
      held_locks_(thread_id),
      loop_watch_(loop),
      timers_(std::chrono::steady_clock::now()) {}

bool Environment::belong_to(napi_value object) noexcept {
    auto owner = std::make_unique<Owner>(Owner{this});
    if (napi_wrap(env_, object, owner.get(), on_collected, nullptr, nullptr) != napi_ok) return false;
    owner_ = owner.release();
    return true;
}

void Environment::on_collected(napi_env, void* data, void*) {
    const std::unique_ptr<Owner> owner(static_cast<Owner*>(data));
    if (owner->environment == nullptr) return;
    owner->environment->owner_ = nullptr;
    owner->environment->close();
}

/// Before the first wait, so that a copy of lib/ that only was loaded costs its loop nothing.
void Environment::open_handles() noexcept {
    if (open_handles_ > 0) return;
    // Pending waits keep the loop running, these handles by themselves do not.
    uv_async_init(&loop_, &async_, on_arrival);
    uv_timer_init(&loop_, &timer_);
    uv_prepare_init(&loop_, &prepare_);
    uv_check_init(&loop_, &check_);
    for (uv_handle_t* handle : handles()) {
        handle->data = this;
        uv_unref(handle);
        ++open_handles_;
    }
    diagnosis_.opened();
}

void Environment::look_at_each_turn() noexcept {
    open_handles();
    uv_prepare_start(&prepare_, on_prepare);
}

void Environment::set_callbacks(napi_value settle, napi_value nothing) noexcept {
    must(napi_create_reference(env_, settle, 0, &settle_), "napi_create_reference");
    must(napi_create_reference(env_, nothing, 0, &nothing_), "napi_create_reference");
}

void Environment::keep() noexcept {
    if (is_kept_) return;
    is_kept_ = true;
    open_handles();
    must(napi_reference_ref(env_, settle_, nullptr), "napi_reference_ref");
    uv_prepare_start(&prepare_, on_prepare);
    // Comes before Node's own, which runs the immediates: the last that was started is the first.
    uv_check_start(&check_, on_check);
}

void Environment::let_go_if_idle() noexcept {
    if (is_kept_) {
        if (in_use_ > 0 || mailbox_->batch_size > 0 || !held_locks_.is_empty()) return;
        is_kept_ = false;
        must(napi_reference_unref(env_, settle_, nullptr), "napi_reference_unref");
    }
    if (pace_.is_wanted() || core::probe::is_enabled)
        return;  // the next wait may come soon; the diagnostics look at each turn
    uv_prepare_stop(&prepare_);
    uv_check_stop(&check_);
    poll_pace_.forget();
}

void Environment::abandon_waits() noexcept {
    std::size_t on_their_way = 0;
    for (auto& chunk : chunks_) {
        for (std::size_t i = 0; i < chunk_size; ++i) {
            PendingWait& wait = chunk[i];
            if (!wait.is_in_use) continue;
            disarm(wait);
            if (wait.select() != nullptr) {
                if (!wait.select()->cancel()) ++on_their_way;
                continue;
            }
            if (!process_table().dequeue(wait, WaitResult::cancelled)) {
                ++on_their_way;
            } else if (wait.has_operation()) {
                std::visit([](auto& op) { core::left(op); }, *wait.limits()->operation);
            }
        }
    }
    while (!taken_.is_empty()) {
        taken_.pop_front();
        --on_their_way;
    }
    while (on_their_way > 0) {
        collect_arrivals();
        if (settled_.is_empty()) std::this_thread::yield();
        while (!settled_.is_empty()) {
            PendingWait& wait = settled_.pop_front();
            --on_their_way;
            if (wait.select() != nullptr) wait.select()->abandon();
            if (!wait.has_operation()) continue;
            // What was handed off, or a wake-up, goes to the next waiter.
            std::visit([&](auto& op) { wait.result() == WaitResult::ok ? core::abandon(op, wait) : core::left(op); },
                       *wait.limits()->operation);
        }
    }
    while (senders_.load() > 0) std::this_thread::yield();
}

/// Node ends the thread.
void Environment::on_end(napi_async_cleanup_hook_handle, void* environment) {
    static_cast<Environment*>(environment)->close();
}

void Environment::close() noexcept {
    if (std::exchange(is_closing_, true)) return;
    diagnosis_.closing();
    abandon_waits();
    held_locks_.abandon_all();
    chunks_.clear();
    if (owner_ != nullptr) owner_->environment = nullptr;
    for (napi_ref reference : {settle_, nothing_, mailbox_buffer_})
        if (reference != nullptr) napi_delete_reference(env_, reference);
    napi_async_destroy(env_, context_);
    if (open_handles_ == 0) {
        end();
        return;
    }
    for (uv_handle_t* handle : handles()) uv_close(handle, on_closed);
}

void Environment::on_closed(uv_handle_t* handle) {
    auto* environment = static_cast<Environment*>(handle->data);
    if (--environment->open_handles_ == 0) environment->end();
}

void Environment::end() noexcept {
    napi_remove_async_cleanup_hook(cleanup_);
    delete this;
}

}  // namespace futon::node
