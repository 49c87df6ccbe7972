/* SPDX-License-Identifier: MIT */
/* The mutex of the wait queues, over a futex: an unlock is a plain store, and a thread that goes to sleep passes the fence for
   both sides.

     lock, lock_contended, mark, unlock, wake_one    platform::Mutex of address_wait
     fence                                           AsymmetricFence::heavy
     sleep                                           AddressWait::wait and wait_until
     Processor                                       a thread's store buffer

   A store waits in the buffer of its thread; the buffer's stores become visible in any order. A compare-exchange comes after
   those of its own thread, and so does a wake, which the system orders. Each thread passes a fence at a time of its own
   between the call and its return. Where the fence is refused, it orders nothing, and the sleep is limited. A look at the
   mutex that comes after no fence of the thread's own may find it held although it is free: the load may precede the mark.

   Not in the model: a poll before the first sleep, which is another try_lock.

   Checked: one thread at a time has the mutex; no thread sleeps for ever (no invalid end state); in the end the mutex is free,
   and has no mark. With LIVE, under weak fairness: all threads finish, so those whose sleep is limited do not look for ever.

   Given by the runner:

     THREADS
     LOCKS     how often each of them locks and unlocks
     REFUSED   set of threads whose fences may be refused, each time anew
     SPURIOUS  how many sleeps end for no reason

   BUG 1  no fence                                    5  a thread whose fence was refused sleeps without a limit
       2  the fence comes before the mark             6  it does so once it finds a mark, such as its own
       3  a thread that has slept makes no mark       7  the unlock loads the mark before it frees the mutex
       4  the mark is removed after the wake          8  who has made the mark does not look at the mutex
                                                      9  falling asleep does not compare */
#define bit_of(thread) (1 << (thread))
#define has(set, thread) ((set) & bit_of(thread))

bool held, may_sleep;    /* as all threads see them */
byte freeing, unmarking; /* the threads whose buffer has a zero for held, and for may_sleep */
byte misses[THREADS];    /* of each, the threads that have not passed its fence */
byte asleep;             /* in the kernel */
byte inside, spurious, done;

/* A thread whose buffer is empty passes a fence at its call: later would forbid more. */
#define is_empty(thread) (!has(freeing | unmarking, thread))

inline drain() {
  if
  :: is_empty(me) -> i = 0; do :: i < THREADS -> misses[i] = misses[i] & ~bit_of(me); i++ :: else -> i = 0; break od
  :: else
  fi
}

proctype Processor(byte me) {
  byte i;
end:
  do
  :: d_step { has(freeing, me) -> held = false; freeing = freeing & ~bit_of(me); drain() }
  :: d_step { has(unmarking, me) -> may_sleep = false; unmarking = unmarking & ~bit_of(me); drain() }
  od
}

inline enter() { held = true; assert(inside == 0); inside++ }

inline fence() {
  if
  :: atomic { is_fenced = true; misses[me] = freeing | unmarking }; misses[me] == 0
  :: has(REFUSED, me) -> is_fenced = false
  fi
}

inline mark() { atomic { is_empty(me) -> is_new = !may_sleep; may_sleep = true } }

/* Wakes any. */
inline wake_one() {
  atomic {
    is_empty(me);
    do
    :: has(asleep, other) -> asleep = asleep & ~bit_of(other); break
    :: asleep >> (other + 1) -> other++
    :: !asleep -> break
    od;
    other = 0 }
}

inline unlock() {
#if BUG == 7
  is_marked = may_sleep;
  atomic { inside--; freeing = freeing | bit_of(me) };
#else
  atomic { inside--; freeing = freeing | bit_of(me) };
  is_marked = may_sleep;
#endif
  if
  :: is_marked ->
     is_marked = false;
#if BUG == 4
     wake_one();
     unmarking = unmarking | bit_of(me)
#else
     unmarking = unmarking | bit_of(me);
     wake_one()
#endif
  :: else
  fi
}

#if BUG == 5
#define is_limited false
#else
#define is_limited (!is_fenced)
#endif

proctype Thread(byte me) {
  byte locks, other; bool is_fenced = true, is_new, is_marked;
lock:
  if
  :: atomic { is_empty(me) && !held -> enter() }; goto own
  :: is_empty(me) && held
  fi;

contended:
  if
  :: atomic { is_empty(me) && !held -> enter() }; goto own_contended
  :: is_empty(me) && held
  fi;
#if BUG == 2
  if :: !may_sleep -> fence() :: else fi;
#endif
  mark();
#if BUG != 1 && BUG != 2
  if :: is_new -> fence() :: else fi;
#endif
#if BUG == 6
  if :: !is_new -> is_fenced = true :: else fi;
#endif
  /* The look. */
  if
#if BUG == 8
  :: true
#endif
  :: atomic { !held -> is_new = false; goto contended }
  :: held || !is_new || !is_fenced
  fi;
  is_new = false;

  /* The sleep. */
  atomic {
    if
#if BUG == 9
    :: true -> asleep = asleep | bit_of(me)
#endif
    :: may_sleep -> asleep = asleep | bit_of(me)
    :: !may_sleep -> goto contended
    fi };
  if
  :: !has(asleep, me)
  :: atomic { has(asleep, me) && is_limited -> asleep = asleep & ~bit_of(me) }
  :: atomic { has(asleep, me) && !is_limited && spurious < SPURIOUS -> spurious++; asleep = asleep & ~bit_of(me) }
  fi;
  goto contended;

own_contended:
#if BUG != 3
  mark();
#endif
own:
  is_new = false;
  unlock();
  atomic { locks++; is_fenced = true; if :: locks < LOCKS -> goto lock :: else -> done++ fi }
}

init {
  byte i;
  atomic { do :: i < THREADS -> run Thread(i); run Processor(i); i++ :: else -> break od };
  atomic { done == THREADS && !(freeing | unmarking) -> assert(!held && !may_sleep && !inside && !asleep) }
}

#ifdef LIVE
ltl ends { <> (done == THREADS) }
#endif
