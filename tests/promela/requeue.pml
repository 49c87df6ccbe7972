/* SPDX-License-Identifier: MIT */
/* Requeue: waiters move from one wait queue to the tail of another without being woken, while other processes notify,
   unlock, enqueue and time out. Sequentially consistent.

     Waiter            a blocking wait in queue 0 or 1; with LOCK, that of a condition, which locks after the wake
     Requeuer          requeue(from, to, COUNT); where the destination's check says that no wait is needed, it notifies
     Changer           changes a word and notifies all of its waiters
     lock, unlock      AsyncLock with its queue, queue 1: arbiter.pml has more
     dequeue           by a time-out: reads the waiter's address, takes that shard's lock, reads the address again
     touch             any access to a waiter's storage, which must not have ended [last-touch]

   Each queue has a filter bit. Requeue holds the locks of both shards, taken in the order of their numbers [order],
   over all the steps that a process without the locks can see: the filter bits, the words and the addresses of waiters.
   As in enqueue, the destination's filter bit is set before its check is asked [announce].

   Checked: no waiter waits for ever though its word was changed and notified or its lock released, and no deadlock of
   two requeues (no invalid end state); no queue is changed without its lock; no touch of ended storage; waiters leave a
   queue in the order of their arrival there; an idle waiter is one that some process has unlinked; each wait ends once;
   notify's results (with LOCK also those of requeue) add up to the number of ok; the lock is never free without
   has_waiters while its queue is not empty [has-waiters].

   Given by the runner:

     WAITERS    of queue 0
     LOCALS     waiters of queue 1
     BACK       1: another requeuer moves from queue 1 to queue 0
     COUNT      how many a requeue moves
     LOCK       1: queue 1 is that of a lock, and queue 0 that of a condition
     ONE_SHARD  1: both queues have the same shard
     LIMITS     how many of the waiters of queue 0 may time out, in whatever queue they are by then

   BUG 1  the locks are taken in the order of the arguments     6  the check is asked before the filter bit is set
       2  dequeue does not read the address again                7  a waiter is idle while it is moved
       3  neither filter bit nor has_waiters is set              8  a shard's lock is taken twice
       4  the check is asked before its lock is taken            9  a time-out after the move says timed_out (LOCK)
       5  the waiters are moved to the head                     10  the source's bit is cleared though some stay */
#define N (WAITERS + LOCALS)
#define NONE 255
#define FREE 0
#define HELD 1
#define HAS_WAITERS 2
#define NO_PROCESS 0 /* init never locks */
#define shard(q) (ONE_SHARD -> 0 : q)

mtype = { pending, ok, not_equal, timed_out };

byte word[2];            /* 0, until it is changed to 1; with LOCK, word[1] is the lock's */
byte locked_by[2];       /* each shard's lock */
bool filter_bit[2];      /* of each queue */
chan queue[2] = [N] of { byte };

bool alive[N], waiting[N], token[N], handed_off[N];
byte address[N]; /* the queue; read without a lock */
mtype result[N] = pending;

byte owners, ticket[N], tickets, last_ticket[2], woken, oks; /* for the checks only */

inline touch(w) { assert(alive[w]) }

#if LOCK
#define stamp(w) /* the queue of a lock is entered again and again */
#define check_order(w, q)
#else
#define stamp(w) tickets++; ticket[w] = tickets
#define check_order(w, q) assert(ticket[w] > last_ticket[q]); last_ticket[q] = ticket[w]
#endif

inline append(w, q) {
  assert(locked_by[shard(q)] == _pid);
  address[w] = q; stamp(w);
  queue[q] ! w
}

inline unlink(w, how) {
  touch(w); assert(waiting[w] && result[w] == pending && locked_by[shard(address[w])] == _pid);
  waiting[w] = false; result[w] = how
}

inline lock_shard(s) { atomic { locked_by[s] == NO_PROCESS -> locked_by[s] = _pid } }
inline unlock_shard(s) { assert(locked_by[s] == _pid); locked_by[s] = NO_PROCESS }

inline deliver(w) { atomic { touch(w); assert(!token[w]); token[w] = true } }

/* taken: a set of waiters; the first of them is w */
inline take(q, n) {
  atomic { locked_by[shard(q)] == NO_PROCESS -> locked_by[shard(q)] = _pid;
    taken = 0; length = 0;
    do
    :: length < n && len(queue[q]) > 0 ->
       queue[q] ? w; unlink(w, ok); check_order(w, q); taken = taken | (1 << w); length++
    :: else -> break
    od;
    filter_bit[q] = (len(queue[q]) > 0); w = 0;
    unlock_shard(shard(q)) }
}

inline deliver_all() {
  w = 0;
  do
  :: w == N -> break
  :: w < N && (taken & (1 << w)) -> deliver(w); atomic { taken = taken & ~(1 << w); w++ }
  :: else -> w++
  od;
  w = 0
}

inline notify(q, n) { /* length: how many it took */
  length = 0;
  if :: filter_bit[q] -> take(q, n); deliver_all() :: else fi
}

/* result: not_equal if it was not enqueued */
inline enqueue(w, q) {
  atomic { locked_by[shard(q)] == NO_PROCESS -> locked_by[shard(q)] = _pid; filter_bit[q] = true };
  atomic {
    if
    :: word[q] == 0 -> waiting[w] = true; append(w, q)
    :: else -> result[w] = not_equal; filter_bit[q] = (len(queue[q]) > 0) /* as before */
    fi;
    unlock_shard(shard(q)) }
}

inline dequeue(w) { /* did: whether this call unlinked it */
  do
  :: atomic { touch(w); /* no lock */
       if :: !waiting[w] -> assert(result[w] != pending); did = false; break :: else fi };
     q = address[w]; /* no lock */
     atomic { locked_by[shard(q)] == NO_PROCESS -> touch(w); locked_by[shard(q)] = _pid;
       if
       :: !waiting[w] -> did = false; unlock_shard(shard(q)); break
#if BUG != 2
       :: waiting[w] && address[w] != q -> unlock_shard(shard(q)) /* it was moved: again */
       :: waiting[w] && address[w] == q ->
#else
       :: waiting[w] ->
#endif
#if BUG == 9
          unlink(w, timed_out);
#else
          unlink(w, (LOCK && q == 1 -> ok : timed_out)); /* what was moved has had its signal */
#endif
          queue[address[w]] ?? eval(w);
          filter_bit[q] = (len(queue[q]) > 0); did = true; unlock_shard(shard(q)); break
       fi }
  od;
  q = 0
}

/* must_wait: what the destination's check says */
inline ask(to) {
  atomic {
#if LOCK
    must_wait = word[to] & HELD;
#if BUG != 3
    if :: must_wait -> word[to] = HELD | HAS_WAITERS :: else fi
#endif
#else
    must_wait = (word[to] == 0)
#endif
  }
}

inline requeue(from, to) {
#if BUG == 1
  lock_shard(shard(from));
  if :: shard(from) != shard(to) -> lock_shard(shard(to)) :: else fi;
#elif BUG == 8
  lock_shard(shard(0)); lock_shard(shard(1));
#elif BUG == 4
  lock_shard(shard(from));
  ask(to);
  if :: shard(from) != shard(to) -> lock_shard(shard(to)) :: else fi;
#else
  lock_shard(0);
  if :: !ONE_SHARD -> lock_shard(1) :: else fi;
#endif
#if BUG == 6
  ask(to);
#endif
#if BUG != 3
  filter_bit[to] = true;
#endif
#if BUG != 4 && BUG != 6
  ask(to);
#endif
  moved = 0;
  do
  :: must_wait && moved < COUNT && len(queue[from]) > 0 ->
#if BUG == 7
     atomic { queue[from] ? w; waiting[w] = false };
     atomic { waiting[w] = true; append(w, to); moved++ }
#else
     atomic { queue[from] ? w; touch(w); assert(waiting[w] && address[w] == from); append(w, to); moved++;
#if BUG == 5
       length = len(queue[to]) - 1;
       do :: length > 0 -> queue[to] ? w; queue[to] ! w; length-- :: else -> break od;
#endif
       w = 0 }
#endif
  :: else -> break
  od;
#if BUG == 10
  filter_bit[from] = false;
#else
  filter_bit[from] = (len(queue[from]) > 0);
#endif
#if BUG != 3
  filter_bit[to] = (len(queue[to]) > 0);
#endif
  atomic { if :: !ONE_SHARD -> unlock_shard(1) :: else fi; unlock_shard(0); w = 0 }
}

#if !LOCK

proctype Requeuer(byte from) {
  byte w, moved, taken, length; bool must_wait;
  requeue(from, 1 - from);
  if :: must_wait :: else -> notify(from, COUNT); woken = woken + length fi
}

proctype Changer(byte q) {
  byte w, taken, length;
  word[q] = 1;
  notify(q, N);
  woken = woken + length
}

#else

proctype Requeuer(byte from) { /* notifies all waiters of the condition, COUNT at a time */
  byte w, moved, taken, length; bool must_wait;
  word[from] = 1;
  do
  :: requeue(from, 1 - from);
     if :: must_wait -> length = moved :: else -> notify(from, COUNT) fi;
     if :: length == 0 -> break :: else -> woken = woken + length; length = 0; moved = 0 fi
  od
}

inline hand_off_or_release() {
  w = 0;
  do :: taken & (1 << w) -> break :: else -> w++ od;
  if
  :: handed_off[w] = true
  :: word[1] = HAS_WAITERS
  fi;
  deliver(w);
  atomic { taken = 0; w = 0; length = 0 }
}

inline unlock() {
  do
  :: atomic {
       if
       :: word[1] == HELD -> assert(len(queue[1]) == 0); word[1] = FREE; break
       :: else -> assert(word[1] == (HELD | HAS_WAITERS))
       fi };
     take(1, 1);
     if :: taken != 0 -> hand_off_or_release(); break :: else fi;
     word[1] = word[1] & HELD;
     take(1, 1);
     if
     :: taken != 0 -> word[1] = word[1] | HAS_WAITERS; hand_off_or_release(); break
     :: else
     fi
  od
}

inline lock(me) { /* until it owns the lock */
  do
  :: handed_off[me] -> break
  :: else ->
     atomic { locked_by[shard(1)] == NO_PROCESS -> locked_by[shard(1)] = _pid;
       did = !(word[1] & HELD); word[1] = HELD | HAS_WAITERS;
       if :: !did -> result[me] = pending; waiting[me] = true; append(me, 1); filter_bit[1] = true :: else fi;
       unlock_shard(shard(1)) };
     if :: did -> break :: else fi;
     atomic { token[me] -> token[me] = false }
  od;
  atomic { handed_off[me] = false; owners++; assert(owners == 1) };
  owners--
}

proctype Owner() {
  byte w, taken, length;
  unlock()
}

#endif

proctype Waiter(byte me) {
  byte q; bool did;
#if LOCK
  byte w, taken, length;
#endif
  alive[me] = true;
  if
  :: !LOCK || me < WAITERS ->
     enqueue(me, (me < WAITERS -> 0 : 1));
     if
     :: result[me] == not_equal
     :: else ->
        if
        :: token[me] -> token[me] = false
        :: me < LIMITS -> dequeue(me); if :: did :: !did -> token[me] -> token[me] = false fi
        fi;
        oks = oks + (result[me] == ok)
     fi
  :: else
  fi;
#if LOCK
  if
  :: result[me] == ok || me >= WAITERS -> lock(me); unlock()
  :: else
  fi;
#endif
  atomic { assert(!waiting[me]); alive[me] = false }
}

init {
  byte i;
  atomic {
    do :: i < N -> run Waiter(i); i++ :: else -> break od;
    run Requeuer(0);
#if LOCK
    word[1] = HELD; run Owner()
#else
    if :: BACK -> run Requeuer(1) :: else fi;
    run Changer(0); run Changer(1)
#endif
  };
  _nr_pr == 1;
  assert(len(queue[0]) == 0 && len(queue[1]) == 0 && !filter_bit[0] && !filter_bit[1] && oks == woken)
}
