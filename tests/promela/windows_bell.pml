/* SPDX-License-Identifier: MIT */
/* The bell of a loop on Windows whose handle a host watches: many threads post and ring, the thread pool's callback is the
   alarm, and the loop's thread clears the handle's event while both set it.

     Poster                      a thread that posts: JobQueue and LoopCore::ring, as job_queue.pml has them in detail
     ring, lower, arm, disarm,   platform::Doorbell of Windows; its members have their names
     clear, set_alarm
     Pool                        the thread pool, which watches the alarm's timer; the timer may be early, and the callback may be
                                 late: for an alarm that was set anew or taken back meanwhile
     Stray                       a program that sets the handle's event itself
     Loop                        a host that waits for the handle, polls, and waits again

   A deadline is a number, and the time counts up to the last of them. The loop has a timer for each.

   Checked: a host that waits is woken while there is something to run (no invalid end state); a poll finds nothing to run only if
   an alarm was early or a program had set the event; at most one token is under way; nothing touches a bell that has ended.

   Given by the runner:

     POSTERS  threads that post
     JOBS     how often each does
     TIMERS   the loop's timers
     EARLY    how often the system's timer is early
     STRAYS   how often a program sets the event

   BUG 1  lower looks at the words, and then clears the event     6  the token's taker leaves the announcement
       2  ring sets the event before its announcement             7  clear leaves an alarm that went off early as it is
       3  the callback sets the event before its word             8  set_alarm does not lower
       4  ring sends the token before it sets the event           9  clear does not lower
       5  disarm does not wait for a callback that runs          10  the end does not disarm
                                                                 11  a callback does not ask whether it is expected
                                                                 12  the end leaves what the pool has seen */
#define NEVER 255
#define FIRST 0 /* a deadline that has passed */

bool lives = true, token, level, is_announced, has_gone_off;
bool marked;          /* the queue says asleep */
bool is_watched, is_seen, is_running; /* the timer by the thread pool; its signal; its callback */
bool is_expected, took;
byte alarm = NEVER, watched = NEVER;
byte time, jobs, ran, fired, early, stale, strays, idle;

proctype Poster() {
  byte left = JOBS; bool did;
  do
  :: left > 0 ->
     atomic { left--; did = marked; marked = false; jobs++ };
     if
     :: did ->
#if BUG == 2
        atomic { assert(lives); level = true };
        atomic { assert(lives); is_announced = true };
        atomic { assert(lives && !token); token = true }
#elif BUG == 4
        atomic { assert(lives); is_announced = true };
        atomic { assert(lives && !token); token = true };
        atomic { assert(lives); level = true }
#else
        atomic { assert(lives); is_announced = true };
        atomic { assert(lives); level = true };
        atomic { assert(lives && !token); token = true }
#endif
     :: else
     fi
  :: else -> break
  od
}

proctype Clock() {
  do
  :: time < TIMERS -> time++
  :: else -> break
  od
}

proctype Pool() {
end: do
  :: atomic { is_watched && (time >= watched || early < EARLY) ->
       if :: time < watched -> early++ :: else fi;
       is_watched = false; is_seen = true };
     if
     :: atomic { is_seen -> is_seen = false; is_running = true };
        atomic {
          assert(lives);
          took = is_expected;
          is_expected = false;
          if :: took && time < alarm -> stale++ :: else fi;
#if BUG == 11
          took = true
#endif
        };
        if
        :: took ->
#if BUG == 3
           atomic { assert(lives); level = true };
           atomic { assert(lives); has_gone_off = true }
#else
           atomic { assert(lives); has_gone_off = true };
           atomic { assert(lives); level = true }
#endif
        :: else
        fi;
        is_running = false
     :: !lives -> break
     fi
  :: !lives -> break
  od
}

proctype Stray() {
end: do
  :: atomic { strays < STRAYS && lives -> strays++; level = true }
  od
}

inline lower() {
#if BUG == 1
  is_up = is_announced;
  is_up = is_up || has_gone_off;
  level = false;
#else
  level = false;
  is_up = is_announced;
  is_up = is_up || has_gone_off;
#endif
  if :: is_up -> level = true :: else fi
}

inline disarm() {
  is_watched = false;
  atomic { was_expected = is_expected; is_expected = false };
#if BUG != 5
  if :: !was_expected -> !is_running :: else fi;
#endif
  has_gone_off = false
}

inline arm() {
  if
  :: alarm == NEVER
  :: alarm != NEVER && alarm <= time -> has_gone_off = true
  :: alarm != NEVER && alarm > time -> is_expected = true; atomic { watched = alarm; is_watched = true }
  fi
}

inline clear() {
  is_announced = false;
  if
#if BUG != 7
  :: has_gone_off && alarm > time -> disarm(); arm()
#endif
  :: else
  fi;
#if BUG != 9
  lower()
#endif
}

inline set_alarm(deadline) {
  if
  :: alarm != deadline ->
     disarm();
     alarm = deadline;
     arm();
#if BUG != 8
     lower()
#else
     if :: has_gone_off -> level = true :: else fi
#endif
  :: else
  fi
}

inline take_token() {
  if
  :: owes ->
     owes = false;
     atomic { token -> token = false };
#if BUG != 6
     is_announced = false;
#endif
     lower()
  :: else
  fi
}

inline open() {
  if
  :: is_asleep -> is_asleep = false; atomic { if :: marked -> marked = false :: else -> owes = true fi }
  :: else
  fi
}

inline announce() {
  did = true;
  if
  :: !is_asleep ->
     take_token();
     atomic { did = (jobs == 0); if :: did -> marked = true; is_asleep = true :: else fi }
  :: else
  fi;
  if
  :: did && fired < TIMERS -> set_alarm(fired + 1)
  :: did && fired == TIMERS -> set_alarm(NEVER)
  :: !did -> set_alarm(FIRST)
  fi
}

inline poll() {
  open();
  atomic { had = jobs; ran = ran + jobs; jobs = 0 };
  if
  :: fired < TIMERS && time > fired -> fired++; had++
  :: else
  fi;
  if
  :: had == 0 && !owes ->
     atomic { idle++; assert(idle <= early + stale + strays) };
     clear()
  :: else
  fi;
  announce()
}

#define IS_DONE (ran == POSTERS * JOBS && (fired == TIMERS || is_left))

proctype Loop() {
  bool is_asleep, owes, did, is_up, is_left, was_expected; byte had;
  if :: is_left = true :: is_left = false fi; /* whether it ends before its timers */
  announce();
  do
  :: !IS_DONE -> level; poll()
  :: IS_DONE -> break
  od;
  open(); /* the end: the ring that is under way is waited for */
  take_token();
#if BUG != 10
  disarm();
#endif
#if BUG != 12
  is_seen = false; /* the group is closed */
  !is_running;
#endif
  lives = false
}

init {
  byte k;
  atomic {
    do :: k < POSTERS -> run Poster(); k++ :: else -> break od;
    run Clock();
    run Pool();
    run Stray();
    run Loop() }
}
