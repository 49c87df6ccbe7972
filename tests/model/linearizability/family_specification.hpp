// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include <futon/sync/channel_result.hpp>

#include "call.hpp"
#include "subject.hpp"

namespace futon::test {

// What the documentation of each primitive promises, as a program of one thread. Waits are told apart by their numbers.

/// Permits are there or not; which of those that wait gets them is left open. For a caller may take them past the queue, a waiter
/// that was woken competes with it, and an offer to a task expires: the order is a matter of time. What is stated is that
/// no permit is made, and none is lost.
class SemaphoreSpecification {
public:
    explicit SemaphoreSpecification(int permits = 0) : permits_(permits) {}

    bool has(int count) const { return permits_ >= count; }
    bool take(int count);
    void release(int count) { permits_ += count; }

    /// Takes for a wait that will not live to know it, which gives back what it has when it ends.
    bool take_for(std::size_t wait, int count);
    void give_back(std::size_t wait, int count);

    void add_to(std::string& key) const;

private:
    int permits_;
    std::vector<std::size_t> holders_;
};

/// Who holds a SharedLock. The order of those that wait is left open, as that of a semaphore. What is stated is that the modes
/// exclude each other, and that no holding is made or lost.
class SharedLockSpecification {
public:
    bool is_open(int mode) const;
    bool lock(int mode);

    /// Returns false unless it is held so.
    bool unlock(int mode);

    bool has_readers() const { return readers_ != 0; }
    bool upgrade();
    bool downgrade(int from, int to) { return unlock(from) && lock(to); }

    /// Locks for a wait that will not live to know it, which gives back what it has when it ends.
    bool lock_for(std::size_t wait, int mode);
    void give_back(std::size_t wait, int mode);

    /// What was held upgradeable by a task that upgraded it, or not, when its loop ended.
    bool give_back_upgrade() { return unlock(is_exclusive_ ? exclusive : upgradeable); }

    void add_to(std::string& key) const;

private:
    int readers_ = 0;
    bool is_upgradeable_ = false;
    bool is_exclusive_ = false;
    std::vector<std::size_t> holders_;
};

/// Waits that end in the order in which they were queued.
class WaitsInOrder {
public:
    struct End {
        std::size_t wait;
        ChannelResult result = ChannelResult::ok;
        int item = 0;
        std::size_t place = 0;  ///< of the item, among all that were sent
    };

    /// Whether it was ended by another, or at once.
    bool has_ended(std::size_t wait) const;

    /// How it was ended, which is asked once.
    std::optional<End> end_of(std::size_t wait);

    /// Returns false unless the wait is queued.
    bool leave(std::size_t wait);

    void add_to(std::string& key) const;

protected:
    struct Waiter {
        std::size_t wait;
        int item = 0;
    };

    std::vector<Waiter> queue_;
    std::vector<End> ends_;
};

/// An Event, which releases all that wait and stays set; or an AutoResetEvent, which releases the first that waits, and is
/// unset then; or a Latch, which is an Event that is set at the count of zero.
class SignalSpecification : public WaitsInOrder {
public:
    explicit SignalSpecification(bool is_auto_reset = false, int count = 0)
        : is_auto_reset_(is_auto_reset), count_(count) {}

    void wait(std::size_t wait);
    bool try_wait();
    void set();
    void reset() { is_set_ = false; }

    /// Requires  that makes no less than zero
    void count_down(int n);

    /// What a wait had got that did not live to know it is set anew.
    void give_back(std::size_t wait);

    void add_to(std::string& key) const;

private:
    bool is_auto_reset_;
    int count_;  // of a latch
    bool is_set_ = false;
};

/// Items leave in the order in which they were sent; senders wait in order, and receivers do. They never wait both.
class ChannelSpecification : public WaitsInOrder {
public:
    explicit ChannelSpecification(int capacity = 0) : capacity_(static_cast<std::size_t>(capacity)) {}

    void send(std::size_t wait, int item);
    void receive(std::size_t wait);
    ChannelResult try_send(int item);
    End try_receive();
    void close();

    /// An item that was received by a wait that did not live to know it goes to the next receiver, or to its old place.
    void give_back(std::size_t wait);

    void add_to(std::string& key) const;

private:
    struct Item {
        int value;
        std::size_t place;
    };

    void give_to_first(const Item& item);

    std::size_t capacity_;
    bool is_closed_ = false;
    bool are_senders_ = false;    // those that are queued
    std::size_t sent_ = 0;        // items
    std::vector<Item> buffer_;    // not more than the capacity
    std::vector<Item> returned_;  // sent before all that are in the buffer, by their places
};

/// The primitive that a program is about.
struct FamilySpecification {
    explicit FamilySpecification(const Subject& subject = {})
        : semaphore(subject.type == Subject::Type::semaphore ? subject.amount : 0),
          signal(subject.type == Subject::Type::auto_reset_event,
                 subject.type == Subject::Type::latch ? subject.amount : 0),
          channel(subject.type == Subject::Type::channel ? subject.amount : 0) {}

    void add_to(std::string& key) const;

    SemaphoreSpecification semaphore;
    SharedLockSpecification shared_lock;
    SignalSpecification signal;
    ChannelSpecification channel;
};

}  // namespace futon::test
