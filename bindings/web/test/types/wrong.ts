// SPDX-License-Identifier: MIT
// Each line that follows an expectation is wrong.

import { waitAsync, AsyncLock, Barrier, Channel, Event, Semaphore, select, selectAsync, toShared } from 'futon-web';
import { connect } from 'futon-web/module';

declare const Module: object;
const words = new Int32Array(new SharedArrayBuffer(16));
const connection = connect(Module);

// @ts-expect-error
connect();
// @ts-expect-error
connect(7);
// @ts-expect-error
connection.notify(new Uint8Array(4), 0);
// @ts-expect-error
connection.waitAsync(words, 0, 0n);
// @ts-expect-error
connection.wait(words, 0, 0, { signal: new AbortController().signal });
// @ts-expect-error
connection.waiters(0);
// @ts-expect-error
new connection.AsyncLock(new ArrayBuffer(4));
// @ts-expect-error
connection.waiters()[0].kind === 'thread';
// @ts-expect-error
connection.wait = waitAsync;
// @ts-expect-error
waitAsync(words, 0, 0, { timeOut: 1 });
// @ts-expect-error
new AsyncLock(new SharedArrayBuffer(4)).executeLocked();
// @ts-expect-error
new Semaphore(new SharedArrayBuffer(16), 0, { permits: '1' });
// @ts-expect-error
new Event(new SharedArrayBuffer(4)).waiters();
// @ts-expect-error
new Barrier(new SharedArrayBuffer(8)).arriveAndWait({ signal: new AbortController().signal });
// @ts-expect-error
toShared({});
// @ts-expect-error
select([new Event(new SharedArrayBuffer(4))]);
// @ts-expect-error
select([new Event(new SharedArrayBuffer(4)).waiting()], { signal: new AbortController().signal });
// @ts-expect-error
selectAsync(new Event(new SharedArrayBuffer(4)).waiting());
// @ts-expect-error
new Channel<string>(new SharedArrayBuffer(64), 0, { capacity: 32 }).sending(1);
