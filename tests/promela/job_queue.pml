/* SPDX-License-Identifier: MIT */
/* The job queue of an event loop: many threads post; one takes, sleeps, is rung, and destroys queue and bell
   right after.

     push, take_all, fall_asleep, wake_up   JobQueue
     park, park_until, ring                 platform::Parker on a futex, as in a Doorbell
     Poster, Stopper                        EventLoop::post, EventLoop::stop
     Loop                                   EventLoop::Impl: run, poll, refill, sleep, take_stop, await_arrival,
                                            tear_down; EventLoop::retract
     touch                                  any access to queue, bell, stop flag or wake-up message [last-touch]

   A loop that is polled through its descriptor leaves the word of its queue at asleep while it is awake (announce). The
   loop is destroyed at any time; it then waits for the posts that are under way, as for waits that other threads have
   unlinked. A stop must begin before the loop ends, but need not have returned.

   Checked: no thread sleeps for ever (no invalid end state); no touch after the end; each job arrives once, each
   poster's in their order; at most one token is under way.

   Given by the runner:

     POSTERS   threads that post
     JOBS      how many each of them posts
     STOPPERS  threads that call stop, once
     TIMEOUTS  how often a sleep times out, or is left out because the loop is polled

   BUG 1  wake_up that finds asleep replaced does not wait for the ring    5  a sleep that times out overwrites a token
       2  falling asleep is a load and then a store                        6  the jobs are taken by a load and a store
       3  push decides by its first load whether it must ring              7  the wake-up message is not waited for
       4  the ringing thread touches the bell again after the token        8  the message's arrival is not forgotten */
#define NONE 0
#define ASLEEP 255
#define WAKE_UP 1 /* the wake-up message; jobs are numbered from 2 on */
#define LAST (1 + POSTERS * JOBS)

byte newest = NONE, next[LAST + 1];
bool alive = true, stop_requested;

mtype = { no_token, sleeping, token };
mtype bell = no_token;
bool in_futex; /* the loop sleeps in the kernel */

bool posted[LAST + 1]; /* somewhere in the queue or in ready */
byte arrived;          /* jobs, without the wake-up message */
byte stops_begun;

inline touch() { assert(alive) }

inline ring() {
  atomic { touch(); assert(bell != token); did = (bell == sleeping); bell = token };
  if
#if BUG == 4
  :: did -> atomic { touch(); in_futex = false }
#else
  :: did -> in_futex = false /* the kernel looks for sleepers at an address; the memory may be gone */
#endif
  :: else
  fi
}

inline push(job) {
  atomic { touch(); seen = newest; assert(!posted[job]); posted[job] = true };
  did = (seen == ASLEEP);
  do
  :: atomic {
       next[job] = (seen == ASLEEP -> NONE : seen);
       touch();
       if :: newest == seen -> newest = job; break :: else -> seen = newest fi }
  od;
#if BUG != 3
  did = (seen == ASLEEP);
#endif
  if :: did -> ring() :: else fi
}

proctype Poster(byte first) {
  byte job = first, seen; bool did;
  do
  :: job < first + JOBS -> push(job); job++
  :: else -> break
  od
}

proctype Stopper() {
  byte seen; bool did;
  atomic { touch(); did = stop_requested; stop_requested = true; stops_begun++ };
  if :: !did -> push(WAKE_UP) :: else fi
}

inline wait_in_futex() {
  if
  :: atomic { bell == sleeping -> in_futex = true };
     if
     :: !in_futex
     :: may_time_out -> in_futex = false
     fi
  :: bell != sleeping
  fi
}

/* may_time_out: park_until; took: whether it took the token. */
inline park() {
  atomic { if :: bell == token -> bell = no_token; took = true :: else -> bell = sleeping; took = false fi };
  do
  :: took -> break
  :: !took && bell != sleeping -> bell = no_token; took = true
  :: !took && bell == sleeping && may_time_out ->
     timeouts++;
#if BUG == 5
     bell = no_token; break
#else
     atomic { if :: bell == sleeping -> bell = no_token; break :: else -> bell = no_token; took = true fi }
#endif
  :: !took && bell == sleeping -> wait_in_futex()
  od;
  may_time_out = false
}

inline fall_asleep() { /* did: whether nothing had come */
#if BUG == 2
  did = (newest == NONE);
  if :: did -> newest = ASLEEP :: else fi
#else
  atomic { did = (newest == NONE); if :: did -> newest = ASLEEP :: else fi }
#endif
}

inline wake_up() {
  if
  :: is_asleep ->
     is_asleep = false;
     atomic { did = (newest == ASLEEP); if :: did -> newest = NONE :: else fi };
#if BUG != 1
     if :: !did -> park() :: else fi
#endif
  :: else
  fi
}

inline take_all() {
  if
  :: newest == NONE
  :: else ->
#if BUG == 6
     job = newest; newest = NONE;
#else
     atomic { job = newest; newest = NONE };
#endif
     d_step {
       assert(job != ASLEEP); seen = NONE;
       do :: job != NONE -> swap = next[job]; next[job] = seen; seen = job; job = swap :: else -> break od;
       do :: seen != NONE -> ready ! seen; seen = next[seen] :: else -> break od;
       swap = NONE }
  fi
}

inline await_arrival() {
  wake_up();
  fall_asleep();
  if :: did -> park() :: else fi;
  take_all()
}

/* A job that runs, or is discarded. */
inline pop() {
  d_step {
    ready ? job;
    assert(posted[job]); posted[job] = false;
    if
    :: job == WAKE_UP -> has_arrived = true
    :: else ->
       assert(expected[(job - 2) / JOBS] == (job - 2) % JOBS);
       expected[(job - 2) / JOBS]++; arrived++
    fi;
    job = NONE }
}

inline take_stop() {
  stopped = stop_requested;
  if
  :: stopped ->
#if BUG != 7
     if
     :: !has_arrived -> /* retract */
        wake_up(); take_all();
        do
        :: ready ?? [WAKE_UP] -> ready ?? WAKE_UP; posted[WAKE_UP] = false; break
        :: !(ready ?? [WAKE_UP]) -> await_arrival()
        od
     :: else
     fi;
#endif
#if BUG != 8
     has_arrived = false;
#endif
     stop_requested = false
  :: else
  fi
}

/* Nothing more will come, so no thread may be left asleep. */
#define is_over (arrived == POSTERS * JOBS && stops_begun == STOPPERS && !stop_requested)

proctype Loop() {
  chan ready = [LAST] of { byte };
  byte job, seen, swap, timeouts, expected[POSTERS];
  bool did, took, is_asleep, may_time_out, has_arrived, stopped;
  do
  :: take_stop();
     if
     :: len(ready) > 0 -> pop()
     :: else -> /* refill */
        wake_up(); take_all();
        if
        :: len(ready) == 0 && is_over -> break
        :: len(ready) == 0 && !is_over -> /* sleep */
           fall_asleep();
           if
           :: did ->
              is_asleep = true;
              if
              :: timeouts < TIMEOUTS -> timeouts++ /* polled: it goes on without wake_up */
              :: timeouts < TIMEOUTS ->
                 may_time_out = true; park();
                 if :: took -> is_asleep = false :: else -> wake_up() fi
              :: park(); is_asleep = false
              fi
           :: else
           fi
        :: else
        fi
     fi
  :: wake_up(); take_all(); do :: len(ready) > 0 -> pop() :: len(ready) == 0 -> break od /* poll */
  :: stops_begun == STOPPERS -> break /* the loop is destroyed at any time */
  od;
  take_stop(); /* tear_down */
  do
  :: wake_up(); take_all();
     if
     :: len(ready) > 0 -> pop()
     :: len(ready) == 0 && arrived < POSTERS * JOBS -> await_arrival()
     :: len(ready) == 0 && arrived == POSTERS * JOBS && newest == NONE -> break
     :: len(ready) == 0 && arrived == POSTERS * JOBS && newest != NONE
     fi
  od;
  alive = false
}

init {
  byte i;
  atomic {
    do :: i < POSTERS -> run Poster(2 + i * JOBS); i++ :: else -> break od;
    i = 0;
    do :: i < STOPPERS -> run Stopper(); i++ :: else -> break od;
    i = 0; run Loop() };
  _nr_pr == 1;
  assert(arrived == POSTERS * JOBS && !alive && bell == no_token && newest == NONE)
}
