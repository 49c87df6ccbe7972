// SPDX-License-Identifier: MIT
'use strict';
// What the threads share: the scores of all players, and for each league a table that is derived from them. The lock
// protects both. Nothing here locks; the caller does.

const { notify, waitAsync } = require('../..');  // elsewhere: require('futon')

const LEAGUES = 8;
const PLAYERS = 100_000;  // of a league; to rank one takes some 5 ms

// The first words of the buffer. The lock is the first of all, at byte 0.
const WAKE = 1;      // changes when a ranker must not wait for its next pass
const STOPPING = 2;  // 1 once the service ends
const TORN = 3;      // 1 while no table may be used
const CHANGED = 4;   // one word for each league: its scores have changed since it was ranked
const HEADER = CHANGED + LEAGUES;

const BYTES = 4 * (HEADER + 3 * LEAGUES * PLAYERS);

class Ranking {
  #words;
  #scores;     // of each player
  #byPlace;    // the players of each league, the best first
  #placeOf;    // where each player is in that list
  #keys = new Float64Array(PLAYERS);

  constructor(buffer = new SharedArrayBuffer(BYTES)) {
    const part = (i) => new Int32Array(buffer, 4 * (HEADER + i * LEAGUES * PLAYERS), LEAGUES * PLAYERS);
    this.#words = new Int32Array(buffer, 0, HEADER);
    this.#scores = part(0);
    this.#byPlace = part(1);
    this.#placeOf = part(2);
  }

  get buffer() {
    return this.#words.buffer;
  }

  get words() {
    return this.#words;
  }

  addScore(player, points) {
    Atomics.store(this.#words, CHANGED + Math.floor(player / PLAYERS), 1);
    return (this.#scores[player] += points);
  }

  placeOf(player) {
    const league = Math.floor(player / PLAYERS);
    const place = this.#placeOf[player];
    const ahead = place === 0 ? null : this.#byPlace[league * PLAYERS + place - 1];
    return { player, league, score: this.#scores[player], place: place + 1, ahead };
  }

  /// Computes the table of a league: a few milliseconds, so no work for the thread that answers requests.
  rank(league) {
    const first = league * PLAYERS;
    this.#makeKeys(first);
    this.#keys.sort();
    this.#fillTable(first);
  }

  // Each loop is a function of its own: V8 compiles a long loop while it runs, and knows nothing yet of a second one behind it.

  /// One sort of plain numbers: the higher the score, the smaller the key; among equals the lower number is first.
  #makeKeys(first) {
    for (let i = 0; i < PLAYERS; ++i) this.#keys[i] = i - this.#scores[first + i] * PLAYERS;
  }

  #fillTable(first) {
    for (let place = 0; place < PLAYERS; ++place) {
      const key = this.#keys[place] % PLAYERS;
      const player = first + (key < 0 ? key + PLAYERS : key);
      this.#byPlace[first + place] = player;
      this.#placeOf[player] = place;
    }
  }

  /// Ranks the leagues that have changed. Afterwards all tables are whole.
  rankChanged() {
    for (let league = 0; league < LEAGUES; ++league)
      if (Atomics.exchange(this.#words, CHANGED + league, 0) === 1) this.rank(league);
    if (Atomics.exchange(this.#words, TORN, 0) === 1) notify(this.#words, TORN);
  }

  hasChanged() {
    for (let league = 0; league < LEAGUES; ++league)
      if (Atomics.load(this.#words, CHANGED + league) === 1) return true;
    return false;
  }

  /// The thread that held the lock has ended midway: a table may be half of the old one and half of the new one. The
  /// scores are fine, for each is one word.
  distrust() {
    Atomics.store(this.#words, TORN, 1);
    for (let league = 0; league < LEAGUES; ++league) Atomics.store(this.#words, CHANGED + league, 1);
    this.#wakeRankers();
  }

  isTorn() {
    return Atomics.load(this.#words, TORN) === 1;
  }

  /// Settles with 'timed-out', or when a ranker has made the tables whole again. The lock must not be held meanwhile.
  async repaired({ timeout, signal }) {
    const { value } = waitAsync(this.#words, TORN, 1, timeout, { signal });
    return await value;
  }

  isStopping() {
    return Atomics.load(this.#words, STOPPING) === 1;
  }

  stopRankers() {
    Atomics.store(this.#words, STOPPING, 1);
    this.#wakeRankers();
  }

  #wakeRankers() {
    Atomics.add(this.#words, WAKE, 1);
    notify(this.#words, WAKE);
  }
}

module.exports = { Ranking, LEAGUES, PLAYERS, WAKE };
