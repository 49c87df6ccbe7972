# SPDX-License-Identifier: MIT
"""Commands and printers of gdb for programs that use futon. In gdb, or in ~/.gdbinit:

    source /usr/local/share/futon/gdb/futon-gdb.py

Then `help futon` lists the commands. See docs/debugging.md.
"""

import os
import sys

# Not by __file__, which is that of another script where that sources this one.
_folder = os.path.dirname(os.path.realpath(sys._getframe().f_code.co_filename))
if _folder not in sys.path:
    sys.path.insert(0, _folder)
for _name in [name for name in sys.modules if name.split(".")[0] == "futon_gdb"]:
    del sys.modules[_name]  # sourced again: with what has changed

import futon_gdb.commands  # noqa: E402
import futon_gdb.printers  # noqa: E402

futon_gdb.commands.register()
futon_gdb.printers.register()
