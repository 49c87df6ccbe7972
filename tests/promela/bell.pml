/* SPDX-License-Identifier: MIT */
/* The bell of a loop that an engine's own loop runs: many threads post and ring, the engine listens to the bell's word, and a
   second bell has the first one's cell after it.

     push, fall_asleep, open            JobQueue and LoopCore, as job_queue.pml has them in detail
     ring, set_alarm, end               platform::Doorbell of Emscripten
     listen, hurry, call, give_back     its JavaScript
     notify, a time-out, a task         the engine
     Sleeper                            the worker that blocks where there is no Atomics.waitAsync

   The loop's thread does one thing at a time: a turn, or one of the engine's callbacks. Threads do anything meanwhile. What has
   rung may wake the cell long after its bell has ended.

   Checked: a loop whose jobs have not all run is called again (no invalid end state); the cell is taken by a bell only when
   nothing is to come for it, and comes back; at most one token is under way, and each is taken before the next.

   Given by the runner:

     POSTERS   threads that post to each bell's loop, once
     TIMEOUTS  how often a listener's time is over
     HURRIES   how often a turn announces a time that is earlier than the listener's
     SLEEPER   whether there is no Atomics.waitAsync

   BUG 1  the engine joins the queue without comparing             6  a token that is owed is not taken before the next sleep
       2  the announcement is a store that overwrites a token      7  the end wakes nothing
       3  ring is a load and then a store                          8  a token that the announcement finds is not told
       4  a time-out leaves is_listening set                       9  a sleeper that sleeps is taken for a listener that was woken
       5  the cell is given back while the engine listens */
#define IDLE 0
#define ASLEEP 1
#define TOKEN 2
#define BELLS 2

byte word = IDLE;   /* the cell's */
bool queued;        /* in the engine's queue for the word */
bool rang_coming;   /* futon_bell_rang is to be called */
bool call_coming;   /* futon_bell_called is */
bool is_busy;       /* the sleeper has been sent, and has not answered */
bool is_sent;       /* it has not compared yet */
bool is_taken;

byte bell;          /* which one lives; from 1 on */
bool marked[BELLS + 1], owes; /* the queue says asleep; its wake was another thread's */
byte jobs[BELLS + 1], ran[BELLS + 1];

inline notify() {
  atomic { if :: queued -> queued = false; rang_coming = true :: else fi }
}

proctype Poster(byte mine) {
  bool did; byte seen;
  (bell == mine);
  atomic { did = marked[mine]; marked[mine] = false; jobs[mine]++ };
  if
  :: did ->
#if BUG == 3
     seen = word; word = TOKEN;
#else
     atomic { assert(bell == mine && word != TOKEN); seen = word; word = TOKEN };
#endif
     if :: seen == ASLEEP -> notify() :: else fi
  :: else
  fi
}

#if SLEEPER
proctype Sleeper() {
end: do
  :: atomic { is_sent -> is_sent = false; if :: word == ASLEEP -> queued = true :: else -> rang_coming = true fi }
  od
}
#endif

inline call() {
  if :: !is_called -> is_called = true; call_coming = true :: else fi
}

inline listen() {
  is_listening = true;
#if SLEEPER
#if BUG == 9
  is_busy = true; is_sent = true
#else
  if :: !is_busy -> is_busy = true; is_sent = true :: else fi
#endif
#else
#if BUG == 1
  queued = true
#else
  atomic { if :: word == ASLEEP -> queued = true :: else -> rang_coming = true fi }
#endif
#endif
}

inline set_alarm() {
  atomic {
    did = (word != TOKEN);
#if BUG == 2
    did = true;
#endif
    if :: did -> word = ASLEEP :: else fi };
  if
  :: did && !is_listening -> listen()
  :: did && is_listening ->
     if
     :: hurries < HURRIES -> hurries++;
#if !SLEEPER
        notify()
#endif
     :: true
     fi
#if BUG == 8
  :: !did
#else
  :: !did -> call()
#endif
  fi
}

inline open() {
  if
  :: is_asleep -> is_asleep = false; atomic { if :: marked[bell] -> marked[bell] = false :: else -> owes = true fi }
  :: else
  fi
}

inline take_token() {
  if :: owes -> owes = false; atomic { word == TOKEN -> word = IDLE } :: else fi
}

inline turn() {
  if
  :: marked[bell] || jobs[bell] > 0 -> open(); atomic { ran[bell] = ran[bell] + jobs[bell]; jobs[bell] = 0 }
  :: else
  fi;
  did = true;
  if
  :: !is_asleep ->
#if BUG != 6
     take_token();
#endif
     atomic { did = (jobs[bell] == 0); if :: did -> marked[bell] = true; is_asleep = true :: else fi }
  :: else
  fi;
  if :: did -> set_alarm() :: else -> call() fi
}

inline give_back() {
#if BUG == 5
  if :: is_ended -> is_taken = false :: else fi
#else
  if :: is_ended && !queued && !rang_coming && !call_coming && !is_busy -> is_taken = false :: else fi
#endif
}

/* A callback of the engine; of a bell that has ended it only counts. */
inline callback() {
  if
  :: atomic { rang_coming -> rang_coming = false }; is_listening = false; is_busy = false
  :: atomic { call_coming -> call_coming = false }; is_called = false
#if SLEEPER
  :: is_listening && !is_ended && timeouts < TIMEOUTS -> timeouts++; /* a timer of this thread: what sleeps goes on */
#if BUG != 4
     is_listening = false
#endif
#else
  :: atomic { queued && timeouts < TIMEOUTS -> queued = false; timeouts++ };
#if BUG != 4
     is_listening = false
#endif
#endif
  fi
}

proctype Loop() {
  bool did, is_asleep, is_listening, is_called, is_ended; byte hurries, timeouts;
  do
  :: bell < BELLS ->
     do /* until what listens for the bell before has come back */
     :: !is_taken -> break
     :: is_taken -> callback(); give_back()
     od;
     atomic {
       assert(!queued && !rang_coming && !call_coming && !is_busy);
       is_taken = true; is_ended = false; is_listening = false; is_called = false; is_asleep = false; word = IDLE; bell++ };
     turn();
     do
     :: ran[bell] < POSTERS -> callback(); turn()
     :: ran[bell] == POSTERS -> break
     od;
     open(); /* the end: the ring that is under way is waited for */
     take_token();
     is_ended = true;
#if BUG != 7
     word = TOKEN;
     notify();
#endif
     give_back()
  :: bell == BELLS -> break
  od;
  do
  :: is_taken -> callback(); give_back()
  :: !is_taken -> break
  od
}

init {
  byte i, k;
  atomic {
    i = 1;
    do
    :: i <= BELLS -> k = 0; do :: k < POSTERS -> run Poster(i); k++ :: else -> break od; i++
    :: else -> break
    od;
#if SLEEPER
    run Sleeper();
#endif
    run Loop() }
}
