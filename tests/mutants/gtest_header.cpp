// SPDX-License-Identifier: MIT
// Empty: what its target compiles is the header that the tests' programs share.
