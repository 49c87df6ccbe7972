/* SPDX-License-Identifier: MIT */
/* The arbiter, as a semaphore of PERMITS permits: requests for one or two of them at once, barging, direct handoffs to threads,
   offers to tasks of event loops that may never run again, the queue that is closed for a big request, deadlines, the end of a
   loop, and the keeper, which looks after the queue where a task is relied on. Sequentially consistent.

     ask, try_now     must_ask, with its pass; the compare-exchange of a caller, without its spinning
     take_or_enqueue  the request's WaitCheck with the table's enqueue, one step under the queue's lock
     settle           Request::queued: a waiter that was relied on passes, and where an offer is open the queue is marked
     visit            Passing: a step that takes the lock and revokes an offer that has expired, one that reads the word, for each
                      waiter a step that decides, and one that changes the word; the last step changes the word and the mark,
                      and delivers. What is to be given back is so with the first change
     passing          a visit as a waker or a marker, and the note in the keeper's slot, a step of its own
     release          one compare-exchange, or a pass that gives back
     pass_on          a waiter leaves, and the queue is asked
     Thread           a blocking request, and its release
     Loop             the tasks of one event loop: arrival, deadline, teardown. It may cease to run between two jobs
     Keeper           a tick: the slot, the keeper's visit, and the caller's where no one was served
     Clock            `due`: the word's time is older than the threshold, or the offer has expired
     Delay            `late`: a loop has not come in time to what it was given

   A pace is two bits. `relied` is set when a task of the loop is given something, and cleared when the loop comes; then `late`. A
   task of a late loop is called. A loop that is not late may sleep, or be in any part of a turn, as short or as long as
   it likes: so any of the four plans is chosen for its task, but that none goes later in a strict order, and a loop's own
   tasks are served. The mark goes with the queue, and loops are called one at a first tick, then two. The keeper's slot is free,
   kept, or noted since its last look. A tick that would change nothing is not taken again until something has changed
   (`is_calm`): else a keeper that ticks for ever would hide a waiter that is stuck.

   Left out: the count of releases, for any release that relies on a woken thread may be the one that asks the clock; changes of
   the state that are neither a take nor a release; groups; a process without a keeper; the bound of what a pass skips; two
   arbiters at one address, so a mark is this one's or none. Here an offer is told apart by its task, which is offered something
   once before it runs. What a waiter owes those behind it (`owes`) is done by its release as well, so no bug is seeded there.

   Checked: no permit is lost or made; what is offered can be served [offered]; `has_waiters` is never clear while a waiter is
   queued; `woken` is never set while no woken thread is on its way; a closed queue has no offer; no thread waits for ever, and
   no task of a loop that runs, whichever loops do not run (no invalid end state). With LIVE, under weak fairness, for TRACKED,
   though all others acquire again and again:

     owns    it is served in the end
     served  the same, where a handoff falls due again and again while it is queued

   LIVE assumes that a loop comes in time, or never again; that one which does not run is called in the end, not passed over
   for ever; and that a tracked task which has waited for long is neither passed over nor called, for the allowance of an offer
   grows with its wait. `owns` does not hold for a thread of a semaphore that is not strict, beside two others that are
   faster: it may be on its way each time a handoff falls due.

   Given by the runner:

     PERMITS  there are
     THREADS  threads that block
     ROUNDS   how often each of them acquires
     TASKS    on LOOPS event loops in turn, two each at most
     BIG      the set of waiters, the threads first, that ask for two permits; the others ask for one
     STRICT   1: the semaphore is strict
     DEAD     the set of loops that may cease to run at any time
     LIMITED  the set of waiters that have a deadline
     ENDS     the set of loops that may end at any time
     TRACKED  with LIVE: which waiter

   BUG 1  a waiter that gives up passes nothing on       7  the keeper never revokes an offer that has expired
       2  the queue is not marked when a task is woken    8  one that was relied on, and is queued again, does not pass
       3  what a passer-by has taken is offered          9  the mark goes though loops that were left were not called
       4  a woken thread that takes leaves `woken` set  10  the queue is not marked when a task is offered permits
       5  an offer that comes at the loop's end is dropped
       6  a waiter that is queued while an offer is open does not mark the queue
      11  the keeper frees its slot though the queue was noted since it began to look
      12  no handoff falls due (LIVE)                   13  the queue is not closed for a big request (LIVE) */
#define N (THREADS + TASKS)
#define MAX (N + 2 * LOOPS) /* no task is beyond N */
#define NONE 255
#define is_thread(w) ((w) < THREADS)
#define loop_of(w) (((w) - THREADS) % LOOPS)
#define task(l, i) (THREADS + (l) + (i) * LOOPS)
#define amount(w) (1 + ((BIG >> (w)) & 1))

#ifndef BUG
#define BUG 0
#endif

/* The word. */
byte permits = PERMITS;
bool has_waiters, woken, closed, due;
byte offered = NONE; /* the task, in the place of the offer's time */

byte held, finished; /* permits; threads and loops */

byte queue[MAX], queued; /* by age */
bool waiting[MAX], ready[MAX], handed_off[MAX], has_offer[MAX], idle[MAX];
bool must_clear_woken[MAX]; /* a duty */
byte woken_threads;         /* that have it */
byte age[MAX], competing;   /* how many began to wait before this one, itself included */

/* The queue's mark, which goes with the queue; and the keeper's slot. */
#define unmarked 0
#define fresh 1
#define seen 2 /* from here on how often loops were called since */
#define seen_called 3
byte mark;
#define free 0
#define kept 1
#define noted 2
byte slot;
bool is_calm; /* the keeper found nothing to do, and nothing has changed since */

bool relied[LOOPS], late[LOOPS]; /* the pace of a loop: it has not come to what it was given; not in time */

#ifdef LIVE /* weak fairness gives no process a lock that others take again and again: so each hold is one step */
bool owned, is_dead[LOOPS];
bool is_late; /* TRACKED was queued first before the threshold, which the word's time says when it is the first again */
#define note_owned(w) if :: w == TRACKED -> owned = true :: else fi
#define is_limited(w) false
#define is_old(w) (w == TRACKED && is_late)
#define note_dead(l) is_dead[l] = true
#define runs(l) (!is_dead[l])
#define one_hold atomic
#define locked false
#define set_locked(value) skip
ltl owns { <> owned }
ltl served { ([] <> (due && waiting[TRACKED])) -> <> owned }
#else
bool locked; /* the queue's lock, held by a passing; all other holds are one step */
#define note_owned(w) skip
#define is_old(w) false
#define is_limited(w) ((LIMITED >> (w)) & 1)
#define note_dead(l) skip
#define runs(l) false /* or it will, but not in time */
#define one_hold
#define set_locked(value) locked = value
#endif

/* of the passing that holds the queue's lock */
#define waker 0
#define keeper 1
#define caller 2
#define marker 3
#define none 0
#define serve 1
#define offer 2
#define later 3
#define call 4
byte role, plan, left, at, first = NONE, blocked_amount, returned, other, called;
bool must_read, is_over, is_foreign, is_waiting, is_handoff, is_kept, is_blocked, has_served, is_relying, is_left, gives_woken;
bool was_fresh, is_unserved;
byte later_loop = NONE;
bool is_taken[MAX];

inline check() {
  assert(permits + held == PERMITS);
  assert(has_waiters || queued == 0 || locked);
  assert(offered == NONE || permits >= amount(offered));
  assert(!closed || offered == NONE);
  assert(!woken || woken_threads > 0)
}
inline touch() { check(); is_calm = false }

inline forget_idle_time() { if :: !has_waiters && offered == NONE -> due = false; closed = false :: else fi }

#define is_open (offered != NONE && !due)
#define can_take(w) (permits >= amount(w) && !closed && !(STRICT && has_waiters) && !is_open)
#define may_take(w) (was_first && offered == NONE -> permits >= amount(w) : can_take(w))
#define must_ask(w) (has_waiters && !STRICT && !closed && offered == NONE && permits >= amount(w) && due)
#define may_serve_left (has_waiters && permits > 0)
#define may_serve_one (has_waiters && offered == NONE && permits > 0)

inline do_duty(w) {
  if :: must_clear_woken[w] -> must_clear_woken[w] = false; woken_threads--; woken = false :: else fi
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
  owes = (was_woken || must_clear_woken[w] || offered != NONE);
  permits = permits - amount(w); held = held + amount(w);
#if BUG == 4
  if :: must_clear_woken[w] -> must_clear_woken[w] = false; woken_threads-- :: else fi;
#endif
  do_duty(w);
  if :: offered != NONE -> offered = NONE; due = false :: else fi;
  forget_idle_time();
  owes = owes && may_serve_one; was_woken = false; was_first = false;
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
  queue[queued] = 0; other = 0;
  if :: queued == 0 -> mark = unmarked :: else fi
}

inline dequeue(w) {
  do :: queue[at] != w -> at++ :: else -> break od;
  remove_at(); at = 0; is_calm = false
}

inline give_back_first() { permits = permits + returned; held = held - returned; returned = 0 }

inline rely_on(l) { relied[l] = true; late[l] = false; is_relying = true }

inline read_word() {
  left = permits + returned;
  is_over = (offered != NONE || left == 0);
  is_handoff = (STRICT || closed || (due && BUG != 12))
}

inline begin(r, given) {
  role = r; returned = given;
  if
  :: r == waker || r == marker -> is_calm = false
  :: r == keeper -> is_calm = true
  :: else
  fi;
  check();
  if
  :: queued == 0 || ((r == keeper || r == caller) && mark == unmarked) ->
     is_over = true; is_foreign = (r == keeper || r == caller)
  :: else ->
     if
     :: r == marker -> is_over = true
     :: r == keeper && mark == fresh -> mark = seen; is_over = true; is_waiting = true
     :: else ->
        was_fresh = (mark == fresh);
        if
        :: offered == NONE -> read_word()
        :: else ->
           give_back_first();
#if BUG == 7
           if :: due && r != keeper -> offered = NONE :: else fi;
#else
           if :: due -> offered = NONE :: else fi; /* long due: the handoff was the offer */
#endif
           must_read = true
        fi
     fi
  fi
}

/* Any plan, for a loop may sleep, or be in any part of a turn; but not all at any time. */
#ifdef LIVE
#define may_go_first(w) (!STRICT && runs(loop_of(w)) && !is_old(w))
#define may_call(w) (!is_old(w))
#else
#define may_go_first(w) (!STRICT)
#define may_call(w) true
#endif
inline choose_plan(w, here) {
  if
  :: is_thread(w) -> plan = none
  :: !is_thread(w) && loop_of(w) == later_loop -> plan = later
  :: !is_thread(w) && loop_of(w) != later_loop ->
     if
     :: loop_of(w) == here -> plan = serve
     :: loop_of(w) != here && late[loop_of(w)] -> plan = call
     :: else ->
        if
        :: plan = serve
        :: !is_handoff -> plan = offer
        :: may_go_first(w) -> plan = later
        :: may_call(w) -> plan = call
        fi
     fi
  fi
}

#define calls (mark == seen_called -> 2 : 1)
#define is_scarce(w) (STRICT || closed || permits + returned < 2 * amount(w))

/* under the queue's lock: the waiter at that place is to be taken, or left, or the passing is over */
inline decide(here) {
  atomic {
    check();
    if
    :: at == queued -> is_over = true
    :: else ->
       first = queue[at];
       if
       :: role == caller ->
          if
          :: called == calls -> is_over = true; first = NONE
          :: called != calls && !is_thread(first) && relied[loop_of(first)] -> is_left = true; at++; first = NONE
          :: else -> plan = call
          fi
       :: else ->
          choose_plan(first, here);
          if
          :: plan != call ->
             if
             :: left < amount(first) && returned != 0 && !has_served -> give_back_first(); left = permits
             :: else
             fi;
             if
             :: left < amount(first) -> is_blocked = true; blocked_amount = amount(first); is_over = true; first = NONE
             :: left >= amount(first) && plan == later ->
                is_left = true; later_loop = loop_of(first); at++; first = NONE
             :: else ->
                is_kept = (!is_thread(first) && (plan == offer || is_handoff) && is_scarce(first))
             fi
          :: else
          fi
       fi
    fi
  }
}

inline wake(w) {
  if
  :: is_thread(w) -> gives_woken = true
#if BUG == 2
  :: else -> relied[loop_of(w)] = true; late[loop_of(w)] = false
#else
  :: else -> rely_on(loop_of(w))
#endif
  fi;
  left = left - amount(w)
}

inline take_first() {
  atomic {
    check();
    remove_at(); is_taken[first] = true;
    if
    :: plan == call ->
       called++; is_relying = true;
       if
       :: is_thread(first) -> gives_woken = true
       :: !is_thread(first) && !relied[loop_of(first)] -> rely_on(loop_of(first))
       :: else
       fi
    :: else ->
       has_served = true;
       if
       :: is_thread(first) && is_handoff ->
          give_back_first();
          if
          :: permits >= amount(first) ->
             permits = permits - amount(first); held = held + amount(first); left = left - amount(first);
             handed_off[first] = true; closed = false; due = false
          :: else -> wake(first)
          fi
       :: is_kept ->
          give_back_first();
          if
#if BUG == 3
          :: true ->
#else
          :: permits >= amount(first) ->
#endif
             closed = false; offered = first; has_offer[first] = true; due = false;
             rely_on(loop_of(first)); is_over = true;
#if BUG == 10
             is_relying = false
#endif
#if BUG != 3
          :: else -> wake(first)
#endif
          fi
       :: else -> wake(first)
       fi
    fi;
    plan = none; first = NONE; is_kept = false
  }
}

inline change_mark(keeps) {
  if
  :: role == waker ->
     if :: is_relying || (may_serve_one && is_left) -> mark = fresh; keeps = true :: else fi
  :: role == keeper ->
     is_unserved = (may_serve_one && is_left && !has_served);
     if
     :: is_relying || offered != NONE || (may_serve_one && is_left && has_served) -> mark = fresh
     :: else -> if :: !is_unserved -> mark = unmarked :: else fi
     fi;
     keeps = (mark != unmarked)
  :: role == caller ->
     if
     :: offered != NONE || was_fresh -> mark = fresh
     :: else ->
        if
#if BUG == 9
        :: true -> mark = unmarked
#else
        :: !may_serve_one || (called == 0 && !is_left) -> mark = unmarked
#endif
        :: else -> if :: called != 0 -> mark = seen_called :: else fi
        fi
     fi;
     keeps = (mark != unmarked)
  :: role == marker ->
     if :: offered != NONE -> mark = fresh; keeps = true :: else fi
  fi
}

inline finish(keeps) {
  atomic {
    check();
    if
    :: is_foreign
    :: is_waiting -> keeps = true
    :: else ->
       give_back_first();
       if :: queued == 0 -> has_waiters = false; closed = false :: else fi;
       if :: gives_woken -> woken = true :: else fi;
       if
       :: queued != 0 && is_blocked && permits < blocked_amount && offered == NONE && due && BUG != 13 -> closed = true
       :: else
       fi;
       forget_idle_time();
       if
       :: queued != 0 -> change_mark(keeps)
       :: else -> keeps = (role == keeper || role == caller) /* until the next tick */
       fi
    fi;
    if :: has_served || called != 0 || is_foreign || is_waiting -> is_calm = false :: else fi;
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
    role = 0; left = 0; at = 0; first = NONE; blocked_amount = 0; called = 0; later_loop = NONE;
    is_over = false; is_foreign = false; is_waiting = false; is_handoff = false; is_blocked = false;
    has_served = false; is_relying = false; is_left = false; gives_woken = false; was_fresh = false;
    set_locked(false)
  }
}

inline visit(r, given, here, keeps) {
  one_hold {
    atomic { !locked -> set_locked(true); begin(r, given) };
    if :: must_read -> atomic { check(); must_read = false; read_word() } :: else fi;
    do
    :: is_over -> break
    :: else -> decide(here); if :: first != NONE -> take_first() :: else fi
    od;
    finish(keeps)
  }
}

inline pass(here) { /* and gives back so many permits */
  visit(as, given, here, notes);
  if :: notes -> atomic { notes = false; slot = noted; is_calm = false } :: else fi;
  as = waker; given = 0
}

/* what follows a pass */
#define trying 1
#define settled 2
#define owned_now 3
#define over 4

inline ask(w) { atomic { touch(); if :: !was_woken && must_ask(w) -> after = trying; goto passing :: else fi } }

inline try_now(w) {
  atomic { touch();
    if
    :: may_take(w) -> take(w); goto own
    :: !may_take(w) && was_woken && is_limited(w) -> goto give_up
    :: !may_take(w)
    fi }
}

inline take_or_enqueue(w) {
  atomic { !locked; touch();
    if
    :: may_take(w) -> take(w); goto own
    :: else ->
       do_duty(w);
       if :: age[w] == 0 -> competing++; age[w] = competing :: else fi;
       if :: !has_waiters && offered == NONE -> due = is_old(w) :: else fi;
       has_waiters = true; insert(w);
       was_first = false
    fi }
}

/* the waiter is queued */
inline settle(w) {
  atomic { touch(); was_relied_on = was_woken; was_woken = false;
    if
#if BUG != 6
    :: is_open -> was_relied_on = false; as = marker; after = settled; goto passing
#endif
#if BUG != 8
    :: !is_open && (was_relied_on || offered != NONE) && may_serve_left ->
       was_relied_on = false; after = settled; goto passing
#endif
    :: else -> was_relied_on = false
    fi }
}

inline take_offer(w) {
  atomic { touch(); has_offer[w] = false; if :: offered == w -> take(w); goto own :: else -> was_first = true fi }
}

inline release(w) {
  atomic { touch();
    if
    :: did = (has_waiters && (offered != NONE -> due : !woken || STRICT || closed))
    :: has_waiters && due -> did = true
    fi;
    if
    :: did -> did = false; given = amount(w); after = over; goto passing
    :: else -> permits = permits + amount(w); held = held - amount(w); forget_idle_time()
    fi }
}

inline pass_if_owed() { if :: owes -> owes = false; after = owned_now; goto passing :: else fi }

inline pass_on(w) {
  atomic { touch(); do_duty(w); was_woken = false; was_first = false; forget_age(w);
#if BUG != 1
    after = over; goto passing
#endif
  }
}

proctype Thread(byte w) {
  byte round, as, given, after; bool did, owes, was_woken, was_relied_on, was_first, notes;
compete:
  ask(w);
try:
  try_now(w);
  take_or_enqueue(w);
  settle(w);
sleep:
  if
  :: atomic { ready[w] -> ready[w] = false;
       if
       :: handed_off[w] -> handed_off[w] = false; forget_age(w); note_owned(w); goto own
       :: else -> was_woken = true; goto try
       fi }
  :: atomic { is_limited(w) && waiting[w] && !locked -> dequeue(w) }
  fi;
  atomic { touch(); if :: may_serve_left -> goto give_up :: else -> forget_age(w); goto next fi };
give_up:
  pass_on(w);
  goto next;

own:
  pass_if_owed();
own_still:
  release(w);

next:
#ifdef LIVE
  if :: w != TRACKED -> goto compete :: else -> goto done fi;
#else
  round++;
  if :: round < ROUNDS -> goto compete :: else -> goto done fi;
#endif

passing:
  pass(NONE);
  if
  :: after == trying -> after = 0; goto try
  :: after == settled -> after = 0; goto sleep
  :: after == owned_now -> after = 0; goto own_still
  :: after == over -> after = 0; goto next
  fi;

done:
  finished++
}

#define leaves(w) ((is_limited(w) || is_ending) && waiting[w] && !locked)
#define is_dead_at_times(l) ((DEAD >> (l)) & 1)
#define ends_at_times(l) ((ENDS >> (l)) & 1)

inline come(w, l) { ready[w] = false; was_woken = true; relied[l] = false; late[l] = false; is_calm = false }

proctype Loop(byte l) {
  byte w, ended, as, given, after; bool did, owes, was_woken, was_relied_on, was_first, notes, is_ending;
next:
  w = 0;
  if
  :: atomic { idle[task(l, 0)] -> w = task(l, 0); idle[w] = false; goto start }
  :: atomic { idle[task(l, 1)] -> w = task(l, 1); idle[w] = false; goto start }
  :: atomic { ready[task(l, 0)] -> w = task(l, 0); come(w, l); goto complete }
  :: atomic { ready[task(l, 1)] -> w = task(l, 1); come(w, l); goto complete }
  :: atomic { leaves(task(l, 0)) -> w = task(l, 0); dequeue(w); goto leave }
  :: atomic { leaves(task(l, 1)) -> w = task(l, 1); dequeue(w); goto leave }
#ifndef LIVE
  :: ends_at_times(l) && !is_ending -> is_ending = true; goto next
  :: ended == (TASKS + LOOPS - 1 - l) / LOOPS -> goto done
#endif
  :: is_dead_at_times(l) && !is_ending -> note_dead(l); goto done /* it does not run any more */
  fi;

start:
  if :: is_ending -> goto ended_one :: else -> goto compete fi;

complete:
  if :: is_ending -> goto abandon :: else fi;
  if
  :: has_offer[w] ->
     take_offer(w)
  :: else
  fi;
compete:
  ask(w);
try:
  try_now(w);
  take_or_enqueue(w);
  settle(w);
  goto next;

leave: /* it was queued */
  atomic { touch(); if :: may_serve_left -> goto give_up :: else -> forget_age(w); goto ended_one fi };

abandon: /* a waker had dequeued it */
  if
  :: has_offer[w] ->
#if BUG == 5
     atomic { has_offer[w] = false; was_woken = false; forget_age(w); goto ended_one };
#endif
     take_offer(w)
  :: else
  fi;
give_up:
  pass_on(w);
  goto ended_one;

own:
  pass_if_owed();
own_still:
  release(w);
ended_one:
#ifdef LIVE
  idle[w] = (w != TRACKED);
#else
  ended++;
#endif
  goto next;

passing:
  pass(l);
  if
  :: after == trying -> after = 0; goto try
  :: after == settled -> after = 0; goto next
  :: after == owned_now -> after = 0; goto own_still
  :: after == over -> after = 0; goto ended_one
  fi;

done:
  finished++
}

proctype Keeper() {
  byte as = keeper; bool keeps;
end:
  do
  :: atomic { slot != free && !is_calm -> slot = kept };
look:
     visit(as, 0, NONE, keeps);
     if
     :: is_unserved -> is_unserved = false; keeps = false; as = caller; goto look
     :: else
     fi;
     atomic { as = keeper; if :: !keeps && (slot == kept || BUG == 11) -> slot = free; is_calm = false :: else fi; keeps = false }
  od
}

proctype Clock() {
end:
  do
#ifdef LIVE /* a loop runs in time, or never */
  :: atomic { !due && (offered != NONE -> is_dead[loop_of(offered)] : has_waiters) -> due = true; is_calm = false }
#else
  :: atomic { !due && (has_waiters || offered != NONE) -> due = true; is_calm = false }
#endif
  od
}

#define is_late_now(l) (relied[l] && !late[l] && !runs(l))

proctype Delay() {
end:
  do
#ifdef LIVE
  :: atomic { !is_late && age[TRACKED] != 0 -> is_late = true }
#endif
  :: atomic { is_late_now(0) -> late[0] = true; is_calm = false }
  :: atomic { is_late_now(LOOPS - 1) -> late[LOOPS - 1] = true; is_calm = false }
  od
}

init {
  byte w;
  atomic {
    do
    :: w < THREADS -> run Thread(w); w++
    :: w >= THREADS && w < N -> idle[w] = true; w++
    :: else -> break
    od;
    w = 0;
    do
    :: w < LOOPS -> run Loop(w); w++
    :: else -> break
    od;
    w = 0; run Keeper(); run Clock(); run Delay() };
  atomic { finished == THREADS + LOOPS ->
    assert(permits == PERMITS && held == 0 && !woken);
    assert(DEAD || (queued == 0 && offered == NONE && !has_waiters)) }
}
