/* SPDX-License-Identifier: MIT */
/* The arbiter, as a semaphore of PERMITS permits: requests for one or two of them at once, barging, direct handoffs to threads,
   offers to tasks of event loops that may never run again, the queue that is closed for a big request, deadlines, and the end
   of a loop. Sequentially consistent.

     try_now          must_ask with its pass, and the compare-exchange of a caller
     take_or_enqueue  the request's WaitCheck with the table's enqueue, one step under the queue's lock
     settle           retry_at: a waiter that was woken and refused passes; a thread watches an offer, a task sets a timer
     pass             Passing: for each waiter a step that decides, and one that changes the word; the last step wakes those that
                      were taken. What is to be given back is so with the first change
     release          one compare-exchange, or a pass that gives back
     give_up          a waiter leaves, and the queue is asked
     Thread           a blocking request, and its release
     Task             the only task of an event loop: its delivery, timer, and end
     Clock            the handoff threshold passes: `due` says that the word's time is older

   `has_threads` is left out, and so is the count of the releases: any release that relies on a woken thread may be the one that
   asks the clock. Here an offer is told apart by its task, which is offered something once before it runs.

   Checked: no permit is lost or made; what is offered is there [offered]; `has_waiters` is never clear while a waiter is queued;
   `woken` is never set while no woken thread is on its way, nor `watched` without a thread that watches; a strict semaphore
   serves none while a woken thread is on its way back to its place; no thread waits for ever, whichever loops do not run (no invalid end state). With LIVE, under weak fairness, for TRACKED, though all others
   acquire again and again:

     owns    it is served in the end, if the semaphore is strict

   Given by the runner:

     PERMITS  there are
     THREADS  threads that block
     ROUNDS   how often each of them acquires
     LOOPS    event loops, of one task each
     BIG      the set of waiters, the threads first, that ask for two permits; the others ask for one
     STRICT   1: the semaphore is strict
     DEAD     the set of loops that may cease to run at any time
     LIMITED  the set of waiters that have a deadline
     ENDS     the set of loops that may end at any time
     TRACKED  with LIVE: which thread

   BUG 1  a waiter that gives up passes nothing on      4  a woken thread that takes leaves `woken` set
       2  an offer has no watcher                       5  an offer that comes at the loop's end is dropped
       3  what a passer-by has taken is offered         6  a watcher that is handed permits appoints no other
       7  a strict semaphore passes a thread that was woken to watch */
#define N (THREADS + LOOPS)
#define NONE 255
#define is_thread(w) ((w) < THREADS)
#define amount(w) (1 + ((BIG >> (w)) & 1))

#ifndef BUG
#define BUG 0
#endif

/* The word. */
byte permits = PERMITS;
bool has_waiters, woken, watched, closed, due;
byte offered = NONE; /* the task, in the place of the offer's time */

byte held, finished; /* permits; threads and loops */

byte queue[N], queued; /* by age */
bool waiting[N], ready[N], handed_off[N], has_offer[N];
bool must_clear_woken[N], must_clear_watched[N]; /* duties */
byte woken_threads, watchers;                    /* that have these duties */
byte age[N], competing;                          /* how many began to wait before this one, itself included */

#ifdef LIVE /* weak fairness gives no process a lock that others take again and again: so each hold is one step */
bool owned, is_dead[N];
bool is_late; /* TRACKED was queued first before the threshold, which the word's time says when it is the first again */
#define note_owned(w) if :: w == TRACKED -> owned = true :: else fi
#define is_limited(w) false
#define is_old(w) (w == TRACKED && is_late)
#define note_dead(w) is_dead[w] = true
#define one_hold atomic
#define locked false
#define set_locked(value) skip
ltl owns { <> owned }
#else
bool locked; /* the queue's lock, held by a passing; all other holds are one step */
#define note_owned(w) skip
#define is_old(w) false
#define is_limited(w) ((LIMITED >> (w)) & 1)
#define note_dead(w) skip
#define one_hold
#define set_locked(value) locked = value
#endif

/* of the passing that holds the queue's lock */
#define served 0
#define watcher 1
#define company 2
#define over 3
byte search, left, at, first, blocked_amount, returned, other;
bool is_begun, is_handoff, is_blocked, has_woken, has_other, gives_woken;
bool is_taken[N];

inline touch() {
  assert(permits + held == PERMITS);
  assert(has_waiters || queued == 0 || locked);
  assert(offered == NONE || permits >= amount(offered));
  assert(!woken || woken_threads > 0);
  assert(!watched || watchers > 0)
}

inline forget_idle_time() { if :: !has_waiters && offered == NONE -> due = false; closed = false :: else fi }

/* A strict semaphore is left to a thread that was woken, and is on its way back to its place. */
#define is_left (STRICT && woken && BUG != 7)
#define can_take(w) (permits >= amount(w) && (offered != NONE -> due : \
                     !closed && !(STRICT && has_waiters) && !(is_left && !must_clear_woken[w])))
#define must_ask(w) (has_waiters && !STRICT && !closed && offered == NONE && permits >= amount(w) && due)
#define is_served (has_waiters && offered == NONE && permits > 0)
#define has_duty(w) (must_clear_woken[w] || must_clear_watched[w])

inline do_duties(w) {
  if :: must_clear_woken[w] -> must_clear_woken[w] = false; woken_threads--; woken = false :: else fi;
  if :: must_clear_watched[w] -> must_clear_watched[w] = false; watchers--; watched = false :: else fi
}

inline forget_age(w) {
  if
  :: age[w] != 0 ->
     other = 0;
     do
     :: other == N -> break
     :: else -> if :: age[other] > age[w] -> age[other]-- :: else fi; other++
     od;
     other = 0; age[w] = 0; competing--
  :: else
  fi
}

/* owes: it must pass, for it was relied on, and the rest may serve another */
inline take(w) {
  owes = (was_woken || has_duty(w) || offered != NONE);
  permits = permits - amount(w); held = held + amount(w);
#if BUG == 4
  if :: must_clear_woken[w] -> must_clear_woken[w] = false; woken_threads-- :: else fi;
#endif
  do_duties(w);
  if :: offered != NONE -> offered = NONE; due = false :: else fi;
  forget_idle_time();
  owes = owes && is_served; was_woken = false;
  forget_age(w); note_owned(w)
}

inline insert(w) {
  at = queued;
  do
  :: at > 0 && age[queue[at - 1]] > age[w] -> queue[at] = queue[at - 1]; at--
  :: else -> break
  od;
  queue[at] = w; queued++; at = 0; waiting[w] = true
}

inline remove_at() { /* those behind it move up */
  other = at; waiting[queue[at]] = false; queued--;
  do
  :: other < queued -> queue[other] = queue[other + 1]; other++
  :: else -> break
  od;
  queue[queued] = 0; other = 0
}

inline dequeue(w) {
  do :: queue[at] != w -> at++ :: else -> break od;
  remove_at(); at = 0
}

inline give_back_first() { permits = permits + returned; held = held - returned; returned = 0 }

/* under the queue's lock: first is to be taken, or the search is over */
inline decide() {
  atomic {
    touch();
    if
    :: at == queued -> first = NONE
    :: else ->
       first = queue[at];
       if
       :: !is_begun ->
          is_begun = true;
          if :: offered != NONE || is_left -> give_back_first() :: else fi;
          left = permits + returned;
          if
          :: is_left -> search = over
          :: offered != NONE && !is_left -> search = (watched -> over : watcher)
          :: offered == NONE && !is_left -> is_handoff = (STRICT || closed || due)
          fi
       :: else
       fi;
       if
       :: search == served && (is_handoff -> permits + returned : left) < amount(first) ->
          if
          :: returned != 0 && !has_woken -> give_back_first(); left = permits
          :: else
          fi;
          if
          :: left < amount(first) || (is_handoff && permits + returned < amount(first)) ->
             is_blocked = true; blocked_amount = amount(first);
             search = (has_woken && !has_other -> company : over)
          :: else
          fi
       :: else
       fi;
       if :: search == over -> first = NONE :: else fi
    fi
  }
}

inline take_first() {
  atomic {
    touch();
    remove_at(); is_taken[first] = true;
    assert(!STRICT || search != served || woken_threads == 0);
    if
    :: search == served && is_handoff && is_thread(first) ->
       give_back_first();
       if
       :: permits >= amount(first) ->
          permits = permits - amount(first); held = held + amount(first);
          handed_off[first] = true; closed = false; due = false
       :: else -> gives_woken = true
       fi
    :: search == served && is_handoff && !is_thread(first) ->
       give_back_first();
       if
#if BUG == 3
       :: true ->
#else
       :: permits >= amount(first) ->
#endif
          closed = false; offered = first; has_offer[first] = true; due = false;
#if BUG == 2
          search = over
#else
          search = (watched -> over : company)
#endif
       :: else -> has_woken = true
       fi
    :: else ->
       if :: is_thread(first) -> gives_woken = true :: else fi;
       if
       :: search == company || (search == watcher && is_thread(first)) -> search = over
       :: search == watcher && !is_thread(first) -> search = company
       :: else ->
          left = left - amount(first);
          has_other = has_other || is_thread(first) || has_woken; has_woken = true
       fi
    fi
  }
}

inline finish() {
  atomic {
    give_back_first();
    if :: queued == 0 -> has_waiters = false; closed = false :: else fi;
    if :: gives_woken -> woken = true :: else fi;
    if
    :: queued != 0 && is_blocked && permits < blocked_amount && offered == NONE && due -> closed = true
    :: else
    fi;
    forget_idle_time();
    at = 0;
    do
    :: at == N -> break
    :: else ->
       if
       :: is_taken[at] ->
          is_taken[at] = false; ready[at] = true;
          if
          :: is_thread(at) && !handed_off[at] -> must_clear_woken[at] = true; woken_threads++
          :: else
          fi
       :: else
       fi;
       at++
    od;
    search = served; left = 0; at = 0; first = 0; blocked_amount = 0;
    is_begun = false; is_handoff = false; is_blocked = false; has_woken = false; has_other = false; gives_woken = false;
    set_locked(false)
  }
}

inline pass(given) { /* and gives back so many permits */
  atomic { touch(); if :: offered != NONE && due -> offered = NONE; forget_idle_time() :: else fi };
  one_hold {
    atomic { !locked -> set_locked(true); returned = given };
    do
    :: decide();
       if :: first == NONE -> break :: else -> take_first() fi
    od;
    finish()
  }
}

inline release(w) {
  atomic { touch();
    if
    :: did = (has_waiters && offered == NONE && (!woken || STRICT || closed) && !is_left)
    :: has_waiters && offered == NONE && due && !is_left -> did = true
    fi;
    if :: did :: else -> permits = permits + amount(w); held = held - amount(w); forget_idle_time() fi };
  if :: did -> did = false; pass(amount(w)) :: else fi
}

inline pass_if_owed() { if :: owes -> owes = false; pass(0) :: else fi }

inline try_now(w) {
  atomic { touch(); did = (!was_woken && must_ask(w)) };
  if :: did -> did = false; pass(0) :: else fi;
  atomic { touch(); took = (can_take(w) || (was_first && offered == NONE && permits >= amount(w)));
    if :: took -> take(w) :: else fi }
}

inline take_or_enqueue(w) {
  atomic { !locked; touch(); took = (can_take(w) || (was_first && offered == NONE && permits >= amount(w)));
    if
    :: took -> take(w)
    :: else ->
       do_duties(w);
       if :: age[w] == 0 -> competing++; age[w] = competing :: else fi;
       if :: !has_waiters && offered == NONE -> due = is_old(w) :: else fi;
       has_waiters = true; insert(w)
    fi;
    was_first = false }
}

/* the waiter is queued */
inline settle(w) {
  atomic { touch();
    did = (was_woken && is_served) || (offered != NONE && due);
    was_woken = false };
  if :: did -> did = false; pass(0) :: else fi;
  atomic { touch();
    if
    :: is_thread(w) && offered != NONE && !watched -> watched = true; must_clear_watched[w] = true; watchers++
    :: else
    fi;
    has_timer = (!is_thread(w) && offered != NONE) }
}

inline take_offer(w) {
  atomic { touch(); has_offer[w] = false; took = (offered == w);
    if
    :: took ->
       offered = NONE; permits = permits - amount(w); held = held + amount(w); forget_idle_time();
       owes = is_served; was_woken = false; forget_age(w); note_owned(w)
    :: else
    fi }
}

inline give_up(w) {
#if BUG == 1
  atomic { do_duties(w); was_woken = false }
#else
  atomic { touch(); do_duties(w); was_woken = false };
  pass(0)
#endif
}

#ifdef LIVE /* the limit of a watcher comes when its offer has expired */
#define limit_comes (offered != NONE && due)
#else /* or when other offers have come and gone */
#define limit_comes true
#endif

proctype Thread(byte w) {
  byte round; bool took, did, owes, was_woken, was_first, has_timer;
compete:
  try_now(w);
  if :: took -> goto own :: else fi;
enqueue:
  take_or_enqueue(w);
  if :: took -> goto own :: else fi;
  settle(w);
  if
  :: atomic { ready[w] -> ready[w] = false;
       if
       :: handed_off[w] ->
          handed_off[w] = false;
#if BUG != 6
          owes = (must_clear_watched[w] && offered != NONE);
#endif
          do_duties(w); forget_age(w); note_owned(w); goto own
       :: else -> was_woken = true
       fi }
  :: atomic { must_clear_watched[w] && waiting[w] && limit_comes && !locked -> dequeue(w) }
  :: atomic { is_limited(w) && waiting[w] && !locked -> dequeue(w) }; goto leave
  fi;
  try_now(w);
  if
  :: took -> goto own
  :: !took && is_limited(w) -> goto abandon
  :: !took -> goto enqueue
  fi;

own:
  pass_if_owed();
  release(w);
  goto next;

leave: /* it was queued */
  atomic { touch(); did = (has_duty(w) || has_waiters) };
  if :: did -> did = false :: else -> goto gone fi;
abandon:
  give_up(w);
gone:
  atomic { forget_age(w) };

next:
#ifdef LIVE
  if :: w != TRACKED -> goto compete :: else fi;
#else
  round++;
  if :: round < ROUNDS -> goto compete :: else fi;
#endif
  finished++
}

#define is_dead_at_times(w) ((DEAD >> (w - THREADS)) & 1)
#define ends_at_times(w) ((ENDS >> (w - THREADS)) & 1)

proctype Task(byte w) {
  bool took, did, owes, was_woken, was_first, has_timer;
compete:
  try_now(w);
  if :: took -> goto own :: else fi;
enqueue:
  take_or_enqueue(w);
  if :: took -> goto own :: else fi;
  settle(w);
  if
  :: atomic { ready[w] -> ready[w] = false; was_woken = true }
  :: atomic { has_timer && waiting[w] && limit_comes && !locked -> dequeue(w) }; goto retry
  :: atomic { (is_limited(w) || ends_at_times(w)) && waiting[w] && !locked -> dequeue(w) }; goto leave
  :: atomic { ends_at_times(w) && ready[w] -> ready[w] = false; was_woken = true }; goto abandon
  :: is_dead_at_times(w) -> note_dead(w); goto done /* it does not run any more */
  fi;
  if
  :: has_offer[w] ->
     take_offer(w);
     if :: took -> goto own :: else -> was_first = true fi
  :: else
  fi;
retry:
  try_now(w);
  if
  :: took -> goto own
  :: !took && is_limited(w) -> goto abandon
  :: !took -> goto enqueue
  fi;

own:
  pass_if_owed();
  release(w);
#ifdef LIVE
  goto compete;
#endif
  goto done;

leave: /* it was queued */
  atomic { touch(); did = has_waiters };
  if :: did -> did = false; goto give_up_now :: else -> goto gone fi;

abandon: /* a waker had dequeued it */
  if
  :: has_offer[w] ->
#if BUG == 5
     has_offer[w] = false; goto gone;
#endif
     take_offer(w);
     if :: took -> goto own :: else fi
  :: else
  fi;
give_up_now:
  give_up(w);
gone:
  atomic { forget_age(w) };
done:
  finished++
}

proctype Clock() {
end:
  do
#ifdef LIVE /* a loop runs in time, or never */
  :: atomic { !is_late && age[TRACKED] != 0 -> is_late = true }
  :: atomic { !due && (offered != NONE -> is_dead[offered] : has_waiters) -> due = true }
#else
  :: atomic { !due && (has_waiters || offered != NONE) -> due = true }
#endif
  od
}

init {
  byte w;
  atomic {
    do
    :: w < THREADS -> run Thread(w); w++
    :: w >= THREADS && w < N -> run Task(w); w++
    :: else -> break
    od;
    w = 0; run Clock() };
  atomic { finished == N ->
    assert(permits == PERMITS && held == 0 && !woken && !watched && !locked);
    assert(DEAD || (queued == 0 && offered == NONE && !has_waiters)) }
}
