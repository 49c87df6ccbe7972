// SPDX-License-Identifier: MIT
#include "adapters/scenarios/scene.hpp"

namespace futon::test {

bool add_scenario(const Scenario& scenario) {
    for (const TestedHost& host : tested_hosts()) {
        if (!scenario.applies(host.traits)) continue;
        const std::string suffix = host.name.empty() ? "" : "/" + host.name;
        testing::RegisterTest(scenario.suite, (scenario.name + suffix).c_str(), nullptr, nullptr, scenario.file,
                              scenario.line, [make = scenario.make, host] { return make(host); });
    }
    return true;
}

}  // namespace futon::test
