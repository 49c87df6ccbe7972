/* SPDX-License-Identifier: MIT */
/* Select: an agent waits in two queues at once, and the first wake wins. Sequentially consistent.

     Select    select(op, op): a member waiter in each queue and one word for the group, `winner`
     take      the table's notify and dequeue_first: a member's group is claimed before the member is taken
     Plain     a blocked waiter of queue 1
     unlock    AsyncLock: with LOCK, queue 1 is that of a lock, which is handed off, or released to be tried again
     Stopper   a stop token; its callback claims the group too
     touch     any access to the storage of a select or a waiter, which must not have ended [last-touch]

   `winner` is open until a process claims the group: a waker for a member, under the lock of that member's queue; the
   select itself for a member, if its check says that no wait is needed; a deadline or a stop for the limit. A member of
   a group that is claimed already is dropped: unlinked, neither counted nor delivered. If the winner loses the race for
   the lock, its agent polls the other operation, opens the group again, then asks for the limits, and enqueues each
   member that is not queued.

   Checked: no agent waits for ever though a word was changed and notified, the lock was released, a deadline passed or
   a stop was requested (no invalid end state); each select has one winner; notify's results for a word add up to the
   number of selects and waits that it ended; no touch of ended storage; one delivery at a time; one owner of the lock;
   the lock is never free without has_waiters while its queue is not empty [has-waiters]; the queues are empty in the
   end. With LIVE:

     ends   the first select ends, as word 0 is changed, though another thread locks and unlocks for ever

   Given by the runner:

     THREADS  1: a thread that selects, in queue 0 and then in queue 1
     LOOPS    1: a coroutine that selects, in queue 1 and then in queue 0, and may be destroyed while it waits
     PLAIN    blocked waiters of queue 1
     ONES     notifiers that call notify(q, 1) and do not change the word; one more for each word changes it before
     LIMITS   the set of selects (1: the first, 2: the second) that have a deadline and a stop token
     LOCK     1: queue 1 is that of a lock; 2: its last owner keeps it for ever; 3: likewise, and word 0 is not changed
              and no deadline passes, so that only the stop ends each select

   BUG 1  the group is claimed after the counting          8  the select does not wait for the winner's delivery
       2  a dropped member is counted                      9  the limits are not asked after reopening
       3  the second result is not given back             10  the limits are asked before reopening only
       4  the last dequeue trusts the test without lock   11  a due limit is asked before the wake is used
       5  a time-out does not claim                       12  a destroyed coroutine drops its wake
       6  reopening asks without the lock what is queued  13  the other operation is not polled before reopening (LIVE)
       7  dropping a member delivers it */
#define S (THREADS + LOOPS)
#define AGENTS (S + PLAIN)
#define N (2 * S + PLAIN)
#define member(s, q) (2 * (s) + (q))
#define is_member(m) ((m) < 2 * S)
#define agent(m) (is_member(m) -> (m) / 2 : (m) - S)
#define is_loop(s) (s == THREADS)
#define is_limited(s) ((LIMITS >> s) & 1)
#define LIMIT 2 /* 0 and 1: the member of that queue */
#define OPEN 3
#define NONE 255
#define FREE 0
#define HELD 1
#define HAS_WAITERS 2

byte word[2]; /* 0, until it is changed to 1; with LOCK, word[1] is the lock's */
bool locked[2];
chan queue[2] = [N] of { byte };

byte winner[S] = OPEN;
bool waiting[N];
bool alive[AGENTS], token[AGENTS], handed_off[AGENTS]; /* token: an unpark, or a posted job */
bool stop_requested, listening[S], running[S];
byte owners, notified[2], oks[2]; /* for the checks only */

#ifdef LIVE
bool ended[S];
ltl ends { <> ended[0] }
#define note_end(s) ended[s] = true
#else
#define note_end(s)
#endif

inline touch(a) { assert(alive[a]) }

inline claim(s, by) { /* did: whether it was open */
  atomic { touch(s); did = (winner[s] == OPEN); if :: did -> winner[s] = by :: else fi }
}

inline deliver(a) { atomic { touch(a); assert(!token[a]); token[a] = true } }

#ifdef LIVE /* weak fairness gives no process a lock that others take again and again: so each hold is one step */
#define hold atomic
#else
#define hold
#endif

/* Claims the group of the first waiter, m, or finds none and ends the hold. */
inline claim_first(q) {
  if
  :: len(queue[q]) == 0 -> m = NONE; locked[q] = false
  :: else ->
     queue[q] ? <m>; whose = agent(m); touch(whose); assert(waiting[m]);
     if :: is_member(m) -> claim(whose, q) :: else -> did = true fi
  fi
}

/* m: the waiter that was taken from the head, or NONE; whose: its agent */
inline take(q) {
  hold {
    atomic { !locked[q] -> locked[q] = true; claim_first(q) };
    do
    :: m == NONE -> break
    :: else ->
       atomic { queue[q] ? m; touch(whose); waiting[m] = false;
         if
         :: did -> notified[q]++; locked[q] = false; break
#if BUG == 1
         :: !did -> notified[q]++; locked[q] = false; m = NONE; break
#elif BUG == 2
         :: !did -> notified[q]++
#else
         :: !did
#endif
         fi };
#if BUG == 7
       deliver(whose);
#endif
       atomic { touch(whose); claim_first(q) } /* dropped: its links */
    od }
}

inline notify(q) {
  take(q);
  if :: m != NONE -> deliver(whose) :: else fi
}

proctype Changer(byte q) {
  byte m, whose; bool did;
  word[q] = 1;
  do
  :: notify(q); if :: m == NONE -> break :: else fi
  od
}

proctype One(byte q) {
  byte m, whose; bool did;
  notify(q)
}

inline try_lock() { atomic { did = !(word[1] & HELD); word[1] = word[1] | HELD } }
inline own() { atomic { owners++; assert(owners == 1) } }

inline hand_off_or_release() {
  if
#ifndef LIVE
  :: handed_off[whose] = true
#endif
  :: word[1] = HAS_WAITERS
  fi;
  deliver(whose)
}

inline unlock() {
  owners--;
  do
  :: atomic {
       if
       :: word[1] == HELD -> assert(len(queue[1]) == 0); word[1] = FREE; break
       :: else -> assert(word[1] == (HELD | HAS_WAITERS))
       fi };
     take(1);
     if :: m != NONE -> hand_off_or_release(); break :: else fi;
     word[1] = word[1] & HELD;
     take(1);
     if :: m != NONE -> word[1] = word[1] | HAS_WAITERS; hand_off_or_release(); break :: else fi
  od;
  m = NONE
}

/* Enqueues w, unless it is queued, or the check says that no wait is needed: then did. */
inline enqueue(w, q) {
  atomic { !locked[q] ->
    did = false;
    if
    :: waiting[w]
    :: !waiting[w] && LOCK && q == 1 ->
       did = !(word[1] & HELD); word[1] = HELD | HAS_WAITERS;
       if :: !did -> waiting[w] = true; queue[1] ! w :: else -> own() fi
    :: !waiting[w] && !(LOCK && q == 1) ->
       did = (word[q] != 0);
       if :: !did -> waiting[w] = true; queue[q] ! w :: else fi
    fi }
}

proctype Plain(byte a) {
  byte m, whose; bool did;
  alive[a] = true;
  do
  :: enqueue((a + S), 1);
     if :: did -> break :: else fi;
     atomic { token[a] -> token[a] = false };
     if
     :: !LOCK -> oks[1]++; break
     :: LOCK && handed_off[a] -> own(); break
     :: LOCK && !handed_off[a]
     fi
  od;
  alive[a] = false;
  if :: LOCK -> unlock() :: else fi
}

inline stop(s) { claim(s, LIMIT); if :: did -> deliver(s) :: else fi } /* the stop callback */

inline dequeue(w, q) {
#if BUG == 4
  if
  :: !waiting[w]
  :: else ->
#endif
  atomic { !locked[q] -> if :: waiting[w] -> queue[q] ?? eval(w); waiting[w] = false :: else fi }
#if BUG == 4
  fi
#endif
}

proctype Select(byte s) {
  byte i, q, m = NONE, whose; bool did, is_mine, is_due, is_dropped, listens, owns;
  alive[s] = true;

enqueue_all:
  i = 0;
  do
  :: i < 2 && winner[s] == OPEN ->
     q = (is_loop(s) -> 1 - i : i);
#if BUG == 6
     if
     :: waiting[member(s, q)]
     :: else ->
#endif
     enqueue(member(s, q), q);
     if
     :: did ->
        claim(s, q);
        if :: did -> is_mine = true; owns = (LOCK && q == 1); goto over :: else fi;
#if BUG != 3
        if :: LOCK && q == 1 -> unlock() :: else fi; /* gives it back */
#endif
        break
     :: else
     fi;
#if BUG == 6
     fi;
#endif
     i++
  :: else -> break
  od;

  if
  :: is_limited(s) && !listens ->
     listens = true;
     atomic { did = stop_requested; listening[s] = !did };
     if :: did -> stop(s) :: else fi /* in the constructor of the callback */
  :: else
  fi;

  do
  :: token[s] -> token[s] = false; break
  :: is_limited(s) && LOCK < 3 && !is_due ->
     if
     :: is_due = true
     :: is_loop(s) -> is_due = true; is_dropped = true
     fi;
#if BUG == 5
     is_mine = true; goto over;
#endif
     claim(s, LIMIT);
     if :: did -> is_mine = true; goto over :: else fi
#if BUG == 8
     ; goto over
#endif
  od;

  if
  :: LOCK && winner[s] == 1 ->
#if BUG == 11
     if :: is_due && !handed_off[s] -> goto over :: else fi;
#elif BUG == 12
     if :: is_dropped -> goto over :: else fi;
#endif
     if
     :: handed_off[s] -> handed_off[s] = false; own(); owns = true
     :: else ->
        try_lock();
        if :: did -> own(); owns = true :: else fi
     fi;
     if
     :: !owns && !is_dropped ->
#if BUG == 10
        if :: is_limited(s) && (is_due || stop_requested) -> winner[s] = LIMIT; is_mine = true; goto over :: else fi;
#endif
#if BUG != 13
        if :: word[0] -> winner[s] = 0; is_mine = true; goto over :: else fi; /* polls, while the claim is its own */
#endif
        winner[s] = OPEN;
#if BUG != 9 && BUG != 10
        if
        :: is_limited(s) && (is_due || stop_requested) ->
           claim(s, LIMIT);
           if :: did -> is_mine = true; goto over :: else fi
        :: else
        fi;
#endif
        goto enqueue_all
     :: else
     fi
  :: else
  fi;

over:
  if :: is_limited(s) -> atomic { !running[s] -> listening[s] = false } :: else fi;
  dequeue(member(s, 0), 0);
  dequeue(member(s, 1), 1);
  atomic {
    assert(winner[s] != OPEN && !token[s]);
    if :: !is_mine && winner[s] < LIMIT -> oks[winner[s]]++ :: else fi;
    alive[s] = false; note_end(s) };
  if :: owns -> unlock() :: else fi
}

proctype Stopper() {
  byte s; bool did;
  if :: LOCK < 3 -> goto done :: stop_requested = true fi;
  do
  :: s < S ->
     atomic { did = listening[s]; running[s] = did; listening[s] = false };
     if :: did -> stop(s); running[s] = false :: else fi;
     atomic { s++; did = false }
  :: else -> break
  od;
done: skip
}

proctype Barger() { /* owns the lock in the beginning */
  byte m = NONE, whose; bool did;
  do
  :: unlock();
#ifdef LIVE
     do :: try_lock(); if :: did -> break :: else fi od;
     own()
#else
     try_lock();
     if
     :: did -> own(); if :: LOCK > 1 -> break :: else -> unlock(); break fi
     :: else -> break
     fi
#endif
  od
}

init {
  byte i;
  atomic {
    do :: i < S -> run Select(i); i++ :: else -> break od;
    do :: i < AGENTS -> run Plain(i); i++ :: else -> break od;
    i = 0;
    do :: i < ONES -> run One((i + 1) % 2); i++ :: else -> break od;
    if :: LOCK < 3 -> run Changer(0) :: else fi;
    if
    :: LOCK -> word[1] = HELD; owners = 1; run Barger()
    :: else -> run Changer(1)
    fi;
    if :: LIMITS -> run Stopper() :: else fi };
  _nr_pr == 1;
  assert(len(queue[0]) == 0 && len(queue[1]) == 0 && notified[0] == oks[0] && (LOCK || notified[1] == oks[1]));
  assert(!LOCK || word[1] == FREE || word[1] == HAS_WAITERS || (LOCK > 1 && owners == 1))
}
