// SPDX-License-Identifier: MIT
#pragma once

/// A symbol that others can find by its name, whatever the visibility of the rest.
#define FUTON_SYMBOL __attribute__((visibility("default")))
