// SPDX-License-Identifier: MIT
//
// V8's own cost of the three functions that futon brings to C++. Prints results in the format of the C++ programs.
//
//     node bench/v8.mjs smoke|quick|long [one-core]
//
// With `one-core` only the round trips, for a process that is bound to one processor.

import process from 'node:process';
import { isMainThread, Worker, workerData } from 'node:worker_threads';

const WHO = `V8 ${process.versions.v8.split('.').slice(0, 2).join('.')}`;
const EFFORTS = { smoke: 0, quick: 1, long: 2 };

const now = () => Number(process.hrtime.bigint());
const median = (values) => [...values].sort((a, b) => a - b)[values.length >> 1];
const quantile = (sorted, part) => sorted[Math.min(sorted.length - 1, Math.ceil(part * sorted.length) - 1)];
const nextIteration = () => new Promise((resolve) => setImmediate(resolve));

if (!isMainThread) {
    // The other side of the round trips.
    const word = new Int32Array(workerData.buffer);
    for (let i = 0; i < workerData.roundTrips; ++i) {
        while (Atomics.load(word, 0) === 0) Atomics.wait(word, 0, 0);
        Atomics.store(word, 0, 0);
        Atomics.notify(word, 0, 1);
    }
} else {
    await main(process.argv[2] ?? 'quick', process.argv[3] === 'one-core');
}

async function main(effort, isOneCore) {
    if (!(effort in EFFORTS)) {
        console.error(`There is no effort '${effort}': smoke, quick or long`);
        process.exit(2);
    }
    const pick = (...values) => values[EFFORTS[effort]];
    const records = [];
    const record = (measure, at, rounds, latency) => {
        const medians = Object.fromEntries(Object.entries(rounds).map(([name, values]) => [name, median(values)]));
        records.push({ measure, who: WHO, kind: 'peer', at, median: medians, rounds, ...(latency && { latency }) });
    };

    const place = isOneCore ? 'on one core' : 'between two cores';
    await roundTrips(`round trip ${place}`, pick(100, 2e3, 1e4), pick(1, 5, 15), record);
    if (!isOneCore) {
        notifyWithoutWaiters(pick(1e3, 1e5, 1e6), pick(3, 11, 31), record);
        await waitNotifyResume(pick(200, 2e3, 1e4), pick(2, 11, 31), record);
        for (const size of pick([1e3], [1e2, 1e3, 1e4, 1e5], [1e2, 1e3, 1e4, 1e5, 1e6])) await pending(size, record);
    }
    console.log(JSON.stringify({ question: 'v8', compiler: `node ${process.version}`, records }));
}

function notifyWithoutWaiters(operations, rounds, record) {
    const word = new Int32Array(new SharedArrayBuffer(4));
    const ns = [];
    for (let round = 0; round <= rounds; ++round) {
        const begin = now();
        for (let i = 0; i < operations; ++i) Atomics.notify(word, 0);
        if (round > 0) ns.push((now() - begin) / operations);  // the first round warms up
    }
    record('notify, no waiters', {}, { ns });
}

/// Between two threads, placed by the scheduler.
async function roundTrips(measure, count, rounds, record) {
    const ns = [];
    const latencies = [];
    for (let round = 0; round < rounds; ++round) {
        const buffer = new SharedArrayBuffer(4);
        const word = new Int32Array(buffer);
        const worker = new Worker(new URL(import.meta.url), { workerData: { buffer, roundTrips: count } });
        await new Promise((resolve) => worker.once('online', resolve));
        const begin = now();
        for (let i = 0; i < count; ++i) {
            const start = now();
            Atomics.store(word, 0, 1);
            Atomics.notify(word, 0, 1);
            while (Atomics.load(word, 0) === 1) Atomics.wait(word, 0, 1);
            latencies.push(now() - start);
        }
        ns.push((now() - begin) / count);
        await new Promise((resolve) => worker.once('exit', resolve));
    }
    latencies.sort((a, b) => a - b);
    const latency = { count: latencies.length, p50: quantile(latencies, 0.5), p99: quantile(latencies, 0.99),
                      'p99.9': quantile(latencies, 0.999) };
    record(measure, {}, { ns }, { 'round trip': latency });
}

/// Two actors of one loop that notify each other alternately, as in question 7.
async function waitNotifyResume(steps, rounds, record) {
    const ns = [];
    for (let round = 0; round <= rounds; ++round) {
        const words = new Int32Array(new SharedArrayBuffer(8));
        const wake = (index) => {
            Atomics.add(words, index, 1);
            Atomics.notify(words, index, 1);
        };
        const act = async (own, other) => {
            for (let i = 0; i < steps; ++i) {
                const woken = Atomics.waitAsync(words, own, Atomics.load(words, own));
                wake(other);
                await woken.value;
            }
            wake(other);
        };
        const begin = now();
        await Promise.all([act(0, 1), act(1, 0)]);
        if (round > 0) ns.push((now() - begin) / (2 * steps));
    }
    record('wait_async + notify + resume', {}, { ns });
}

/// Many waiters, one word each: bytes (by the growth of the process), enqueueing, and draining.
async function pending(size, record) {
    const words = new Int32Array(new SharedArrayBuffer(4 * size));
    const promises = new Array(size);
    globalThis.gc?.();
    const before = process.memoryUsage.rss();
    const begin = now();
    for (let i = 0; i < size; ++i) promises[i] = Atomics.waitAsync(words, i, 0).value;
    const enqueue = (now() - begin) / size;
    const bytes = (process.memoryUsage.rss() - before) / size;
    const drained = now();
    for (let i = 0; i < size; ++i) Atomics.notify(words, i);
    await Promise.all(promises);
    const drain = (now() - drained) / size;
    await nextIteration();
    record('pending waiters, one word each', { waiters: size }, { enqueue: [enqueue], drain: [drain] });
    if (size >= 1e4) record('bytes, one word each', { waiters: size }, { bytes: [bytes] });  // fewer are lost in the noise
}
