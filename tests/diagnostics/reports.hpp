// SPDX-License-Identifier: MIT
#pragma once

#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include <futon/diagnostics.hpp>

namespace futon::test {

/// Keeps the reports of a test instead of printing them. A deadlock's is thrown by the wait that closes it.
class Reports : public testing::Test {
protected:
    Reports() {
        diagnostics::respond([this](const diagnostics::Report& report) {
            {
                const std::scoped_lock hold(mutex_);
                reports_.push_back(report);
            }
            if (report.what == diagnostics::What::deadlock) throw diagnostics::DeadlockFound(report.text);
        });
    }
    ~Reports() override {
        diagnostics::watch({});
        diagnostics::respond(diagnostics::Response::print);
    }

    std::vector<diagnostics::Report> reports() const {
        const std::scoped_lock hold(mutex_);
        return reports_;
    }
    std::size_t count(diagnostics::What what) const {
        std::size_t result = 0;
        for (const diagnostics::Report& report : reports()) result += report.what == what ? 1 : 0;
        return result;
    }
    std::string text() const {
        std::string result;
        for (const diagnostics::Report& report : reports()) result += report.text + "\n";
        return result;
    }

private:
    mutable std::mutex mutex_;
    std::vector<diagnostics::Report> reports_;
};

}  // namespace futon::test
