/* SPDX-License-Identifier: MIT */
/* The word of engine_lock.pml, and what is said of its agents: no statements. */

#ifndef BUG
#define BUG 0
#endif
#define HELD 1
#define HAS_WAITERS 2
#define IS_STRICT 4
#define STARVING 8
#define HANDED 16
#define RESERVED 32
#define LOW 64
#define ABANDONED 128
#define KEPT (HAS_WAITERS | IS_STRICT | STARVING | ABANDONED)
#ifndef DIES
#define DIES 0
#endif
#define N (THREADS + PROMISES)
#if DIES
#define AGENTS (N + 1)   /* the last is told of ends */
#else
#define AGENTS N
#endif
#define NONE 255
#define tag_of(w) ((w) >> 8)
#define with_tag(t) ((t) << 8)
#define thread_of(w) ((tag_of(w) - 2) / 3)

#define is_promise (me >= THREADS)
#define is_late(a) ((a) >= THREADS && ((LATE >> ((a) - THREADS)) & 1))
#define is_limited ((LIMITED >> me) & 1)
#define shares_thread ((OWN && (me == 0 || me == THREADS)) || (PAGE && is_promise))
#define has_places (OWN && me == 0 && places > 0)
#if BUG == 6
#define has_expired(w) false
#else
#define has_expired(w) (((w) & HANDED) && tag_of(w) != clock)
#endif
#define state_of(w) ((w) & (HELD | HANDED))
#define can_take(w) (state_of(w) == 0 || has_expired(w))
#define is_live(w) (((w) & RESERVED) && !((w) & LOW))
#define is_reserved(w) (is_live(w) && reserved[LOOP])
#define LOOP (shares_thread -> THREADS : me)
#define outlives(w) (is_live(w) && state_of(w) != HANDED && !is_reserved(w))
#define remains(w) (((w) & KEPT) | (outlives(w) -> RESERVED : 0))
#define owned(rest, t) ((rest) | HELD | with_tag(t) | (((rest) & RESERVED) -> 0 : LOW))
#define offered(w, state) (((w) & KEPT) | (is_live(w) -> RESERVED : 0) | (state) | with_tag(clock))
#define goes_on(w) (((w) & HANDED) && ((w) & IS_STRICT) && ((w) & HAS_WAITERS))

/* A poll would find something to do. */
#define poll_helps (can_take(word) || (has_places && may_be_mine(word, true)))
#if BUG == 7
#define polls ((wanted & HANDED) != 0)
#elif BUG == 5
#define polls has_places
#else
#define polls (has_places || (wanted & HANDED))
#endif
#if BUG == 16
#define places_bits 0
#else
#define places_bits HAS_WAITERS
#endif
#define look_helps (can_take(word) || may_be_mine(word, false))
