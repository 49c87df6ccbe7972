// SPDX-License-Identifier: MIT
// Frames of a page in each mode of the playground, and how much of a frame its lock takes. In a page served by test/browser.js.

const { waitAsync } = Atomics;
const MODES = ['strict', 'futon', 'article', 'spin', 'block'];
const KNOBS = { hold: 5, pause: 5, work: 0 };     // milliseconds
const WORKERS = 3;
const SPAN = 20_000;      // milliseconds of each mode
const DEPTH = 20;         // promises that follow one another in a turn: more than a lock has

let spent = 0;            // milliseconds in this frame

/// Adds what passes from now on until the promises of this turn have run.
function countTurn() {
  const began = performance.now();
  const step = (left) => (left === 0 ? void (spent += performance.now() - began) : queueMicrotask(() => step(left - 1)));
  return () => step(DEPTH);
}

// The first reaction to each promise of the engine is this one. The package keeps the function that it finds when it is loaded.
if (waitAsync !== undefined) {
  Atomics.waitAsync = (...args) => {
    const answer = waitAsync(...args);
    if (answer.async) answer.value.then(() => countTurn()());
    return answer;
  };
}
const { setTimeout: setTimer } = window;
window.setTimeout = (call, ...rest) => setTimer(() => {
  const end = countTurn();
  call();
  end();
}, ...rest);

const percentile = (values, share) => values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)];
const milliseconds = (value) => `${value.toFixed(2)} ms`;

async function measure(mode) {
  const { Stage } = await import('/playground/stage.js');
  const stage = new Stage((text) => { throw new Error(text); });
  stage.start(mode, WORKERS, KNOBS);
  const [gaps, turns] = [[], []];
  await new Promise((resolve) => {
    let last;
    let first;
    const frame = (now) => {
      if (stage.workerTurns > 20) {            // the workers have been loaded
        if (last !== undefined) {
          gaps.push(now - last);
          turns.push(spent);
        }
        first ??= now;
        last = now;
      }
      spent = 0;
      if (last !== undefined && now - first > SPAN) return resolve();
      requestAnimationFrame(frame);
      const end = countTurn();
      stage.frame();
      end();
    };
    requestAnimationFrame(frame);
  });
  const rate = gaps.length * 1000 / gaps.reduce((sum, gap) => sum + gap, 0);
  const line = `${mode.padEnd(8)} ${rate.toFixed(1)} frames a second, the longest ${milliseconds(Math.max(...gaps))}; the lock's calls and turns in a frame: ` +
    `median ${milliseconds(percentile(turns, 0.5))}, 99 % ${milliseconds(percentile(turns, 0.99))}, most ${milliseconds(Math.max(...turns))}; ` +
    `the page had it ${stage.page.turns} times and waited up to ${milliseconds(stage.page.longest)}, the workers ${stage.workerTurns} times`;
  stage.stop();
  return line;
}

export async function runAll(log, only) {
  for (const mode of MODES) if (mode.includes(only)) log(await measure(mode));
  return 0;
}
