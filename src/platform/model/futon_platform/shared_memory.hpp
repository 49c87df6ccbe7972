// SPDX-License-Identifier: MIT
#pragma once

// Memory has no schedule points of its own: the portable platform's will do.
#include "platform/generic/futon_platform/shared_memory.hpp"
