// SPDX-License-Identifier: MIT
// Whether this thread may block: as the program's own agent says, and less if a program wants that.

import { fail, requireKind } from '../failure.js';

export function makeAgent(Module) {
  let isAllowed = true;
  const programMayBlock = () => Module._futon_module_can_block() !== 0;
  const canBlock = () => isAllowed && programMayBlock();

  const setCanBlock = (value) => {
    requireKind('setCanBlock', 'value', value, 'boolean');
    if (value && !programMayBlock())
      fail('setCanBlock', 'this thread may not block: it is the main thread, or its agent in C++ says so');
    isAllowed = value;
  };

  const requireCanBlock = (name) => {
    if (!canBlock()) fail(name, `this thread may not block; use ${name}Async`);
  };

  return { canBlock, setCanBlock, requireCanBlock };
}
