# SPDX-License-Identifier: MIT
"""What gdb finds beside the shared library, under its name: sources the commands, which lie under the same `share`."""

import os
import sys

import gdb

_folder = os.path.dirname(os.path.realpath(sys._getframe().f_code.co_filename))
_script = os.path.join("futon", "gdb", "futon-gdb.py")
while not os.path.exists(os.path.join(_folder, _script)) and _folder != os.path.dirname(_folder):
    _folder = os.path.dirname(_folder)
if os.path.exists(os.path.join(_folder, _script)):
    gdb.execute("source " + os.path.join(_folder, _script))
