// SPDX-License-Identifier: MIT
// The example, compiled as if for a Node of another major version.
#include <node_version.h>
#undef NODE_MAJOR_VERSION
#define NODE_MAJOR_VERSION 1

#include "../../examples/addon/frames.cpp"
