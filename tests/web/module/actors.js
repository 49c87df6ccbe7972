// SPDX-License-Identifier: MIT
// Threads of the program that run functions of actions.js, as a test calls them.

let count = 0;

async function startActor(Module) {
  const number = ++count;
  const channel = new BroadcastChannel(`actor ${number}`);
  const waiting = new Map();
  const waitFor = (key) => new Promise((resolve, reject) => waiting.set(key, { resolve, reject }));
  channel.onmessage = ({ data: { key, value, error } }) => {
    const { resolve, reject } = waiting.get(key);
    waiting.delete(key);
    if (error === undefined) resolve(value);
    else reject(new Error(`in the actor: ${error}`));
  };
  const ready = waitFor('ready');
  const url = new URL('./actor.js', import.meta.url).href;
  const text = new TextEncoder().encode(`${url}\0`);
  const at = Module._test_allocate(text.length);
  Module.HEAPU8.set(text, at);
  Module._test_start_actor(at, number);
  await ready;
  let key = 0;
  return {
    /// What the function returns.
    run(name, ...args) {
      const result = waitFor(++key);
      channel.postMessage({ key, name, args });
      return result;
    },
  };
}

const idle = [];

/// Runs `use` with that many actors. Their threads are used again.
export async function withActors(Module, number, use) {
  const actors = [];
  for (let i = 0; i < number; ++i) actors.push(idle.pop() ?? await startActor(Module));
  const result = await use(...actors);
  idle.push(...actors);
  return result;
}

export { startActor };
