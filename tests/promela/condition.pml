/* SPDX-License-Identifier: MIT */
/* A condition: waiters are notified in their order, and moved to the queue of the lock, while others time out, are destroyed,
   and lock. Sequentially consistent. Steps under the locks of queues are atomic; requeue.pml and arbiter.pml are about
   these.

     Waiter     waits until there is an item, and takes it. The first LIMITS of them give up when their time is over, the
                next GONE are destroyed while they wait, or once they are notified, and take none
     Notifier   adds an item, or with ALL one for each waiter, and notifies with the lock held, or with FREE after its unlock

   With OFFER a lock that no owner has may be offered to a task: then it cannot be taken at once.

   A waiter that is stuck is an invalid end state: a notification was lost. BUG 1 to 7 are seeded. */

#ifndef BUG
#define BUG 0
#endif

#define N (WAITERS)
#define IS_GONE(w) (w >= LIMITS && w < LIMITS + GONE)
#define ANY 255
#define none 0
#define one 1
#define all 2

chan condition = [N] of { byte };
chan queue = [N + NOTIFIERS] of { byte }; /* of the lock */
bool has_waiters = false; /* at the condition */
bool held = false, lock_has_waiters = false;
byte owners = 0, items = 0, began = 0, latest = 0, left = 0;
bool token[N + NOTIFIERS], moved[N];
byte kind[N], number[N];

inline release() { /* wakes the first in the queue */
  held = false;
  if
  :: lock_has_waiters && len(queue) > 0 -> queue ? w; token[w] = true
  :: else
  fi;
  lock_has_waiters = (len(queue) > 0);
  w = 0
}

inline unlock() { atomic { owners--; release() } }

inline lock(me) {
  do
  :: atomic { !held -> held = true; owners++; assert(owners == 1); break }
  :: atomic { held -> lock_has_waiters = true; queue ! me };
     atomic { token[me] -> token[me] = false }
  od
}

/* under the locks of both queues */
inline requeue(count, as) {
  atomic {
    do
    :: (held || BUG == 3) && result < count && len(condition) > 0 ->
       condition ? w; queue ! w; moved[w] = true; kind[w] = as; assert(number[w] <= latest); result++;
#if BUG != 2
       lock_has_waiters = true;
#endif
#if BUG == 6
       has_waiters = false
#else
       if :: len(condition) == 0 -> has_waiters = false :: else fi
#endif
    :: else -> break
    od;
    w = 0
  }
}

inline notify(number_of, kind_of) { /* result: how many */
  result = 0;
  if
  :: has_waiters ->
     atomic { has_waiters = (len(condition) > 0) }; /* and which lock they use is read */
     requeue(number_of, kind_of);
     if
     :: result == 0 ->
        if
        :: atomic { !held -> held = true };
           requeue(number_of, kind_of);
           atomic { release() }
        :: atomic { held || OFFER };
           requeue(number_of, kind_of);
           if
           :: result == 0 ->
              atomic {
                do
                :: result < number_of && len(condition) > 0 ->
                   condition ? w; token[w] = true; kind[w] = kind_of; assert(number[w] <= latest); result++
                :: else -> break
                od;
                has_waiters = (len(condition) > 0); w = 0
              }
           :: else
           fi
        fi
     :: else
     fi
  :: else
  fi
}

/* What one was notified of is another's. */
inline pass_on(me) {
#if BUG != 4
  if
  :: kind[me] == one -> latest = ANY; notify(1, one) /* made once more, at this time */
  :: else
  fi
#else
  skip
#endif
}

inline enqueue(me) {
  atomic { began++; number[me] = began; moved[me] = false; kind[me] = none; has_waiters = true; condition ! me }
}

/* Its time is over, or it is destroyed: leaves the queue that it is in. did: whether it was in one */
inline dequeue(me) {
  atomic {
    did = true;
    if
    :: condition ?? [eval(me)] -> condition ?? eval(me);
#if BUG == 5
       has_waiters = false
#else
       has_waiters = (len(condition) > 0)
#endif
    :: queue ?? [eval(me)] -> queue ?? eval(me)
    :: else -> did = false
    fi
  }
}

proctype Waiter(byte me) {
  byte w, result; bool did, is_over = false;
  lock(me);
  do
  :: atomic { items > 0 -> assert(owners == 1);
       if :: IS_GONE(me) :: else -> items--; left-- fi; break }
  :: atomic { items == 0 && is_over -> assert(owners == 1); break }
  :: items == 0 && !is_over ->
#if BUG == 1
     unlock(); enqueue(me);
#else
     enqueue(me); unlock();
#endif
     if
     :: atomic { !IS_GONE(me) && token[me] -> token[me] = false }
     :: me < LIMITS -> dequeue(me);
        if :: did -> is_over = !moved[me] :: !did -> atomic { token[me] -> token[me] = false } fi
     :: IS_GONE(me) -> dequeue(me);
        if :: did :: !did -> atomic { token[me] -> token[me] = false } fi;
        pass_on(me);
        if
        :: atomic { !did && moved[me] && !held && lock_has_waiters && len(queue) > 0 -> /* the lock's wake is passed on, too */
             queue ? w; token[w] = true; lock_has_waiters = (len(queue) > 0); w = 0 }
        :: atomic { else }
        fi;
        goto gone
     fi;
#if BUG == 7
     if :: is_over :: else -> lock(me) fi;
#else
     lock(me);
#endif
  od;
  unlock();
gone:
  skip
}

proctype Notifier(byte me) {
  byte w, result, wanted = (ALL -> N : 1), how = (ALL -> all : one);
  lock(me);
  items = items + (ALL -> N : 1); latest = (latest == ANY -> ANY : began);
  if
  :: FREE -> atomic { latest = ANY; owners--; release() }
  :: else
  fi;
  notify(wanted, how);
  if :: FREE :: else -> unlock() fi
}

init {
  byte i;
  atomic {
    left = (ALL -> NOTIFIERS * N : NOTIFIERS);
    do :: i < N -> run Waiter(i); i++ :: else -> break od;
    i = 0;
    do :: i < NOTIFIERS -> run Notifier(N + i); i++ :: else -> break od
  };
  _nr_pr == 1;
  assert(len(condition) == 0 && len(queue) == 0 && !has_waiters && !held && owners == 0 && items == left)
}
