/* SPDX-License-Identifier: MIT */
/* The look without the lock, while lines come and go and buckets are split. Sequentially consistent.

     index_of        Shard::index_of: linear hashing, here from one bucket on
     Notifier        ProcessTable::notify, Shard::may_have_waiters, Shard::take
     Waiter          Shard::join, with grow and split_into; Shard::leave after a time-out
     set_marks       the marks of a bucket as its lines have them, as in remove_queue and split_into

   The addresses are their own hashes, 0 to WAITERS - 1; each has one waiter and one notifier, who changes the word first.
   All stores that a notifier may read without the lock are steps of their own.

   Checked: nobody waits for ever though his word was changed and notified (no invalid end state); under the lock, marks
   and lines agree and each line stands in the bucket of its address.

   Given by the runner:

     WAITERS  
     LEAVERS  how many of them, the last, may time out
     MARKS    addresses share a mark if they are alike modulo this

   BUG 1  the count is published before the marks of the new bucket
       2  the marks of the old bucket are cleared before the count is published
       3  the look does not ask again whether the count has changed
       4  the mark is set after the comparison
       5  a line that ends clears its mark, though another one shares it
       6  join looks for its bucket before it has the lock */

byte lines[WAITERS + 1]; /* of each bucket, a set of addresses */
byte marks[WAITERS + 1]; /* of each bucket, a set of marks */
byte count = 1, line_count;
bool locked, word[WAITERS], waiting[WAITERS], token[WAITERS];

#define filter_bit(address) (1 << ((address) % MARKS))
#define round_of(n) (n <= 1 -> 1 : (n <= 2 -> 2 : (n <= 4 -> 4 : 8))) /* bit_ceil */
#define top_of(n) (n < 2 -> 1 : (n < 4 -> 2 : 4))                     /* bit_floor */
#define low(address, n) ((address) & (round_of(n) - 1))
#define index_of(address, n) (low(address, n) < n -> low(address, n) : low(address, n) - round_of(n) / 2)

inline set_marks(bucket) {
  atomic {
    i = 0; found = 0;
    do
    :: i < WAITERS -> if :: lines[bucket] & (1 << i) -> found = found | filter_bit(i) :: else fi; i++
    :: else -> marks[bucket] = found; i = 0; found = 0; break
    od }
}

inline end_line(address) { /* remove_queue; b is the caller's, and so is the lock */
  b = index_of(address, count);
  assert(lines[b] & (1 << address));
  lines[b] = lines[b] & ~(1 << address); line_count--; waiting[address] = false;
#if BUG == 5
  marks[b] = marks[b] & ~filter_bit(address)
#else
  set_marks(b)
#endif
}

inline split() { /* the lines that move are moved under the lock; who only looks sees marks and count */
  d_step {
    b = count - top_of(count);
    i = 0;
    do
    :: i < WAITERS ->
       if
       :: (lines[b] & (1 << i)) && (i & top_of(count)) ->
          lines[b] = lines[b] & ~(1 << i); lines[count] = lines[count] | (1 << i)
       :: else
       fi;
       i++
    :: else -> i = 0; break
    od };
#if BUG == 1
  count++; set_marks(count - 1); set_marks(b)
#elif BUG == 2
  set_marks(b); set_marks(count); count++
#else
  set_marks(count); count++; set_marks(b)
#endif
}

inline check_queues() {
  d_step {
    i = 0;
    do
    :: i < WAITERS ->
       assert(waiting[i] == ((lines[index_of(i, count)] >> i) & 1));
       assert(!waiting[i] || (marks[index_of(i, count)] & filter_bit(i)));
       i++
    :: else -> i = 0; break
    od }
}

proctype Waiter(byte me) {
  byte b, before, i, found; bool joined;
#if BUG == 6
  b = index_of(me, count);
#endif
  atomic { !locked -> locked = true };
#if BUG != 6
  b = index_of(me, count);
#endif
  before = marks[b];
#if BUG == 4
  joined = !word[me];
#endif
  if :: before & filter_bit(me) :: else -> marks[b] = before | filter_bit(me) fi;
#if BUG != 4
  joined = !word[me];
#endif
  if
  :: joined ->
     d_step { lines[b] = lines[b] | (1 << me); line_count++; waiting[me] = true };
     if :: line_count > count -> split() :: else fi; /* grow */
     if :: line_count > count -> split() :: else fi
  :: else -> marks[b] = before
  fi;
  check_queues();
  locked = false;
  if
  :: joined ->
     if
     :: token[me]
     :: me >= WAITERS - LEAVERS ->
        atomic { !locked -> joined = waiting[me]; if :: joined -> end_line(me) :: else fi; check_queues() };
        joined || token[me]
     fi
  :: else
  fi
}

proctype Notifier(byte address) {
  byte seen, b, i, found;
  word[address] = true;
  seen = count; /* may_have_waiters */
  b = index_of(address, seen);
  if
  :: marks[b] & filter_bit(address)
  :: else ->
#if BUG == 3
     goto done
#else
     if :: count == seen -> goto done :: else fi
#endif
  fi;
  atomic { !locked -> /* take */
    if :: waiting[address] -> end_line(address); token[address] = true :: else fi;
    check_queues() };
done: skip
}

init {
  byte i;
  atomic { do :: i < WAITERS -> run Waiter(i); run Notifier(i); i++ :: else -> break od };
  _nr_pr == 1;
  assert(line_count == 0)
}
