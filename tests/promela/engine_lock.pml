/* SPDX-License-Identifier: MIT */
/* The AsyncLock of futon-web (bindings/web/src/locking.js): blocked threads and promises that compete for one lock over the wait
   queue of a JavaScript engine, which compares and enqueues in one step, and tells a waker only how many it has woken.
   Sequentially consistent.

     word              the lock's word with its tag: the owner's acquisition, or the time of an offer. A reservation takes a bit of
                       the tag, LOW, as its time does in the code
     clock             the time that the word of an offer shows; an offer of another time has expired
     reserved          that a thread has made a reservation, and has promises that look: it takes any for its own, as if all of them
                       had the same time
     take              with its quick first compare-exchange of the free word, which is zero unless the lock is strict
     prepare           takes the lock, or sets the bits of a waiter
     take_handed       what a woken waiter does first, and a promise that looks
     offer_next        hands an offer that has expired to the next, or to the next two
     release, take_back, pass_on    as in the code; stale_release is that of a guard whose acquisition is over
     Agent             a blocked thread, or a promise: its steps are those of its thread's loop
     Ends              the thread that is told of the end of another, one of DIES: it ends while it waits or holds the lock, or after
                       that, or before it wakes those for whom it has cleared has_waiters
     Watch             the timer of a loop that has woken a waiter, kept the lock for one, or has one queued at an offer

   A poll of a blocked thread comes when it would do something, and once besides; so does the look of a promise. Whether a
   reservation is due is up to chance where the lock is not strict. A late promise is one whose thread stops at some time, until all
   others have finished. With OWN, the first thread and the first promise are of one JavaScript thread; with PAGE, all promises are
   of one.

   Checked: one owner at a time; a release releases its own acquisition only; no waiter waits for ever (no invalid end state); the
   lock has no owner in the end; the promises of a page that are late are served in their order, and none that was given up takes what
   another has taken; what was abandoned an owner has looked at, or may look at in the end. Of the limits: a thread that hands the
   lock to a late promise and returns to no event loop does not watch, so one that was queued before the offer waits until another
   comes for the lock.

   BUG 1 the queue does not compare; 2 the woken owner does not set has_waiters; 3 a given-up place keeps its wake-up; 4 taking back
   does not compare; 5 it does not wake again, nor does a waiter watch that has queued at an offer: one of them would do; 6 offers do
   not expire; 7 a thread with places of its own does not poll; 8 the quick take treats any free word as zero; 9 has_waiters is
   cleared without comparing; 10 a guard does not compare its tag; 11 a loop does not watch; 12 a waiter queues without setting
   has_waiters; 13 an owner looks for the whole of its tag in the word of a reserved lock; 14 a promise takes the
   lock before those of its thread that are late already; 15 one that is queued again leaves its reservation; 16 a thread that takes what
   is handed to a promise of its own does not set has_waiters; 17 a promise of the page that was given up gets what another has
   taken; 18 who is told of an end does not compare the owner's number; 19 a release drops an abandonment that no owner has looked at;
   20 what is abandoned is freed, and wakes no waiter; 21 a page that is left does not wake all waiters; 22 who is told of an end wakes
   a waiter only where has_waiters is set */

#include "engine_lock_word.pml"

short word;
bit clock;
chan queue = [N] of { byte };
chan late = [N] of { byte };     /* the promises of the page that look */
byte owner = NONE;
byte granted[N];                 /* the tag of an acquisition of another promise of the page */
bool woken[N], given_up[N], watches[AGENTS], stopped[AGENTS], reserved[AGENTS], ended[N], looked, abandoned, busy; /* busy: the JavaScript thread of OWN or PAGE runs */
byte places, finished, on_time, done, told, deaths;


inline note_owner() { assert(owner == NONE); owner = me }

/* One acquisition an agent's round, and those that it takes back. */
#define new_tag (2 + 3 * me + (round & 1))
#define taken_back_tag (4 + 3 * me)

/* within an atomic */
inline wake_one(count) {
  if
  :: len(queue) == 0 -> count = 0
  :: len(queue) > 0 -> queue ? other; woken[other] = true; other = 0; count = 1
  fi
}

inline watch_soon() { if :: is_promise -> watches[LOOP] = true :: else fi }

inline wake_and_watch(count) {
  wake_one(count);
  if :: count -> watch_soon() :: else fi
}

/* What is offered to a woken waiter, or kept for this one's thread. */
#define may_be_mine(w, is_woken) (((w) & HANDED) && (((w) & HELD) -> (is_woken) : is_reserved(w)))

inline take_handed(took, is_woken, bits, t) {
  atomic {
    if
    :: may_be_mine(word, is_woken) ->
       rest = (remains(word) & ~((word & HELD) -> HAS_WAITERS : 0)) | (bits);
       if :: true :: (rest & STARVING) -> rest = rest & ~STARVING fi;
       word = owned(rest, t); note_owner(); took = true; rest = 0
    :: else
    fi }
}

#define may_die ((DIES >> me) & 1)

/* Takes what was offered to an empty queue. */
inline take_back(took) {
#if BUG == 4
  atomic { word = (word & IS_STRICT) | HELD | LOW | with_tag(taken_back_tag); note_owner(); took = true };
#else
  take_handed(took, true, 0, taken_back_tag);
#endif
#if BUG != 5
  atomic { if :: took -> if :: may_die -> dies = true :: true -> wake_one(count); count = 0 fi :: else fi }
#endif
}

inline take(bits, took) {
  atomic {
    if
#if BUG == 8
    :: state_of(word) == 0 -> word = HELD | LOW | with_tag(new_tag); note_owner(); took = true
#endif
    :: can_take(word) && !goes_on(word) -> rest = remains(word) | (bits); word = owned(rest, new_tag); note_owner(); took = true; rest = 0
    :: can_take(word) && goes_on(word) -> rest = remains(word); word = offered(rest, HELD | HANDED); rest = 0; count = 1
    :: else
    fi };
  if
  :: atomic { count -> wake_and_watch(count);
       if :: count -> if :: true :: wake_one(count) fi; count = 0; hopes = true :: else fi };
     if :: hopes -> hopes = false :: else -> take_back(took) fi
  :: else
  fi
}

inline pass_on() {
  atomic { if :: state_of(word) == 0 -> count = 1 :: else -> word = word | HAS_WAITERS fi };
  atomic { if :: count -> wake_and_watch(count); count = 0 :: else fi }
}

#if BUG == 13
#define has_tag(w) (((w) & ~(ABANDONED | 63)) == (with_tag(held) | LOW))
#else
#define has_tag(w) (tag_of(w) == held && (((w) & RESERVED) || ((w) & LOW)))
#endif
#if BUG == 19
#define KEPT_AT_RELEASE 0
#else
#define KEPT_AT_RELEASE ABANDONED
#endif
#define is_mine(w) (state_of(w) == HELD && has_tag(w))
#define keeps(w) (is_live(w) && ((w) & IS_STRICT))
#define hands_off(w) (((w) & HAS_WAITERS) && ((w) & (IS_STRICT | STARVING)))

inline release() {
  do
  :: atomic { assert(is_mine(word));
       if
       :: is_live(word) -> word = offered(word, HANDED); owner = NONE;
          watch_soon();
          break
       :: !(word & HAS_WAITERS) && !keeps(word) -> word = (word & (IS_STRICT | KEPT_AT_RELEASE)) | (is_live(word) -> RESERVED : 0); owner = NONE; break
       :: hands_off(word) && !keeps(word) -> word = offered(word, HELD | HANDED); owner = NONE
       :: (word & HAS_WAITERS) && !(word & (IS_STRICT | STARVING)) ->
          word = (word & KEPT_AT_RELEASE) | HAS_WAITERS | (is_live(word) -> RESERVED : 0); seen = word; owner = NONE
       fi };
     atomic { wake_and_watch(count);
       if :: count -> if :: true :: !seen && !STRICT -> wake_one(count) fi; count = 0; seen = 0; break :: else fi };
     if
     :: seen ->
#if BUG == 9
        atomic { word = word & ~HAS_WAITERS; seen = 0 };
#else
        atomic { if :: word == seen -> word = seen & ~HAS_WAITERS :: else fi; seen = 0 };
#endif
        break
     :: else
     fi;
     take_back(took);
     atomic { if :: took && !dies -> took = false; held = taken_back_tag :: else -> break fi }
  od
}

/* by a guard whose acquisition was released before: it must not find it */
inline stale_release() {
#if BUG == 10
  assert(state_of(word) != HELD)
#else
  assert(!is_mine(word))
#endif
}

inline dequeue() { queue ?? eval(me) }

/* Leaves those who look, and gives back the reservation if there are none left. */
inline leave() {
  if :: PAGE && is_promise && late ?? [eval(me)] -> late ?? eval(me) :: else fi;
#if BUG != 15
  if
  :: is_promise && is_reserved(word) && (!PAGE || len(late) == 0) ->
     if :: word & HANDED -> watches[LOOP] = true :: else fi;
     word = word | LOW; reserved[LOOP] = false
  :: is_promise && !is_reserved(word) && (!PAGE || len(late) == 0) -> reserved[LOOP] = false
  :: else
  fi
#endif
}

#define is_outside (shares_thread && is_promise)
#define may_run (!(stopped[me] && finished < on_time) && !(is_outside && busy))
#define is_first (!PAGE || len(late) == 0 || late ? [eval(me)])

proctype Agent(byte me) {
  byte round, other, bits, count, looks; short held, seen, wanted, rest; bool took, polled, hopes, dies;
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

  /* A promise that is late, or whose lock is not strict, may look. */
  if
  :: is_promise && looks < 1 && (bits || !STRICT) ->
     atomic {
       if :: can_take(word) -> goto prepare :: else fi;
       word = word | (bits & HAS_WAITERS)
     };
     atomic {
       if
       :: is_first && state_of(word) && (!is_live(word) || is_reserved(word)) -> word = (word & ~LOW) | RESERVED; reserved[LOOP] = true
       :: !STRICT || !is_first || !state_of(word) || is_live(word)
       fi };
     goto look
  :: true
  fi;

  atomic {
    if :: can_take(word) -> goto prepare :: else fi;
    leave();
#if BUG != 12
    if :: word = word | HAS_WAITERS :: bits && !STRICT -> word = word | HAS_WAITERS | STARVING fi;
#endif
    wanted = word };
  if :: is_limited -> atomic { wanted = 0; goto give_up } :: true fi;
  atomic {
    if
    :: word == wanted || BUG == 1 -> queue ! me; if :: is_outside -> busy = false :: else fi
    :: else -> wanted = 0; goto prepare
    fi;
    if :: is_promise && (wanted & HANDED) && BUG != 5 -> watches[LOOP] = true :: else fi };

queued:
  if
  :: atomic { woken[me] && may_run -> woken[me] = false; wanted = 0; if :: is_outside -> busy = true :: else fi }; goto arrive
  :: atomic { !woken[me] && !is_promise && polls && (poll_helps || !polled) ->
       if :: poll_helps :: else -> polled = true fi;
       dequeue(); wanted = 0 };
     if
     :: has_places && BUG != 7 -> take_handed(took, true, places_bits, new_tag); if :: took -> goto own_waiter :: else fi
     :: else
     fi;
     goto compete
  :: atomic { !woken[me] && is_limited && !is_promise -> dequeue(); bits = 0; wanted = 0 }; goto give_up
  :: atomic { is_limited && is_promise && !given_up[me] && may_run -> given_up[me] = true }; goto queued
  :: atomic { is_late(me) && !stopped[me] && finished < on_time -> stopped[me] = true }; goto queued
  :: atomic { may_die && !woken[me] && !is_promise -> dequeue(); wanted = 0; goto finish }
  :: atomic { may_die && is_promise && !woken[me] ->     /* its place stays, and swallows what wakes it */
       wanted = 0;
       do :: BUG != 21 && len(queue) > 0 -> queue ? other; woken[other] = true :: BUG == 21 || len(queue) == 0 -> break od;
       other = 0; goto finish }
  fi;

look:
  atomic {
    looks++;
    if :: PAGE && !(late ?? [eval(me)]) -> late ! me :: else fi;
    if :: is_outside -> busy = false :: else fi };
looking:
  if
  :: atomic { granted[me] && may_run -> if :: is_outside -> busy = true :: else fi }; goto own_waiter
  :: atomic { !granted[me] && may_run && (look_helps || looks < 2 || given_up[me]) -> if :: is_outside -> busy = true :: else fi };
     take_handed(took, false, bits, new_tag);
     if :: took -> goto own_waiter :: else -> goto compete fi
  :: atomic { is_limited && !given_up[me] && may_run -> given_up[me] = true }; goto looking
  :: atomic { is_late(me) && !stopped[me] && finished < on_time -> stopped[me] = true }; goto looking
  fi;

arrive:
#if BUG != 2
  bits = HAS_WAITERS;
#endif
#if BUG == 3
  if :: given_up[me] -> bits = 0; goto give_up :: else fi;
#endif
  take_handed(took, true, bits, new_tag);
  if :: !took -> goto compete :: else fi;

own_waiter:
  /* Of the promises of a page the first that is late gets what another has taken. */
  if
  :: PAGE && is_promise && !granted[me] ->
     atomic {
       do
       :: len(late) > 0 ->
          late ? <other>;
          if :: given_up[other] && BUG != 17 -> late ? other :: else -> break fi
       :: else -> break
       od;
       other = 0;
       if
       :: BUG != 14 && !is_first -> late ? other; assert(!given_up[other]); granted[other] = tag_of(word); owner = other; other = 0; took = false; goto look
       :: else -> assert(is_first); leave()
       fi }
  :: else
  fi;
  if :: is_outside -> places-- :: else fi;
own:
  atomic { took = false; bits = 0; looks = 0; granted[me] = 0; held = tag_of(word); assert(owner == me);
    if :: DIES && (word & ABANDONED) -> word = word & ~ABANDONED; looked = true :: true fi };
  if :: atomic { may_die -> goto finish } :: !dies fi;
  release();
  if :: dies -> goto finish :: else fi;
  stale_release();
  goto next;

give_up:
  atomic { leave(); looks = 0 };
  if :: bits -> pass_on() :: else fi;
  if :: is_outside -> places-- :: else fi;

next:
  atomic {
    bits = 0; held = 0; polled = false; given_up[me] = false; if :: shares_thread -> busy = false :: else fi;
    round++;
    if :: round < ROUNDS -> goto start :: else fi };
finish:
  atomic {
    took = false; held = 0; looks = 0; bits = 0; dies = false; ended[me] = may_die;
    if :: !is_late(me) -> finished++ :: else fi;
    done++ }
}

/* also those of promises whose thread is late, later */
proctype Watch(byte me) {
  byte other, count; short seen, rest;
end:
  do
  :: atomic { watches[me] && BUG != 11 && may_run -> watches[me] = false; seen = word };
     if
     :: !(seen & HAS_WAITERS) || state_of(seen) == HELD
     :: (seen & HAS_WAITERS) && state_of(seen) == 0 -> atomic { wake_and_watch(count) }
     :: (seen & HAS_WAITERS) && (seen & HANDED) && !has_expired(seen) ->
        atomic { has_expired(word) || word != seen -> watches[LOOP] = true }
     :: (seen & HAS_WAITERS) && has_expired(seen) ->
        atomic { if :: word == seen -> rest = remains(seen); word = offered(rest, HELD | HANDED); count = 1 :: else fi; rest = 0 };
        if :: count -> atomic { wake_and_watch(count); if :: true :: wake_one(count) fi } :: else fi
     fi;
     atomic { seen = 0; count = 0 }
  od
}

#if BUG == 22
#define MAY_WAIT 0
#else
#define MAY_WAIT HAS_WAITERS
#endif

/* Is told that an agent has ended. */
proctype Ends(byte me, which) {
  byte other, count; short held, seen, rest; bool took, hopes, dies;
  atomic {
    ended[which] ->
    if
    :: state_of(word) == HELD && (thread_of(word) == which || BUG == 18) -> word = word | ABANDONED | MAY_WAIT; abandoned = true; held = tag_of(word)
    :: else
    fi };
  if
#if BUG == 20
  :: atomic { held -> word = word & ~(HELD | with_tag(held) | LOW); owner = NONE; held = 0 }
#else
  :: held -> release(); held = 0
#endif
  :: else -> atomic { watches[me] = true }
  fi;
  told++
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
    do :: a < AGENTS -> run Watch(a); a++ :: else -> break od;
    a = 0;
    do :: a < N -> if :: (DIES >> a) & 1 -> run Ends(N, a); deaths++ :: else fi; a++ :: else -> break od;
    a = 0; run Clock() };
  atomic { done == N && told == deaths ->
    assert(state_of(word) != HELD && owner == NONE && len(queue) == 0 && len(late) == 0);
    assert(!abandoned || looked || (word & ABANDONED)) }
}
