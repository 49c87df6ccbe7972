// SPDX-License-Identifier: MIT
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include <QtCore/QEventLoop>

#include <futon/qt.hpp>

#include "adapters/host.hpp"
#include "adapters/host_adapter.hpp"
#include "application.hpp"

namespace futon::test {

/// An application of its own, or a thread's dispatcher where there is one; each run is a QEventLoop.
class QtHost : public AgentHost<QtHost> {
public:
    static constexpr bool ends_by_itself = false;
    static constexpr bool may_end_first = true;
    static constexpr bool may_end_in_job = true;
    static constexpr bool nests = true;
    static constexpr bool tells_sleep = true;

    QtHost() {
        if (QCoreApplication::instance() == nullptr) app_.emplace();
        const QEventLoop makes_a_dispatcher;
        begin_loop();
    }

    void run() {
        QEventLoop events;
        running_.push_back(&events);
        events.exec();
        running_.pop_back();
    }
    void stop() { running_.back()->quit(); }
    void turn() { QCoreApplication::processEvents(); }
    void from_host(std::function<void()> f) {
        posters_.push_back(std::make_unique<Poster>(std::move(f)));
        posters_.back()->post();
    }
    void begin_loop() { loop_.emplace(); }
    void end_loop() { loop_.reset(); }
    void end_host() { app_.reset(); }
    qt::Loop& loop() { return *loop_; }

private:
    std::optional<Application> app_;
    std::vector<std::unique_ptr<Poster>> posters_;
    std::vector<QEventLoop*> running_;
    std::optional<qt::Loop> loop_;
};

std::vector<TestedHost> tested_hosts() {
    return {tested_host<QtHost>()};
}

}  // namespace futon::test
