// SPDX-License-Identifier: MIT
#include "family_specification.hpp"

#include <algorithm>

namespace futon::test {

namespace {

void add(std::string& key, std::size_t number) {
    key += static_cast<char>(number);
}

}  // namespace

bool SemaphoreSpecification::take(int count) {
    if (!has(count)) return false;
    permits_ -= count;
    return true;
}

bool SemaphoreSpecification::take_for(std::size_t wait, int count) {
    if (!take(count)) return false;
    holders_.push_back(wait);
    return true;
}

void SemaphoreSpecification::give_back(std::size_t wait, int count) {
    if (std::erase(holders_, wait) != 0) release(count);
}

void SemaphoreSpecification::add_to(std::string& key) const {
    add(key, static_cast<std::size_t>(permits_));
    add(key, holders_.size());
    for (const std::size_t holder : holders_) add(key, holder);
}

bool SharedLockSpecification::is_open(int mode) const {
    if (is_exclusive_) return false;
    if (mode == exclusive) return readers_ == 0 && !is_upgradeable_;
    return mode == shared || !is_upgradeable_;
}

bool SharedLockSpecification::lock(int mode) {
    if (!is_open(mode)) return false;
    readers_ += mode == shared;
    is_upgradeable_ = is_upgradeable_ || mode == upgradeable;
    is_exclusive_ = mode == exclusive;
    return true;
}

bool SharedLockSpecification::unlock(int mode) {
    const bool is_held = mode == shared ? readers_ != 0 : mode == upgradeable ? is_upgradeable_ : is_exclusive_;
    if (!is_held) return false;
    readers_ -= mode == shared;
    if (mode == upgradeable) is_upgradeable_ = false;
    if (mode == exclusive) is_exclusive_ = false;
    return true;
}

bool SharedLockSpecification::upgrade() {
    return readers_ == 0 && unlock(upgradeable) && lock(exclusive);
}

bool SharedLockSpecification::lock_for(std::size_t wait, int mode) {
    if (!lock(mode)) return false;
    holders_.push_back(wait);
    return true;
}

void SharedLockSpecification::give_back(std::size_t wait, int mode) {
    if (std::erase(holders_, wait) != 0) unlock(mode);
}

void SharedLockSpecification::add_to(std::string& key) const {
    add(key, static_cast<std::size_t>(readers_));
    add(key, is_upgradeable_);
    add(key, is_exclusive_);
    add(key, holders_.size());
    for (const std::size_t holder : holders_) add(key, holder);
}

bool WaitsInOrder::has_ended(std::size_t wait) const {
    return std::ranges::find(ends_, wait, &End::wait) != ends_.end();
}

std::optional<WaitsInOrder::End> WaitsInOrder::end_of(std::size_t wait) {
    const auto here = std::ranges::find(ends_, wait, &End::wait);
    if (here == ends_.end()) return std::nullopt;
    const End end = *here;
    ends_.erase(here);
    return end;
}

bool WaitsInOrder::leave(std::size_t wait) {
    return std::erase_if(queue_, [&](const Waiter& waiter) { return waiter.wait == wait; }) == 1;
}

void WaitsInOrder::add_to(std::string& key) const {
    add(key, queue_.size());
    for (const Waiter& waiter : queue_) add(key, waiter.wait);
    add(key, ends_.size());
    for (const End& end : ends_) {
        add(key, end.wait);
        add(key, static_cast<std::size_t>(end.result));
        add(key, static_cast<std::size_t>(end.item));
        add(key, end.place);
    }
}

void SignalSpecification::wait(std::size_t wait) {
    if (try_wait()) {
        ends_.push_back({wait});
    } else {
        queue_.push_back({wait});
    }
}

bool SignalSpecification::try_wait() {
    const bool was_set = is_set_;
    if (is_auto_reset_) is_set_ = false;
    return was_set;
}

void SignalSpecification::set() {
    if (is_auto_reset_ && !queue_.empty()) {
        ends_.push_back({queue_.front().wait});
        queue_.erase(queue_.begin());
        return;
    }
    for (const Waiter& waiter : queue_) ends_.push_back({waiter.wait});
    queue_.clear();
    is_set_ = true;
}

void SignalSpecification::count_down(int n) {
    count_ -= n;
    if (count_ == 0) set();
}

void SignalSpecification::give_back(std::size_t wait) {
    if (end_of(wait)) {
        if (is_auto_reset_) set();
    } else {
        leave(wait);
    }
}

void SignalSpecification::add_to(std::string& key) const {
    WaitsInOrder::add_to(key);
    add(key, is_set_);
    add(key, static_cast<std::size_t>(count_));
}

void ChannelSpecification::give_to_first(const Item& item) {
    ends_.push_back({queue_.front().wait, ChannelResult::ok, item.value, item.place});
    queue_.erase(queue_.begin());
}

ChannelResult ChannelSpecification::try_send(int item) {
    if (is_closed_) return ChannelResult::closed;
    const bool is_received = !queue_.empty() && !are_senders_;
    if (!is_received && buffer_.size() == capacity_) return ChannelResult::would_block;
    const Item sent{item, sent_++};
    if (is_received) {
        give_to_first(sent);
    } else {
        buffer_.push_back(sent);
    }
    return ChannelResult::ok;
}

WaitsInOrder::End ChannelSpecification::try_receive() {
    const auto leaves = [](std::vector<Item>& items) {
        const Item item = items.front();
        items.erase(items.begin());
        return End{0, ChannelResult::ok, item.value, item.place};
    };
    if (!returned_.empty()) return leaves(returned_);
    if (!queue_.empty() && are_senders_) {
        buffer_.push_back({queue_.front().item, sent_++});
        ends_.push_back({queue_.front().wait});
        queue_.erase(queue_.begin());
    }
    if (!buffer_.empty()) return leaves(buffer_);
    return {0, is_closed_ ? ChannelResult::closed : ChannelResult::would_block};
}

void ChannelSpecification::send(std::size_t wait, int item) {
    const ChannelResult result = try_send(item);
    if (result == ChannelResult::would_block) {
        queue_.push_back({wait, item});
        are_senders_ = true;
    } else {
        ends_.push_back({wait, result});
    }
}

void ChannelSpecification::receive(std::size_t wait) {
    End end = try_receive();
    end.wait = wait;
    if (end.result == ChannelResult::would_block) {
        queue_.push_back({wait});
        are_senders_ = false;
    } else {
        ends_.push_back(end);
    }
}

void ChannelSpecification::close() {
    is_closed_ = true;
    for (const Waiter& waiter : queue_) ends_.push_back({waiter.wait, ChannelResult::closed});
    queue_.clear();
}

void ChannelSpecification::give_back(std::size_t wait) {
    const std::optional<End> end = end_of(wait);
    if (!end) {
        leave(wait);
        return;
    }
    if (end->item == 0) return;  // a send, or one that was told that the channel is closed
    const Item item{end->item, end->place};
    if (!queue_.empty() && !are_senders_) {
        give_to_first(item);
    } else {
        returned_.insert(std::ranges::lower_bound(returned_, item.place, {}, &Item::place), item);
    }
}

void ChannelSpecification::add_to(std::string& key) const {
    WaitsInOrder::add_to(key);
    add(key, is_closed_);
    add(key, are_senders_);
    add(key, sent_);
    for (const auto* items : {&buffer_, &returned_}) {
        add(key, items->size());
        for (const Item& item : *items) {
            add(key, static_cast<std::size_t>(item.value));
            add(key, item.place);
        }
    }
}

void FamilySpecification::add_to(std::string& key) const {
    semaphore.add_to(key);
    shared_lock.add_to(key);
    signal.add_to(key);
    channel.add_to(key);
}

}  // namespace futon::test
