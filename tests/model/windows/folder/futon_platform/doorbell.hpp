// SPDX-License-Identifier: MIT
#pragma once

// All else of the platform is the model's.
#include "platform/windows/futon_platform/doorbell.hpp"
