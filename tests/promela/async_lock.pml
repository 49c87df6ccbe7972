/* SPDX-License-Identifier: MIT */
/* AsyncLock: threads and coroutines that compete for one lock, barging, the line behind it, patience and hand-off,
   deadlines and a stop token, coroutines that are destroyed, and the end of the event loop.

     try_lock                 AsyncLock::try_lock, try_lock_contended (a look and the exchange it leads to are one step)
     lock_or_join, unlock     AsyncLock::held_by_another with the line's join; unlock_contended, release_to
     Thread                   AsyncLock::lock_contended, without the looks of try_lock_spinning: each is a try outside
                              of the line, as try_lock of anybody is, and the condition of joining tries once more
     Loop                     AsyncLock::Acquisition::Turn: try_or_enqueue, on_complete, on_teardown, ~Turn, pass_on;
                              EventLoop::Impl::run and tear_down, Agent::abandon_all
     dequeue_first, leave        the line, each one step: line.pml has what is inside
     touch                    any access to the lock's word; whoever held it last destroys it right after his unlock

   Checked: one owner at a time; nobody waits for ever (no invalid end state); no touch of the lock after its end; the lock
   is never set free, without has_waiters, before a line that is not empty [has-waiters]. With LIVE, for one of them (TRACKED):

     owns         impatient and in line -> in the end it owns
     owns_anyhow  in line -> in the end it owns

   Given by the runner:

     THREADS     threads that block
     ROUNDS      how often each of them locks
     COROUTINES  on one loop; the last has a deadline and a stop token, and may be destroyed while it waits
     TRACKED     with LIVE: which of them, the threads from 0 on, then the coroutines

   BUG 1  a grant that arrives at the loop's end is dropped       7  a due deadline is believed before the grant
       2  a wake that arrives at the loop's end is dropped        8  has_waiters is not set again when the second look found
       3  has_waiters is cleared without looking again               9  nobody is ever granted the lock (LIVE)
       4  set free before the first in line is taken             10  taking a free lock forgets has_waiters
       5  joining compares the word outside the line's lock      11  the grant is written after the delivery
       6  joining does not ask for has_waiters                      12  a destroyed coroutine drops its wake */
#define N (THREADS + COROUTINES)
#define NOBODY 255
#define FREE 0
#define HELD 1
#define LINE 2

#ifdef LIVE /* the threads come again and again, but for TRACKED; the loop and the lock live for ever */
bool is_impatient, queued, owns; /* of TRACKED */
#define note(w, flag, value) if :: w == TRACKED -> flag = value :: else fi
#define may_grant(w) (w != TRACKED || is_impatient)
#define may_pass(w) (w != TRACKED || !is_impatient)
#define is_limited(w) false
#define one_less()
ltl owns { [] (waiting[TRACKED] && is_impatient -> <> owns) }
ltl owns_anyhow { [] (queued -> <> owns) }
#else
#define note(w, flag, value)
#define may_grant(w) true /* patience may have ended or not, each time it is asked */
#define may_pass(w) true
#define one_less() left--; is_last = (left == 0)
#define is_limited(w) (COROUTINES > 0 && w == N - 1)
#endif

byte word = FREE, owners;
bool lock_alive = true;
byte left = THREADS * ROUNDS + COROUTINES; /* who have not yet owned or given up; counted under the lock */

chan line = [N] of { byte };
bool waiting[N], token[N], is_granted[N], is_ok[N];

chan jobs = [N + 1] of { byte }; /* wakes, and the rest of a coroutine that holds the lock */
bool loop_alive = true;
bool stop_requested, listening[N], running[N];

inline touch() { assert(lock_alive) }

inline enter(w) { atomic { owners++; assert(owners == 1); note(w, owns, true) } }

inline exit(w) {
  atomic { owners--; one_less(); is_granted[w] = false; note(w, owns, false); note(w, queued, false) }
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

/* held_by_another, under the line's lock: takes the lock if it is free; else marks that there is a line, and joins it */
inline lock_or_join(w, took) {
  atomic { touch(); took = !(word & HELD);
#if BUG == 6
    word = word | HELD;
#else
    word = HELD | LINE;
#endif
#if BUG == 5
  };
  atomic {
#endif
    if :: !took -> waiting[w] = true; line ! w; note(w, queued, true) :: else fi }
}

inline dequeue_first(w) {
  atomic {
    if
    :: len(line) > 0 -> line ? w; assert(waiting[w]); waiting[w] = false; is_ok[w] = true
    :: else -> w = NOBODY
    fi }
}

inline deliver(w) {
  atomic { if :: w < THREADS -> assert(!token[w]); token[w] = true :: else -> assert(loop_alive); jobs ! w fi }
}

inline release_to(w) {
  if
#if BUG == 11
  :: may_grant(w) -> deliver(w); is_granted[w] = true; w = NOBODY
#elif BUG == 9
  :: may_grant(w) -> atomic { touch(); word = LINE }
#else
  :: may_grant(w) -> is_granted[w] = true
#endif
  :: may_pass(w) -> atomic { touch(); word = LINE }
  fi;
  if :: w != NOBODY -> deliver(w) :: else fi
}

inline unlock() { /* `first` is the caller's */
  do
  :: atomic { touch(); first = NOBODY;
       if
       :: word == HELD -> assert(len(line) == 0); word = FREE; break
       :: else -> assert(word == (HELD | LINE))
       fi };
#if BUG == 4
     atomic { touch(); word = LINE };
#endif
     dequeue_first(first);
     if :: first != NOBODY -> release_to(first); break :: else fi;
     atomic { touch(); word = word & HELD };
#if BUG != 3
     dequeue_first(first);
     if
     :: first != NOBODY ->
#if BUG != 8
        atomic { touch(); word = word | LINE };
#endif
        release_to(first); break
     :: else
     fi
#endif
  od;
  first = NOBODY
}

inline leave(w, did) {
  atomic {
    did = waiting[w];
    if :: did -> line ?? eval(w); waiting[w] = false; is_ok[w] = false; note(w, queued, false) :: else fi }
}

inline finish(w) { leave(w, did); if :: did -> deliver(w) :: else fi }

inline unlisten(w) { atomic { !running[w] -> listening[w] = false } }

proctype Thread(byte w) {
  byte first = NOBODY, round; bool took, is_last;
  do
  :: round == ROUNDS -> break
  :: round < ROUNDS ->
     do
     :: lock_or_join(w, took);
        if :: took -> break :: else fi;
        atomic { token[w] -> token[w] = false };
        if :: is_granted[w] -> break :: else fi
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

/* A wake that was meant for one of the line, or a grant, is passed on. */
inline pass_on(w) {
  took = is_granted[w];
  if :: !took -> try_lock(took) :: else fi;
  if
  :: took -> enter(w); exit(w); unlock(); end_lock()
  :: else -> left--
  fi
}

inline end_limits(w) { if :: is_limited(w) -> armed = false; unlisten(w) :: else fi }
inline disown(w) { atomic { assert(is_owned[w]); is_owned[w] = false; owned-- } }

proctype Loop() {
  byte w, first = NOBODY, started = THREADS, ended = THREADS, owned;
  bool took, did, is_last, armed, is_owned[N], is_holding[N];
next:
  do
  :: started < N -> w = started; started++; goto compete
  :: jobs ? w ->
     if :: is_holding[w] -> goto rest :: else fi;
     disown(w); end_limits(w); /* on_complete */
     if
#if BUG == 7
     :: is_limited(w) -> goto give_up
#endif
     :: is_ok[w] && is_granted[w] -> goto own
     :: is_ok[w] && !is_granted[w] -> goto compete
     :: !is_ok[w] -> goto give_up
     fi
  :: armed -> armed = false; w = N - 1; finish(w)
  :: is_limited(N - 1) && is_owned[N - 1] -> /* ~Turn */
     w = N - 1; end_limits(w);
     leave(w, did);
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

compete: /* try_or_enqueue */
  try_lock(took);
  if :: took -> goto own :: !took && is_limited(w) -> goto give_up :: !took fi; /* already_over, or not */
  lock_or_join(w, took);
  if :: took -> goto own :: else fi;
  atomic { is_owned[w] = true; owned++; armed = is_limited(w) };
  if
  :: is_limited(w) ->
     atomic { did = stop_requested; listening[w] = !did };
     if :: did -> finish(w) :: else fi
  :: else
  fi;
  goto next;

own: /* it goes on later, so that the loop comes to other things meanwhile */
  enter(w);
  is_holding[w] = true; jobs ! w;
  goto next;

rest:
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
        disown(w); end_limits(w); /* on_teardown */
        if
#if BUG == 1
        :: is_ok[w] && !is_granted[w] -> pass_on(w)
#elif BUG == 2
        :: is_ok[w] && is_granted[w] -> pass_on(w)
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
        leave(w, did);
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
proctype Limits() { is_impatient = true }
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
  assert(word == FREE || word == LINE); assert(len(line) == 0 && left == 0)
}
