/* SPDX-License-Identifier: MIT */
/* AsyncLock: threads and tasks of event loops that compete for one lock. Barging, direct handoffs to threads, offers to
   tasks, loops that never run their jobs again, deadlines, and the end of a loop. Sequentially consistent.

     lock_or_enqueue   the lock's WaitCheck with the table's enqueue, one step under the queue's lock
     watch             Locking::retry_at: a thread watches an offer, a task sets a timer
     take_or_do_duties one compare-exchange, as in the operation
     take_offer        one compare-exchange that compares the offer's time. Here an offer is told apart by its task,
                       which is offered the lock once before it runs
     is_deputy         a woken thread is enqueued, and passes a strict lock on: Locking::must_wait, retry_at
     unlock            a load; then one compare-exchange, or a passing
     pass              Passing: the decision, and the one change of the word, both under the queue's lock
     Thread            a blocking lock, without its spinning: its check tries in any case
     Loop              the tasks of one event loop: completion, timer, deadline, teardown
     Clock             the handoff threshold passes
     order, forget_age the age of a waiter, which it keeps until its wait has ended
     touch             any access to the lock's word; its last owner destroys it right after the unlock

   `has_threads` is left out: a search for company always goes through the whole queue. `due` says that the word's time is
   older than the threshold. The count of the releases is left out: any unlock that relies on a woken thread may be the one
   that asks the clock. A limit of a wait may come at any time, as other offers may have come and gone. A late job that took
   another task's offer would break no claim here but the order, so there is no bug for that.

   Checked: one owner at a time; a strict lock is acquired in the order of queueing; no waiter waits for ever, but tasks of dead loops (no invalid end state); no touch of the
   lock after its end; has_waiters is never clear while a waiter is queued [has-waiters]; `woken` is never set while no
   woken thread is on its way, nor `watched` without a thread that watches; the word in the end. With LIVE, under weak
   fairness, for TRACKED, though all others lock again and again:

     owns    it owns the lock in the end, if each loop runs within the threshold of an offer, or never again
     served  the same, where a handoff falls due again and again while it is queued

   `owns` does not hold for a lock that is not strict where a waiter may be on its way each time a handoff falls due: then the
   handoff goes to the next one. That takes a task, or a woken thread that is late (LATE).

   Given by the runner:

     THREADS  threads that block
     ROUNDS   how often each of them locks
     TASKS    on LOOPS event loops in turn
     STRICT   1: the lock is strict
     DEAD     the set of loops that may cease to run at any time
     LIMITED  the set of waiters, the threads first, that have a deadline; tasks may be destroyed by it as well
     ENDS     the set of loops that may end at any time
     LATE     1: an unlock may hand off though a woken thread is on its way, for that may wait for a processor
     TRACKED  with LIVE: which waiter

   BUG 1  a thread that takes the lock leaves `woken` set       9  duties are done before the try that goes with them
       2  a woken thread that gives up passes nothing on       10  `watched` is read before the queue's lock is taken
       3  `woken` is set though only tasks were woken          11  a watcher that leaves passes on only if it sees an offer
       4  a task is woken or offered the lock alone            12  a task that leaves passes its timer's duty on to none
       5  a watcher that gives up passes nothing on            13  a waiter that is enqueued again waits from then on (LIVE)
       6  an expired offer stays when the lock is taken        14  the company of an offer may be of the loop that has it
       7  the check does not set has_waiters                   15  an offer that comes at the loop's end is dropped
       8  the check is made outside the queue's lock           16  a wake that comes at the loop's end is dropped
      17  what was woken in vain comes first, whatever its age (LIVE)
      18  no handoff to a thread, but a wake (LIVE)
      19  a woken thread takes a strict lock past those that were queued before it */
#define N (THREADS + TASKS)
#define MAX (N + 2 * LOOPS) /* no task is beyond N */
#define NONE 255
#define is_thread(w) ((w) < THREADS)
#define loop_of(w) (((w) - THREADS) % LOOPS)

#ifdef LIVE
#define is_limited(w) false
bool owned, aged = STRICT; /* TRACKED has owned the lock; it, and so all that are older, competes for longer than the threshold */
bool is_dead[LOOPS];
#define note_dead(l) is_dead[l] = true
inline one_less() { skip }
#define note_owned(w) if :: w == TRACKED -> owned = true :: else fi
#else
#define is_limited(w) ((LIMITED >> (w)) & 1)
#define note_owned(w)
#define note_dead(l) skip
inline one_less() { left--; is_last = (left == 0) }
#endif

/* A strict lock is acquired in the order of queueing, unless an offer has expired, or its watcher has left the queue to see
   whether it has. Here with one loop, and where none gives up: then no task is woken to watch an offer. A task that is loses
   its place to those behind it until its loop has run. */
#if STRICT && LOOPS == 1 && !LIMITED && !ENDS && !defined(LIVE)
bool has_expired;
#define note_expired() has_expired = true
#define is_in_order(w) (age[w] <= 1 || has_expired)
#else
#define note_expired() skip
#define is_in_order(w) true
#endif

/* The word. */
bool held, has_waiters, woken, watched, due;
byte offered = NONE; /* the task, in the place of the offer's time */

bool lock_alive = true;
byte owners, left = THREADS * ROUNDS + TASKS; /* acquisitions that have not yet ended */
byte finished;                                /* threads and loops */

/* The queue's lock, held by a passing; all other holds are one step. */
#ifdef LIVE /* weak fairness gives no process a lock that others take again and again: so each hold is one step */
#define then ;
#define locked false
#define set_locked(value) skip
#else
#define then }; atomic {
#define set_locked(value) locked = value
bool locked;
#endif
chan queue = [N] of { byte };
bool waiting[MAX], token[MAX], handed_off[MAX], has_offer[MAX];
bool must_clear_woken[MAX], must_clear_watched[MAX], has_timer[MAX]; /* duties */
bool is_deputy[MAX];                                                 /* owns the lock for the first in the queue */
byte woken_threads, watchers;                                        /* that have these duties */

chan jobs[LOOPS] = [N] of { byte };

byte age[MAX], competing; /* how many began to wait before this one, itself included; 0: it does not wait */

#ifdef LIVE
ltl owns { <> owned }
ltl served { ([] <> (due && waiting[TRACKED])) -> <> owned }
#endif

/* of the passing that holds the queue's lock */
byte first = NONE, company = NONE, thread = NONE, other, count, agent;
bool is_complete, is_placed;

inline touch() {
  assert(lock_alive);
  assert(has_waiters || len(queue) == 0);
  assert(!woken || woken_threads > 0);
  assert(!watched || watchers > 0)
}

inline forget_idle_time() { if :: !has_waiters && offered == NONE -> due = false :: else fi }

#define has_duty(w) (must_clear_woken[w] || must_clear_watched[w])
#define can_take(w) (!held && (offered != NONE -> due : (!STRICT || !woken || must_clear_woken[w])))

/* a strict lock that was released while this thread was on its way, and others are queued: it passes the lock on */
#define is_for_first(w) (STRICT && has_waiters && offered == NONE && must_clear_woken[w])

inline do_woken(w) { if :: must_clear_woken[w] -> must_clear_woken[w] = false; woken_threads--; woken = false :: else fi }
inline do_watched(w) {
  if :: must_clear_watched[w] -> must_clear_watched[w] = false; watchers--; watched = false :: else fi
}

inline take(w) {
  held = true;
#if BUG == 1
  if :: must_clear_woken[w] -> must_clear_woken[w] = false; woken_threads-- :: else fi;
#else
  do_woken(w);
#endif
  do_watched(w);
  if
  :: offered != NONE ->
     due = false; note_expired();
#if BUG != 6
     offered = NONE
#endif
  :: else
  fi;
  forget_idle_time()
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

inline enter(w) { atomic { owners++; assert(owners == 1); assert(is_in_order(w)); note_owned(w); forget_age(w) } }
inline exit() { owners-- }

/* under the queue's lock: takes the lock if that is allowed, else is enqueued */
inline lock_or_enqueue(w, took, is_again) {
  atomic { !locked; touch(); took = can_take(w);
    if
#if BUG == 19
    :: took -> take(w)
#else
    :: took && !is_for_first(w) -> take(w)
    :: took && is_for_first(w) -> took = false; take(w); is_deputy[w] = true
#endif
    :: else ->
       do_woken(w); do_watched(w)
    fi;
    if
    :: took
    :: else ->
       if :: age[w] == 0 -> competing++; age[w] = competing :: else fi;
       if
#if defined(LIVE) && BUG != 13
       :: !has_waiters && offered == NONE -> due = (aged && age[TRACKED] != 0 && age[w] <= age[TRACKED])
#else
       :: !has_waiters && offered == NONE -> due = false
#endif
       :: else
       fi;
#if BUG != 7
       has_waiters = true;
#endif
#if BUG == 8
    fi };
  atomic { !locked;
    if
    :: took
    :: else ->
#endif
       waiting[w] = true;
       if :: is_again -> order(w) :: else -> queue ! w fi
    fi;
    is_again = false }
}

inline order(w) { /* at the head, behind those there that are older */
  count = len(queue);
  do
  :: count == 0 -> break
  :: else ->
     queue ? other; count--;
     if
#if BUG == 17
     :: !is_placed ->
#else
     :: !is_placed && age[other] > age[w] ->
#endif
        queue ! w; is_placed = true
     :: else
     fi;
     queue ! other
  od;
  if :: is_placed -> is_placed = false :: else -> queue ! w fi;
  other = 0
}

inline take_or_do_duties(w, took) {
  atomic { touch(); took = can_take(w); if :: took -> take(w) :: else -> do_woken(w); do_watched(w) fi }
}

inline take_offer(w, took) {
  atomic { touch(); has_offer[w] = false; took = (offered == w);
    if :: took -> assert(!held); offered = NONE; held = true; forget_idle_time() :: else fi }
}

inline deliver(w) { if :: is_thread(w) -> assert(!token[w]); token[w] = true :: else -> jobs[loop_of(w)] ! w fi }

/* Dequeues those to wake: the first, and its company if that is a task: the next thread, and a task of another loop before
   that. */
inline decide(relied_on, with_company, is_for_watch) {
  count = len(queue);
  if
  :: is_for_watch -> /* a thread, if there is one, for it is back in its place soon */
     do
     :: count == 0 -> break
     :: else ->
        queue ? other; count--;
        if
        :: !is_complete && is_thread(other) -> first = other; waiting[other] = false; is_complete = true
        :: else -> queue ! other
        fi
     od;
     count = len(queue)
  :: else
  fi;
  do
  :: count == 0 -> break
  :: else ->
     queue ? other; count--;
     if
     :: is_complete -> queue ! other
     :: !is_complete && first == NONE ->
        first = other; waiting[other] = false;
        if
        :: is_thread(other) -> is_complete = true
        :: else -> agent = loop_of(other);
#if BUG == 4
                   is_complete = true
#else
                   is_complete = relied_on
#endif
        fi
     :: !is_complete && first != NONE && is_thread(other) ->
        thread = other; waiting[other] = false; is_complete = true
     :: !is_complete && first != NONE && !is_thread(other) && with_company &&
        company == NONE && loop_of(other) != agent ->
        company = other; waiting[other] = false
     :: else -> queue ! other
     fi
  od;
  other = 0; agent = 0; is_complete = false
}

inline wake_thread(w) { must_clear_woken[w] = true; woken_threads++; woken = true; deliver(w) }

inline wake_others() {
  if :: company != NONE -> deliver(company) :: else fi;
  if :: thread != NONE -> wake_thread(thread) :: else fi;
  if :: len(queue) == 0 -> has_waiters = false :: else fi;
  forget_idle_time();
  first = NONE; company = NONE; thread = NONE;
  set_locked(false)
}

/* by the owner, or a deputy, which will watch itself */
inline pass(is_relied_on) {
  atomic { !locked -> set_locked(true); touch();
#if BUG == 10
    decide(is_relied_on || was_watched, true, false);
    was_watched = false;
#else
    decide(is_relied_on || watched, true, false);
#endif
#if BUG == 18
    hands_off = (STRICT || due) && first != NONE && !is_thread(first)
#else
    hands_off = (STRICT || due)
#endif
    then
    touch();
    if
    :: first == NONE -> held = false
    :: first != NONE && is_thread(first) && hands_off -> handed_off[first] = true; due = false; deliver(first)
    :: first != NONE && is_thread(first) && !hands_off -> held = false; wake_thread(first)
    :: first != NONE && !is_thread(first) ->
       held = false;
       if :: hands_off -> offered = first; has_offer[first] = true; due = false :: else fi;
#if BUG == 3
       woken = true;
#endif
       deliver(first)
    fi;
    hands_off = false;
    wake_others() }
}

inline pass_if(did) { if :: did -> did = false; pass(false) :: else fi }

inline unlock() {
  atomic { touch(); assert(held);
    if
    :: did = (has_waiters && !woken)
    :: LATE && !STRICT && due && has_waiters && woken -> did = true
    fi;
    if
    :: did ->
#if BUG == 10
       was_watched = watched
#else
       skip
#endif
    :: else -> held = false; forget_idle_time()
    fi
#ifdef LIVE
    ; pass_if(did) }
#else
  };
  pass_if(did)
#endif
}

inline end_lock() { if :: is_last -> lock_alive = false :: else fi }

/* Others rely on a waiter that leaves: that it takes a free lock, or tries when an offer has expired. What it took it
   unlocks. */
inline pass_on(w) {
#if BUG == 9
  atomic { touch(); took = can_take(w); if :: took -> take(w) :: else fi };
  atomic { touch(); do_woken(w); do_watched(w) };
#else
  take_or_do_duties(w, took);
#endif
  if
  :: took
  :: else ->
#if BUG == 9 || BUG == 11
     atomic { touch(); did = (offered != NONE) };
     atomic { !locked;
#else
     atomic { !locked; touch(); did = !held && !(STRICT && woken); /* else its owner will pass it on, or a thread is on its way */
#endif
       if :: did -> set_locked(true); decide(false, BUG != 14, STRICT) :: else fi };
     if
     :: did ->
        atomic { touch(); did = false;
          if
          :: first == NONE
          :: first != NONE && is_thread(first) -> wake_thread(first)
          :: first != NONE && !is_thread(first) -> deliver(first)
          fi;
          wake_others() }
     :: else
     fi
  fi
}

#ifdef LIVE /* the limit of a watcher comes when its offer has expired */
#define limit_comes (offered != NONE && due)
#else /* or when other offers have come and gone */
#define limit_comes true
#endif

inline dequeue(w) { queue ?? eval(w); waiting[w] = false }

proctype Thread(byte w) {
  byte round; bool is_again, took, did, hands_off, was_watched, is_last;
compete:
  lock_or_enqueue(w, took, is_again);
  if :: took -> goto own :: else fi;
  if :: is_deputy[w] -> is_deputy[w] = false; pass(true) :: else fi;
  atomic { touch(); /* watch */
    if
    :: offered != NONE && !watched -> watched = true; must_clear_watched[w] = true; watchers++
    :: else
    fi };
  if
  :: atomic { token[w] -> token[w] = false;
       if
       :: handed_off[w] -> handed_off[w] = false; goto settle
       :: else
       fi }
  :: atomic { must_clear_watched[w] && waiting[w] && limit_comes && !locked -> dequeue(w); note_expired() }
  :: atomic { is_limited(w) && waiting[w] && !locked -> dequeue(w) }; goto give_up
  fi;
  if
  :: is_again = true; goto compete
  :: is_limited(w) -> goto give_up
  fi;

settle:
  atomic { touch(); do_watched(w) };
own:
  enter(w);
  atomic { exit(); one_less(); took = false };
  unlock();
  end_lock();
  goto next;

give_up:
  did = has_duty(w);
#if BUG == 2
  if :: must_clear_woken[w] -> atomic { do_woken(w); do_watched(w) }; did = false :: else fi;
#elif BUG == 5
  if :: must_clear_watched[w] -> atomic { do_woken(w); do_watched(w) }; did = false :: else fi;
#endif
  if
  :: did -> did = false; pass_on(w); if :: took -> goto own :: else fi
  :: else
  fi;
  atomic { one_less(); is_last = false; forget_age(w) };

next:
#ifdef LIVE
  if :: w != TRACKED -> goto compete :: else fi;
#else
  round++;
  if :: round < ROUNDS -> goto compete :: else fi;
#endif
  finished++
}

#define task(l, i) (THREADS + (l) + (i) * LOOPS)
#define tries_again(w) (!is_ending && has_timer[w] && waiting[w] && limit_comes && !locked)
#define leaves(w) ((is_limited(w) || is_ending) && waiting[w] && !locked)
#define is_retracted(w) (is_limited(w) && jobs[l] ?? [eval(w)])
#define is_dead_at_times(l) ((DEAD >> (l)) & 1)
#define ends_at_times(l) ((ENDS >> (l)) & 1)
bool idle[MAX];

proctype Loop(byte l) {
  byte w, ended; bool is_again, took, did, hands_off, was_watched, is_last, is_ending;
next:
  w = 0;
  if
  :: atomic { idle[task(l, 0)] -> w = task(l, 0); idle[w] = false }; goto start
  :: atomic { idle[task(l, 1)] -> w = task(l, 1); idle[w] = false }; goto start
  :: jobs[l] ? w -> has_timer[w] = false; goto complete
  :: atomic { tries_again(task(l, 0)) -> w = task(l, 0); dequeue(w); note_expired() }; goto retry
  :: atomic { tries_again(task(l, 1)) -> w = task(l, 1); dequeue(w); note_expired() }; goto retry
  :: atomic { leaves(task(l, 0)) -> w = task(l, 0); dequeue(w) }; goto leave
  :: atomic { leaves(task(l, 1)) -> w = task(l, 1); dequeue(w) }; goto leave
  :: atomic { is_retracted(task(l, 0)) -> w = task(l, 0); jobs[l] ?? eval(w) }; goto abandon
  :: atomic { is_retracted(task(l, 1)) -> w = task(l, 1); jobs[l] ?? eval(w) }; goto abandon
#ifndef LIVE
  :: ends_at_times(l) && !is_ending -> is_ending = true; goto next
  :: ended == (TASKS + LOOPS - 1 - l) / LOOPS -> goto done
#endif
  :: is_dead_at_times(l) && !is_ending -> note_dead(l); goto done /* it does not run any more */
  fi;

start:
  if :: is_ending -> goto gone :: else -> goto compete fi;

complete:
  if :: is_ending -> goto abandon :: else fi;
  if
  :: has_offer[w] ->
     take_offer(w, took);
     if :: took -> goto own :: else fi
  :: else
  fi;
retry:
  has_timer[w] = false;
  if
  :: is_again = true
  :: is_limited(w) -> goto abandon
  fi;
compete:
  lock_or_enqueue(w, took, is_again);
  if :: took -> goto own :: else fi;
  has_timer[w] = (offered != NONE);
  goto next;

own:
  enter(w);
  atomic { exit(); one_less(); took = false };
  unlock();
  end_lock();
#ifdef LIVE
  idle[w] = (w != TRACKED);
#else
  ended++;
#endif
  has_timer[w] = false;
  goto next;

leave: /* it was queued */
#if BUG != 12
  if :: has_timer[w] -> goto leave_to_others :: else fi;
#endif
  goto gone;

abandon: /* a waker had dequeued it */
  if
  :: has_offer[w] ->
#if BUG == 15
     has_offer[w] = false;
#else
     take_offer(w, took);
     if :: took -> goto own :: else fi;
#endif
     goto gone
#if BUG == 16
  :: else -> goto gone
#else
  :: else
#endif
  fi;

leave_to_others:
  pass_on(w);
  if :: took -> goto own :: else fi;

gone:
  has_timer[w] = false;
  atomic { one_less(); is_last = false; forget_age(w); ended++ };
  goto next;

done: finished++
}

proctype Clock() {
end:
  do
#ifdef LIVE /* a loop runs in time, or never */
  :: atomic { !due && (offered != NONE -> is_dead[loop_of(offered)] : has_waiters) -> due = true }
  :: !aged -> aged = true
#else
  :: atomic { !due && (has_waiters || offered != NONE) -> due = true }
#endif
  od
}

init {
  byte w;
  atomic {
    do :: w < THREADS -> run Thread(w); w++ :: else -> break od;
    do :: w < N -> idle[w] = true; w++ :: else -> break od;
    w = 0;
    do :: TASKS > 0 && w < LOOPS -> run Loop(w); w++ :: else -> break od;
    w = 0; run Clock() };
  atomic { finished == THREADS + (TASKS > 0 -> LOOPS : 0) ->
    assert(!held && !woken && !watched && !locked);
    assert(DEAD || (left == 0 && len(queue) == 0 && offered == NONE)) }
}
