// SPDX-License-Identifier: MIT
#pragma once

#define FUTON_VERSION_MAJOR 0
#define FUTON_VERSION_MINOR 1
#define FUTON_VERSION_PATCH 0
