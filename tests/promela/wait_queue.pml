/* SPDX-License-Identifier: MIT */
/* One word and its wait queue: blocked and asynchronous waiters, notify, time-outs, a stop token, dropped promises, and
   the end of the event loop while wakes are under way. Sequentially consistent: memory orders are not modelled here.

     enqueue, dequeue, take   tables::Shard, and the test for idle without its lock, with which dequeue begins
     Notifier                 tables::ProcessTable::notify: the filter bit without the lock, take, deliver
     Blocked                  a blocking wait: enqueue, stop callback, park until the deadline, dequeue, park
     Loop                     the asynchronous waits of an agent, EventLoop::Impl::run and tear_down, Agent::abandon_all
     listen, unlisten         std::stop_callback: its constructor may fire, its destructor waits for a running callback
     touch                    any access to a waiter's storage, which must not have ended [last-touch]

   The lock of the shard is held over several steps only where another process could see the difference: in enqueue.
   There is one filter bit and one bucket: lookup.pml has more. Posting is one step here: job_queue.pml has what is
   inside.

   Checked: no waiter waits for ever though the word was changed and notified (no invalid end state); no touch of an
   ended waiter or loop; wakes in the order of the enqueuing; each wait ends once; notify's results add up to the number
   of ok.

   Given by the runner:

     BLOCKED  threads that wait; the first has a deadline and a stop token
     ASYNC    promises on one loop; the last has a deadline and a stop token, and may be dropped
     ONES     notifiers that call notify(1) and do not change the word; one more changes it and notifies all
     LIMITS   0: no deadlines, no stop token; only a notify ends a wait

   BUG 1  the comparison is made before the lock is taken       6  the end of the loop does not wait for wakes under way
       2  next is read after the delivery                       7  a stop callback's end is not waited for
       3  a time-out does not ask who unlinked the waiter       8  a stop does not ask who unlinked the waiter
       4  the filter bit is set after the comparison            9  dequeue trusts the test without the lock
       5  a waiter is not enqueued at the tail                 10  dequeue clears the filter bit of other waiters */
#define N (BLOCKED + ASYNC)
#define NONE 255
#define ALL N
#define is_limited(w) (LIMITS && (w == N - 1 || (w == 0 && BLOCKED > 0)))

mtype = { pending, ok, not_equal, timed_out, cancelled, dropped, torn_down };

byte word; /* 0, until it is changed to 1, which all waiters wait for */
bool filter_bit, locked;
chan queue = [N] of { byte };

/* The storage of a waiter, from the start of its wait to its end. */
bool alive[N], waiting[N], token[N]; /* Waiter::state_, the parker's token */
byte next[N];
mtype result[N];

chan jobs = [N] of { byte };
bool loop_alive = true;

bool stop_requested, listening[N], running[N];       /* the stop token, its callbacks */
byte ticket[N], tickets, last_ticket, notified, oks; /* for the checks only */

inline touch(w) { assert(alive[w]) }

inline end_wait(w) {
  atomic { touch(w); assert(!waiting[w]); alive[w] = false; next[w] = NONE; oks = oks + (result[w] == ok) }
}

inline enqueue(w, enqueued) {
#if BUG == 1
  enqueued = (word == 0);
#endif
#if BUG != 4
  atomic { !locked -> locked = true; filter_bit = true };
#endif
#if BUG != 1 && BUG != 4
  atomic { enqueued = (word == 0);
#elif BUG == 4
  atomic { !locked -> locked = true; enqueued = (word == 0) };
  atomic { filter_bit = true;
#else
  atomic {
#endif
    if
    :: enqueued -> tickets++; ticket[w] = tickets; waiting[w] = true;
#if BUG == 5
       queue !! w
#else
       queue ! w
#endif
    :: else -> filter_bit = (len(queue) > 0) /* as before */
    fi;
    locked = false }
}

inline dequeue(w, how, did) {
  touch(w);
  if
  :: !waiting[w] -> did = false /* without the lock: only its owner enqueues it */
  :: else ->
     atomic { !locked -> touch(w);
       if
       :: waiting[w] -> queue ?? eval(w); waiting[w] = false; result[w] = how; did = true
       :: else -> did = (BUG == 9)
       fi;
#if BUG == 10
       filter_bit = false }
#else
       filter_bit = (len(queue) > 0) }
#endif
  fi
}

inline deliver(w) {
  atomic { touch(w);
    if
    :: w < BLOCKED -> assert(!token[w]); token[w] = true /* unpark */
    :: else -> assert(loop_alive); jobs ! w              /* post */
    fi }
}

inline finish(w, how) { /* a stop callback, or the timer of an asynchronous wait */
  dequeue(w, how, did);
#if BUG == 8
  did = true;
#endif
  if
  :: did -> deliver(w)
  :: else
  fi
}

inline listen(w) {
  if
  :: !is_limited(w)
  :: else ->
     atomic { if :: stop_requested -> did = true :: else -> listening[w] = true; did = false fi };
     if
     :: did -> finish(w, cancelled) /* in the constructor of the callback */
     :: else
     fi
  fi
}

#if BUG == 7
inline unlisten(w) { listening[w] = false }
#else
inline unlisten(w) { atomic { !running[w] -> listening[w] = false } }
#endif

proctype Blocked(byte w) {
  bool did;
  alive[w] = true;
  enqueue(w, did);
  if
  :: !did -> result[w] = not_equal
  :: else ->
     listen(w);
     if
     :: token[w] -> token[w] = false
     :: is_limited(w) -> /* park_until gives up */
#if BUG == 3
        atomic { !locked ->
          if :: waiting[w] -> queue ?? eval(w); waiting[w] = false :: else fi;
          result[w] = timed_out };
#else
        dequeue(w, timed_out, did);
        if
        :: did
        :: else -> token[w] -> token[w] = false
        fi
#endif
     fi;
     unlisten(w)
  fi;
  end_wait(w)
}

proctype Notifier(byte count) {
  byte w, first = NONE, last = NONE, length;
  if :: count == ALL -> word = 1 :: else fi;
  if :: !filter_bit -> goto done :: else fi;
  atomic { !locked -> /* Shard::take */
    do
    :: length < count && len(queue) > 0 ->
       queue ? w;
       touch(w); assert(waiting[w] && ticket[w] > last_ticket);
       last_ticket = ticket[w]; waiting[w] = false; result[w] = ok;
       next[w] = NONE; length++;
       if :: first == NONE -> first = w :: else -> next[last] = w fi;
       last = w
    :: else -> break
    od;
    filter_bit = (len(queue) > 0); notified = notified + length; last = NONE; w = first; first = NONE; length = 0 };
  do
  :: w == NONE -> break
  :: else ->
#if BUG == 2
     deliver(w);
     atomic { touch(w); w = next[w] }
#else
     atomic { touch(w); last = next[w] };
     deliver(w);
     atomic { w = last; last = NONE }
#endif
  od;
done: skip
}

proctype Stopper() {
  byte w; bool did;
  if :: goto done :: stop_requested = true fi;
  do
  :: w < N ->
     atomic { did = listening[w]; running[w] = did; listening[w] = false };
     if
     :: did -> finish(w, cancelled); running[w] = false
     :: else
     fi;
     atomic { w++; did = false }
  :: else -> break
  od;
done: skip
}

/* The waits of one loop, all of its own thread. */
proctype Loop() {
  byte w, started = BLOCKED, owned; /* the agent's ring of waits */
  bool did, is_owned[N], armed;     /* the deadline of the last */
  do
  :: started < N -> /* wait_async */
     atomic { w = started; started++; alive[w] = true };
     enqueue(w, did);
     if
     :: did -> is_owned[w] = true; owned++; armed = is_limited(w); listen(w)
     :: else -> result[w] = not_equal; end_wait(w)
     fi
  :: jobs ? w -> /* its completion */
     atomic { touch(w); assert(is_owned[w]); is_owned[w] = false; owned-- };
     unlisten(w);
     if :: is_limited(w) -> armed = false :: else fi;
     end_wait(w)
  :: armed -> armed = false; w = N - 1; finish(w, timed_out)
  :: is_owned[N - 1] && alive[N - 1] && started == N -> /* its promise is dropped */
     w = N - 1;
     dequeue(w, dropped, did);
     if
     :: did -> is_owned[w] = false; owned--; unlisten(w); armed = false; end_wait(w)
     :: else
     fi
  :: started == N && owned == 0 -> break
  :: started > BLOCKED -> break /* the loop is destroyed at any time */
  od;
  do /* tear_down */
  :: jobs ? w -> is_owned[w] = false; owned--; unlisten(w); end_wait(w)
  :: len(jobs) == 0 && owned > 0 ->
     w = BLOCKED; /* abandon_all */
     do
     :: w == N -> break
     :: w < N && is_owned[w] ->
        dequeue(w, torn_down, did);
        if
        :: did -> is_owned[w] = false; owned--; unlisten(w); end_wait(w)
        :: else
        fi;
        w++
     :: else -> w++
     od;
#if BUG == 6
     owned = 0
#else
     owned == 0 || nempty(jobs) /* await_arrival */
#endif
  :: len(jobs) == 0 && owned == 0 -> break
  od;
  loop_alive = false
}

init {
  byte w;
  atomic {
    do :: w < BLOCKED -> run Blocked(w); w++ :: else -> break od;
    if :: ASYNC > 0 -> run Loop() :: else fi;
    w = 0;
    do :: w < ONES -> run Notifier(1); w++ :: else -> break od;
    run Notifier(ALL); run Stopper() };
  _nr_pr == 1;
  assert(empty(queue) && !filter_bit && oks == notified)
}
