# SPDX-License-Identifier: MIT
"""What gdb says of futon's wait queues, locks and loops. No function of the program is called: core files serve as well."""
