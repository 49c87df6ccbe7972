/* SPDX-License-Identifier: MIT */
/* The lookup without the lock, while wait queues come and go and buckets are split. Sequentially consistent.

     index_of        Shard::index_of: linear hashing, here from one bucket on
     Notifier        ProcessTable::notify, Shard::may_have_waiters, Shard::take
     Waiter          Shard::enqueue, with grow and split_into; Shard::dequeue after a time-out
     set_filter      the filter of a bucket as its queues have it, as in remove_queue and split_into

   The addresses are their own hashes, 0 to WAITERS - 1; each has one waiter and one notifier, which changes the word
   first. All stores that a notifier may read without the lock are steps of their own.

   Checked: no waiter waits for ever though its word was changed and notified (no invalid end state); under the lock,
   filter and queues agree and each queue is in the bucket of its address.

   Given by the runner:

     WAITERS
     TIMEOUTS  how many of them, the last, may time out
     BITS      addresses share a filter bit if they are equal modulo this

   BUG 1  the count is published before the filter of the new bucket
       2  filter bits of the old bucket are cleared before the count is published
       3  the lookup does not read the count again
       4  the filter bit is set after the comparison
       5  a queue that ends clears its filter bit, though another queue shares it
       6  enqueue chooses its bucket before it has the lock */

byte queues[WAITERS + 1];  /* of each bucket, a set of addresses */
byte filters[WAITERS + 1]; /* of each bucket, a set of filter bits */
byte count = 1, queue_count;
bool locked, word[WAITERS], waiting[WAITERS], token[WAITERS];

#define filter_bit(address) (1 << ((address) % BITS))
#define round_of(n) (n <= 1 -> 1 : (n <= 2 -> 2 : (n <= 4 -> 4 : 8))) /* bit_ceil */
#define top_of(n) (n < 2 -> 1 : (n < 4 -> 2 : 4))                     /* bit_floor */
#define low(address, n) ((address) & (round_of(n) - 1))
#define index_of(address, n) (low(address, n) < n -> low(address, n) : low(address, n) - round_of(n) / 2)

inline set_filter(bucket) {
  atomic {
    i = 0; found = 0;
    do
    :: i < WAITERS -> if :: queues[bucket] & (1 << i) -> found = found | filter_bit(i) :: else fi; i++
    :: else -> filters[bucket] = found; i = 0; found = 0; break
    od }
}

inline remove_queue(address) { /* b is the caller's, and so is the lock */
  b = index_of(address, count);
  assert(queues[b] & (1 << address));
  queues[b] = queues[b] & ~(1 << address); queue_count--; waiting[address] = false;
#if BUG == 5
  filters[b] = filters[b] & ~filter_bit(address)
#else
  set_filter(b)
#endif
}

inline split() { /* the queues move under the lock; a lookup without it sees filters and count */
  d_step {
    b = count - top_of(count);
    i = 0;
    do
    :: i < WAITERS ->
       if
       :: (queues[b] & (1 << i)) && (i & top_of(count)) ->
          queues[b] = queues[b] & ~(1 << i); queues[count] = queues[count] | (1 << i)
       :: else
       fi;
       i++
    :: else -> i = 0; break
    od };
#if BUG == 1
  count++; set_filter(count - 1); set_filter(b)
#elif BUG == 2
  set_filter(b); set_filter(count); count++
#else
  set_filter(count); count++; set_filter(b)
#endif
}

inline check_queues() {
  d_step {
    i = 0;
    do
    :: i < WAITERS ->
       assert(waiting[i] == ((queues[index_of(i, count)] >> i) & 1));
       assert(!waiting[i] || (filters[index_of(i, count)] & filter_bit(i)));
       i++
    :: else -> i = 0; break
    od }
}

proctype Waiter(byte me) {
  byte b, before, i, found; bool enqueued;
#if BUG == 6
  b = index_of(me, count);
#endif
  atomic { !locked -> locked = true };
#if BUG != 6
  b = index_of(me, count);
#endif
  before = filters[b];
#if BUG == 4
  enqueued = !word[me];
#endif
  if :: before & filter_bit(me) :: else -> filters[b] = before | filter_bit(me) fi;
#if BUG != 4
  enqueued = !word[me];
#endif
  if
  :: enqueued ->
     d_step { queues[b] = queues[b] | (1 << me); queue_count++; waiting[me] = true };
     if :: queue_count > count -> split() :: else fi; /* grow */
     if :: queue_count > count -> split() :: else fi
  :: else -> filters[b] = before
  fi;
  check_queues();
  locked = false;
  if
  :: enqueued ->
     if
     :: token[me]
     :: me >= WAITERS - TIMEOUTS ->
        atomic { !locked -> enqueued = waiting[me]; if :: enqueued -> remove_queue(me) :: else fi; check_queues() };
        enqueued || token[me]
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
  :: filters[b] & filter_bit(address)
  :: else ->
#if BUG == 3
     goto done
#else
     if :: count == seen -> goto done :: else fi
#endif
  fi;
  atomic { !locked -> /* take */
    if :: waiting[address] -> remove_queue(address); token[address] = true :: else fi;
    check_queues() };
done: skip
}

init {
  byte i;
  atomic { do :: i < WAITERS -> run Waiter(i); run Notifier(i); i++ :: else -> break od };
  _nr_pr == 1;
  assert(queue_count == 0)
}
