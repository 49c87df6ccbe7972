/* SPDX-License-Identifier: MIT */
/* The AsyncLock of futon-web (bindings/web/src/locking.js): blocked threads and promises that compete for one lock over the wait
   queue of a JavaScript engine, which compares and enqueues in one step, and tells a waker only how many it has woken.
   Sequentially consistent.

     word              the lock's word with its tag: the owner's acquisition, or the time of an offer
     clock             the time that the word of an offer shows; an offer of another time has expired
     take              with its quick first compare-exchange of the free word, which is zero unless the lock is strict
     prepare           takes the lock, or sets the bits of a waiter
     take_handed       what a woken waiter does first
     release, take_back, pass_on    as in the code; stale_release is that of a guard whose acquisition is over
     Agent             a blocked thread, or a promise: its steps are those of its thread's loop
     Watch             the timer of a loop that has woken a waiter

   A poll of a blocked thread comes when it would do something, and once besides. A late promise is one whose thread does not run
   until all others have finished. With OWN, the first thread and the first promise are of one JavaScript thread.

   Checked: one owner at a time; a release releases its own acquisition only; no waiter waits for ever (no invalid end state); the
   lock is free in the end. Of the limits: a thread that hands the lock to a late promise and returns to no event loop does not
   watch, so one that was queued before the offer waits until another comes for the lock.

   BUG 1 the queue does not compare; 2 the woken owner does not set has_waiters; 3 a given-up place keeps its wake-up; 4 taking back
   does not compare; 5 it does not wake again, nor does a waiter poll that has queued at an offer: one of them would do; 6 offers do
   not expire; 7 a thread with places of its own does not poll; 8 the quick take treats any free word as zero; 9 has_waiters is
   cleared without comparing; 10 a guard does not compare its tag; 11 a loop does not watch; 12 a waiter queues without setting
   has_waiters */

#ifndef BUG
#define BUG 0
#endif
#define HELD 1
#define HAS_WAITERS 2
#define IS_STRICT 4
#define STARVING 8
#define HANDED 16
#define N (THREADS + PROMISES)
#define NONE 255
#define tag_of(w) ((w) >> 5)
#define with_tag(t) ((t) << 5)

short word;
bit clock;
chan queue = [N] of { byte };
byte owner = NONE;
bool woken[N], given_up[N], watches[N], busy; /* busy: the JavaScript thread of OWN runs */
byte places, finished, on_time;

#define is_promise (me >= THREADS)
#define is_late(a) ((a) >= THREADS && ((LATE >> ((a) - THREADS)) & 1))
#define is_limited ((LIMITED >> me) & 1)
#define shares_thread (OWN && (me == 0 || me == THREADS))
#define has_places (OWN && me == 0 && places > 0)
#if BUG == 6
#define has_expired(w) false
#else
#define has_expired(w) (((w) & HANDED) && tag_of(w) != clock)
#endif
#define can_take(w) (!((w) & HELD) || has_expired(w))
#define kept(w) ((w) & (HAS_WAITERS | IS_STRICT | STARVING))

inline note_owner() { assert(owner == NONE); owner = me }

/* One acquisition an agent's round, and those that an unlock takes back. */
#define new_tag with_tag(2 + 3 * me + (round & 1))
#define taken_back_tag with_tag(4 + 3 * me)

/* within an atomic */
inline wake_one(count) {
  if
  :: len(queue) == 0 -> count = 0
  :: len(queue) > 0 -> queue ? other; woken[other] = true; other = 0; count = 1
  fi
}

inline wake_and_watch(count) {
  wake_one(count);
  if :: count && is_promise -> watches[me] = true :: else fi
}

/* Whether an offer has expired is decided with the compare-exchange: it stays so until the word changes. */
inline take(bits, took) {
#if BUG == 8
  atomic { seen = word; if :: !(seen & HELD) -> word = HELD | new_tag; note_owner(); took = true; seen = 0 :: else fi };
#else
  atomic { seen = word; if :: seen == 0 -> word = HELD | (bits) | new_tag; note_owner(); took = true :: else fi };
#endif
  do
  :: atomic { !took && can_take(seen) ->
       if
       :: word == seen -> word = kept(seen) | HELD | (bits) | new_tag; note_owner(); took = true; seen = 0
       :: else -> seen = word
       fi }
  :: atomic { else -> seen = 0 }; break
  od
}

inline take_handed(took) {
  seen = word;
  do
  :: atomic { !took && (seen & HANDED) ->
       if
       :: word == seen ->
          if
#if BUG == 2
          :: word = (seen & IS_STRICT) | HELD | new_tag
#else
          :: word = kept(seen) | HELD | HAS_WAITERS | new_tag
          :: (seen & STARVING) -> word = (seen & IS_STRICT) | HELD | HAS_WAITERS | new_tag
#endif
          fi;
          note_owner(); took = true; seen = 0
       :: else -> seen = word
       fi }
  :: atomic { else -> seen = 0 }; break
  od
}

inline pass_on() {
  do
  :: atomic { seen = word;
       if
       :: !(seen & HELD) -> count = 1
       :: (seen & HELD) && (seen & HAS_WAITERS) -> seen = 0; break
       :: (seen & HELD) && !(seen & HAS_WAITERS)
       fi };
     if
     :: atomic { count -> seen = 0; wake_and_watch(count); count = 0 }; break
     :: atomic { !count && word == seen -> word = seen | HAS_WAITERS; seen = 0 }; break
     :: atomic { !count && word != seen -> seen = 0 }
     fi
  od
}

#define is_mine(w) (((w) & (HELD | HANDED)) == HELD && (with_tag(tag_of(w)) == held))

inline release() {
  do
  :: atomic { seen = word; assert(is_mine(seen)) };
     if
     :: atomic { word != seen -> seen = 0 }
     :: atomic { word == seen && !(seen & HAS_WAITERS) -> word = seen & IS_STRICT; owner = NONE; seen = 0 }; break
     :: atomic { word == seen && (seen & HAS_WAITERS) && (seen & (IS_STRICT | STARVING)) ->
          word = kept(seen) | HELD | HANDED | with_tag(clock); owner = NONE; seen = 0 };
        atomic { wake_and_watch(count); if :: count -> count = 0; break :: else fi };
#if BUG == 4
        atomic { word = (word & IS_STRICT) | HELD | taken_back_tag; note_owner(); took = true };
#else
        seen = word;
        do
        :: atomic { !took && (seen & HANDED) ->
             if
             :: word == seen -> word = (seen & IS_STRICT) | HELD | taken_back_tag; note_owner(); took = true
             :: else -> seen = word
             fi }
        :: else -> break
        od;
#endif
        atomic { seen = 0; if :: took -> took = false; held = taken_back_tag :: else -> break fi };
#if BUG != 5
        atomic { wake_one(count); count = 0 }
#endif
     :: atomic { word == seen && (seen & HAS_WAITERS) && !(seen & (IS_STRICT | STARVING)) ->
          word = HAS_WAITERS; owner = NONE; seen = 0 };
        atomic { wake_and_watch(count); if :: count -> count = 0; break :: else fi };
#if BUG == 9
        word = word & ~HAS_WAITERS;
#else
        atomic { if :: word == HAS_WAITERS -> word = 0 :: else fi };
#endif
        break
     fi
  od
}

/* by a guard whose acquisition was released before: it must not find it */
inline stale_release() {
#if BUG == 10
  assert((word & (HELD | HANDED)) != HELD)
#else
  assert(!is_mine(word))
#endif
}

/* A poll would find something to do. */
#define poll_helps (can_take(word) || (has_places && (word & HANDED)))
#if BUG == 7
#define polls ((wanted & HANDED) != 0)
#elif BUG == 5
#define polls has_places
#else
#define polls (has_places || (wanted & HANDED))
#endif

inline dequeue() { queue ?? eval(me) }

#define is_outside (shares_thread && is_promise)
#define may_run (!(is_late(me) && finished < on_time) && !(is_outside && busy))

proctype Agent(byte me) {
  byte round, other, bits, count; short held, seen, wanted; bool took, polled;
start:
  if :: shares_thread -> atomic { !busy -> busy = true } :: else fi;
  take(0, took);
  if :: took -> goto own :: else fi;
  if :: is_outside -> places++ :: else fi;

compete:
  if :: given_up[me] -> goto give_up :: else fi;
prepare:
  take(bits, took);
  if :: took -> goto own_waiter :: else fi;
  atomic { seen = word; if :: can_take(seen) -> seen = 0; goto prepare :: else fi;
#if BUG == 12
    wanted = seen
#else
    if :: wanted = seen | HAS_WAITERS :: bits && !STRICT -> wanted = seen | HAS_WAITERS | STARVING fi
#endif
  };
  if
  :: atomic { wanted != seen && word != seen -> seen = 0; wanted = 0 }; goto prepare
  :: atomic { wanted == seen || word == seen -> if :: wanted != seen -> word = wanted :: else fi; seen = 0 }
  fi;
  if :: is_limited -> atomic { wanted = 0; goto give_up } :: true fi;
  atomic {
    if
    :: word == wanted || BUG == 1 -> queue ! me; if :: is_outside -> busy = false :: else fi
    :: else -> wanted = 0; goto prepare
    fi };

queued:
  if
  :: atomic { woken[me] && may_run -> woken[me] = false; wanted = 0; if :: is_outside -> busy = true :: else fi }; goto arrive
  :: atomic { !woken[me] && polls && (poll_helps || !polled) && may_run ->
       if :: poll_helps :: else -> polled = true fi;
       queue ?? eval(me); wanted = 0; if :: is_outside -> busy = true :: else fi };
     if
     :: has_places && BUG != 7 -> take_handed(took); if :: took -> goto own_waiter :: else fi
     :: else
     fi;
     goto compete
  :: atomic { !woken[me] && is_limited && !is_promise -> queue ?? eval(me); bits = 0; wanted = 0 }; goto give_up
  :: atomic { is_limited && is_promise && !given_up[me] && may_run -> given_up[me] = true }; goto queued
  fi;

arrive:
#if BUG != 2
  bits = HAS_WAITERS;
#endif
#if BUG == 3
  if :: given_up[me] -> bits = 0; goto give_up :: else fi;
#endif
  take_handed(took);
  if :: !took -> goto compete :: else fi;

own_waiter:
  if :: is_outside -> places-- :: else fi;
own:
  atomic { took = false; bits = 0; held = with_tag(tag_of(word)); assert(owner == me) };
  release();
  stale_release();
  goto next;

give_up:
  if :: bits -> pass_on() :: else fi;
  if :: is_outside -> places-- :: else fi;

next:
  atomic {
    bits = 0; held = 0; polled = false; given_up[me] = false; if :: shares_thread -> busy = false :: else fi;
    round++;
    if :: round < ROUNDS -> goto start :: else fi;
    finished++ }
}

/* also those of promises whose thread is late, later */
proctype Watch(byte me) {
  byte other, count; short seen;
end:
  do
  :: atomic { watches[me] && BUG != 11 && may_run -> watches[me] = false; seen = word };
     if
     :: !(seen & HAS_WAITERS) || ((seen & HELD) && !(seen & HANDED))
     :: (seen & HAS_WAITERS) && !(seen & HELD) -> atomic { wake_and_watch(count) }
     :: (seen & HAS_WAITERS) && (seen & HANDED) && !has_expired(seen) ->
        atomic { has_expired(word) || word != seen -> watches[me] = true }
     :: (seen & HAS_WAITERS) && has_expired(seen) ->
        atomic { if :: word == seen -> word = kept(seen) | HELD | HANDED | with_tag(clock); count = 1 :: else fi };
        if :: count -> atomic { wake_and_watch(count) } :: else fi
     fi;
     atomic { seen = 0; count = 0 }
  od
}

proctype Clock() {
end:
  do
  :: atomic { (word & HANDED) && tag_of(word) == clock -> clock = !clock }
  od
}

init {
  byte a;
  atomic {
    word = (STRICT -> IS_STRICT : 0);
    do :: a < N -> if :: !is_late(a) -> on_time++ :: else fi; a++ :: else -> break od;
    a = 0;
    do :: a < N -> run Agent(a); a++ :: else -> break od;
    a = THREADS;
    do :: a < N -> run Watch(a); a++ :: else -> break od;
    a = 0; run Clock() };
  atomic { finished == N -> assert(!(word & HELD) && owner == NONE && len(queue) == 0) }
}
