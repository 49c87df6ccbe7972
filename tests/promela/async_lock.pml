/* SPDX-License-Identifier: MIT */
/* AsyncLock: threads and coroutines that compete for one lock, barging, its wait queue, the handoff threshold and
   direct handoff, deadlines and a stop token, coroutines that are destroyed, and the end of the event loop.

     try_lock                 AsyncLock::try_lock (a load and the exchange it leads to are one step)
     lock_or_enqueue, unlock  the lock's WaitCheck with the table's enqueue; the contended unlock
     Thread                   a blocking lock, without its spinning: each attempt is a try outside of the queue, as
                              try_lock of any thread is, and the check of the enqueuing tries once more
     Loop                     awaited acquisitions: try, enqueue, completion, teardown, destruction while they wait;
                              EventLoop::Impl::run and tear_down, Agent::abandon_all
     dequeue_first, dequeue   the queue, each one step: wait_queue.pml has what is inside
     touch                    any access to the lock's word; its last owner destroys it right after the unlock

   Checked: one owner at a time; no waiter waits for ever (no invalid end state); no touch of the lock after its end;
   the lock is never free without has_waiters while its queue is not empty [has-waiters]. With LIVE, for TRACKED:

     owns         queued past the handoff threshold -> in the end it owns
     owns_anyhow  queued -> in the end it owns

   Given by the runner:

     THREADS     threads that block
     ROUNDS      how often each of them locks
     COROUTINES  on one loop; the last has a deadline and a stop token, and may be destroyed while it waits
     TRACKED     with LIVE: which of them, the threads from 0 on, then the coroutines

   BUG 1  a handoff that comes at the loop's end is dropped    7  a due deadline is asked before the handoff
       2  a wake that comes at the loop's end is dropped       8  has_waiters is not set again after the second dequeue
       3  has_waiters is cleared without a second dequeue      9  the lock is never handed off (LIVE)
       4  released before the first waiter is dequeued        10  taking a free lock clears has_waiters
       5  the check is made outside the queue's lock          11  the handoff is written after the delivery
       6  the check does not set has_waiters                  12  a destroyed coroutine drops its wake */
#define N (THREADS + COROUTINES)
#define NONE 255
#define FREE 0
#define HELD 1
#define WAITERS 2

#ifdef LIVE /* the threads lock again and again, except TRACKED; the loop and the lock live for ever */
bool is_past_threshold, queued, owns; /* of TRACKED */
#define note(w, flag, value) if :: w == TRACKED -> flag = value :: else fi
#define may_hand_off(w) (w != TRACKED || is_past_threshold)
#define may_release(w) (w != TRACKED || !is_past_threshold)
#define is_limited(w) false
#define one_less()
ltl owns { [] (waiting[TRACKED] && is_past_threshold -> <> owns) }
ltl owns_anyhow { [] (queued -> <> owns) }
#else
#define note(w, flag, value)
#define may_hand_off(w) true /* the threshold may have passed or not, each time it is asked */
#define may_release(w) true
#define one_less() left--; is_last = (left == 0)
#define is_limited(w) (COROUTINES > 0 && w == N - 1)
#endif

byte word = FREE, owners;
bool lock_alive = true;
byte left = THREADS * ROUNDS + COROUTINES; /* acquisitions that have not yet ended; counted under the lock */

chan queue = [N] of { byte };
bool waiting[N], token[N], handed_off[N], is_ok[N];

chan jobs = [N + 1] of { byte }; /* wakes, and the rest of a coroutine that holds the lock */
bool loop_alive = true;
bool stop_requested, listening[N], running[N];

inline touch() { assert(lock_alive) }

inline enter(w) { atomic { owners++; assert(owners == 1); note(w, owns, true) } }

inline exit(w) {
  atomic { owners--; one_less(); handed_off[w] = false; note(w, owns, false); note(w, queued, false) }
}

inline end_lock() { if :: is_last -> lock_alive = false :: else fi }

inline try_lock(got) {
  atomic { touch();
    got = !(word & HELD);
    if
#if BUG == 10
    :: got -> word = HELD
#else
    :: got -> word = word | HELD
#endif
    :: else
    fi }
}

/* under the queue's lock: takes the lock if it is free, else sets has_waiters and is enqueued */
inline lock_or_enqueue(w, took) {
  atomic { touch(); took = !(word & HELD);
#if BUG == 6
    word = word | HELD;
#else
    word = HELD | WAITERS;
#endif
#if BUG == 5
  };
  atomic {
#endif
    if :: !took -> waiting[w] = true; queue ! w; note(w, queued, true) :: else fi }
}

inline dequeue_first(w) {
  atomic {
    if
    :: len(queue) > 0 -> queue ? w; assert(waiting[w]); waiting[w] = false; is_ok[w] = true
    :: else -> w = NONE
    fi }
}

inline deliver(w) {
  atomic { if :: w < THREADS -> assert(!token[w]); token[w] = true :: else -> assert(loop_alive); jobs ! w fi }
}

inline release_to(w) {
  if
#if BUG == 11
  :: may_hand_off(w) -> deliver(w); handed_off[w] = true; w = NONE
#elif BUG == 9
  :: may_hand_off(w) -> atomic { touch(); word = WAITERS }
#else
  :: may_hand_off(w) -> handed_off[w] = true
#endif
  :: may_release(w) -> atomic { touch(); word = WAITERS }
  fi;
  if :: w != NONE -> deliver(w) :: else fi
}

inline unlock() { /* `first` is the caller's */
  do
  :: atomic { touch(); first = NONE;
       if
       :: word == HELD -> assert(len(queue) == 0); word = FREE; break
       :: else -> assert(word == (HELD | WAITERS))
       fi };
#if BUG == 4
     atomic { touch(); word = WAITERS };
#endif
     dequeue_first(first);
     if :: first != NONE -> release_to(first); break :: else fi;
     atomic { touch(); word = word & HELD };
#if BUG != 3
     dequeue_first(first);
     if
     :: first != NONE ->
#if BUG != 8
        atomic { touch(); word = word | WAITERS };
#endif
        release_to(first); break
     :: else
     fi
#endif
  od;
  first = NONE
}

inline dequeue(w, did) {
  atomic {
    did = waiting[w];
    if :: did -> queue ?? eval(w); waiting[w] = false; is_ok[w] = false; note(w, queued, false) :: else fi }
}

inline finish(w) { dequeue(w, did); if :: did -> deliver(w) :: else fi }

inline unlisten(w) { atomic { !running[w] -> listening[w] = false } }

proctype Thread(byte w) {
  byte first = NONE, round; bool took, is_last;
  do
  :: round == ROUNDS -> break
  :: round < ROUNDS ->
     do
     :: lock_or_enqueue(w, took);
        if :: took -> break :: else fi;
        atomic { token[w] -> token[w] = false };
        if :: handed_off[w] -> break :: else fi
     od;
     enter(w); exit(w);
     unlock();
     end_lock();
#ifdef LIVE
     if :: w == TRACKED -> round = ROUNDS :: else fi
#else
     round++
#endif
  od
}

/* A wake or a handoff that finds its waiter abandoned goes to the next one. */
inline pass_on(w) {
  took = handed_off[w];
  if :: !took -> try_lock(took) :: else fi;
  if
  :: took -> enter(w); exit(w); unlock(); end_lock()
  :: else -> left--
  fi
}

inline end_limits(w) { if :: is_limited(w) -> armed = false; unlisten(w) :: else fi }
inline disown(w) { atomic { assert(is_owned[w]); is_owned[w] = false; owned-- } }

proctype Loop() {
  byte w, first = NONE, started = THREADS, ended = THREADS, owned;
  bool took, did, is_last, armed, is_owned[N], is_holding[N];
next:
  do
  :: started < N -> w = started; started++; goto compete
  :: jobs ? w ->
     if :: is_holding[w] -> goto release :: else fi;
     disown(w); end_limits(w); /* its completion */
     if
#if BUG == 7
     :: is_limited(w) -> goto give_up
#endif
     :: is_ok[w] && handed_off[w] -> goto own
     :: is_ok[w] && !handed_off[w] -> goto compete
     :: !is_ok[w] -> goto give_up
     fi
  :: armed -> armed = false; w = N - 1; finish(w)
  :: is_limited(N - 1) && is_owned[N - 1] -> /* it is destroyed */
     w = N - 1; end_limits(w);
     dequeue(w, did);
     if :: !did -> jobs ?? eval(w) :: else fi; /* retract */
     disown(w);
     if
#if BUG != 12
     :: !did && is_ok[w] -> pass_on(w); ended++
#endif
     :: else -> goto give_up
     fi
  :: ended == N -> break
#ifndef LIVE
  :: started > THREADS -> break /* the loop is destroyed at any time */
#endif
  od;
  goto tear_down;

compete: /* tries, else enqueues */
  try_lock(took);
  if :: took -> goto own :: !took && is_limited(w) -> goto give_up :: !took fi; /* the deadline has passed, or not */
  lock_or_enqueue(w, took);
  if :: took -> goto own :: else fi;
  atomic { is_owned[w] = true; owned++; armed = is_limited(w) };
  if
  :: is_limited(w) ->
     atomic { did = stop_requested; listening[w] = !did };
     if :: did -> finish(w) :: else fi
  :: else
  fi;
  goto next;

own: /* it goes on later, so that the loop does other things meanwhile */
  enter(w);
  is_holding[w] = true; jobs ! w;
  goto next;

release:
  is_holding[w] = false; exit(w); unlock(); end_lock(); ended++;
  goto next;

give_up:
  atomic { left--; ended++ };
  goto next;

tear_down:
  left = left - (N - started);
  do
  :: jobs ? w ->
     if
     :: is_holding[w] -> is_holding[w] = false; exit(w); unlock(); end_lock()
     :: else ->
        disown(w); end_limits(w); /* the teardown */
        if
#if BUG == 1
        :: is_ok[w] && !handed_off[w] -> pass_on(w)
#elif BUG == 2
        :: is_ok[w] && handed_off[w] -> pass_on(w)
#else
        :: is_ok[w] -> pass_on(w)
#endif
        :: else -> left--
        fi
     fi
  :: len(jobs) == 0 && owned > 0 ->
     w = THREADS; /* abandon_all */
     do
     :: w == N -> break
     :: w < N && is_owned[w] ->
        dequeue(w, did);
        if :: did -> disown(w); end_limits(w); left-- :: else fi;
        w++
     :: else -> w++
     od;
     owned == 0 || len(jobs) > 0 /* await_arrival */
  :: len(jobs) == 0 && owned == 0 -> break
  od;
  loop_alive = false
}

#ifdef LIVE
proctype Limits() { is_past_threshold = true }
#else
proctype Limits() {
  byte w = N - 1; bool did;
  if :: goto done :: stop_requested = true fi;
  atomic { running[w] = listening[w]; listening[w] = false; did = running[w] };
  if :: did -> finish(w); running[w] = false :: else fi;
done: skip
}
#endif

init {
  byte w;
  atomic {
    do :: w < THREADS -> run Thread(w); w++ :: else -> break od;
    if :: COROUTINES > 0 -> run Loop() :: else fi; run Limits(); w = 0 };
  _nr_pr == 1;
  assert(word == FREE || word == WAITERS); assert(len(queue) == 0 && left == 0)
}
