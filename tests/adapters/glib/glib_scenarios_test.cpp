// SPDX-License-Identifier: MIT
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include <futon/glib.hpp>

#include "adapters/host.hpp"
#include "adapters/host_adapter.hpp"

namespace futon::test {

/// A main context of its own; each run is a main loop on it.
class GlibHost : public AgentHost<GlibHost> {
public:
    static constexpr bool ends_by_itself = false;
    static constexpr bool may_end_first = true;
    static constexpr bool may_end_in_job = true;
    static constexpr bool nests = true;
    static constexpr bool tells_sleep = true;

    GlibHost() { begin_loop(); }
    ~GlibHost() {
        end_loop();
        end_host();
    }

    void run() {
        GMainLoop* const main_loop = g_main_loop_new(context_, FALSE);
        running_.push_back(main_loop);
        g_main_loop_run(main_loop);
        running_.pop_back();
        g_main_loop_unref(main_loop);
    }
    void stop() { g_main_loop_quit(running_.back()); }
    void turn() { g_main_context_iteration(context_, FALSE); }
    void from_host(std::function<void()> f) {
        GSource* const source = g_idle_source_new();
        g_source_set_priority(source, G_PRIORITY_DEFAULT);
        g_source_set_callback(
            source,
            [](gpointer data) -> gboolean {
                (*static_cast<std::function<void()>*>(data))();
                return G_SOURCE_REMOVE;
            },
            new std::function<void()>(std::move(f)),
            [](gpointer data) { delete static_cast<std::function<void()>*>(data); });
        g_source_attach(source, context_);
        g_source_unref(source);
    }
    void begin_loop() { loop_.emplace(context_); }
    void end_loop() { loop_.reset(); }
    void end_host() {
        if (context_ != nullptr) g_main_context_unref(std::exchange(context_, nullptr));
    }
    glib::Loop& loop() { return *loop_; }

private:
    GMainContext* context_ = g_main_context_new();
    std::vector<GMainLoop*> running_;
    std::optional<glib::Loop> loop_;
};

std::vector<TestedHost> tested_hosts() {
    return {tested_host<GlibHost>()};
}

}  // namespace futon::test
