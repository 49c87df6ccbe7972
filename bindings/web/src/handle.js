// SPDX-License-Identifier: MIT
// What programs get for a wait with options.

import { hasProcess, keepAlive } from './pending.js';

/// Ends what has been pending.
export let end;

/// Keeps the process alive while it is pending, if that is wanted.
export class Wait {
  #hasRef = false;  // undefined when it is not pending any more

  ref() {
    return this.#set(true);
  }

  unref() {
    return this.#set(false);
  }

  hasRef() {
    return Boolean(this.#hasRef);
  }

  #set(wanted) {
    if (hasProcess && this.#hasRef === !wanted) {
      this.#hasRef = wanted;
      keepAlive(wanted ? 1 : -1);
    }
    return this;
  }

  static {
    end = (wait) => {
      wait.unref().#hasRef = undefined;
    };
  }
}
