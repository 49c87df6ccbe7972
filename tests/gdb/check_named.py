# SPDX-License-Identifier: MIT
"""Run by gdb on a program that names its locks, and is linked with futon::diagnostics; see session.py."""

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.realpath(sys._getframe().f_code.co_filename)))
from session import run, wrong_answers  # noqa: E402

ANSWERS = {
    "futon waiters": [r'^0x[0-9a-f]+ "the bank of Ashford" <bank\.accounts>, futon::AsyncLock \(held, has waiters\); 1 waiter$',
                      r'^0x[0-9a-f]+ "the journal" <journal>, futon::AsyncLock \(held, has waiters\); 1 waiter$',
                      r'^0x[0-9a-f]+ <unnamed>, futon::AsyncLock \(held, has waiters\); 1 waiter$'],
    "futon show bank.accounts": [r'^futon::AsyncLock at 0x[0-9a-f]+ "the bank of Ashford" <bank\.accounts>: held, has waiters$'],
}

run(lambda: wrong_answers(ANSWERS))
