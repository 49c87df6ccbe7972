// SPDX-License-Identifier: MIT
#include "family_calls.hpp"

namespace futon::test {

Answer answer_to(const SendResult<>& result) {
    return {result.result(), 0};
}

Answer answer_to(const Received<int>& result) {
    return {result.result(), result ? *result : 0};
}

namespace {

bool try_lock_in(int mode) {
    SharedLock& lock = Stage::shared_lock();
    return mode == shared        ? lock.try_lock_shared()
           : mode == upgradeable ? lock.try_lock_upgradeable()
                                 : lock.try_lock();
}

void unlock_from(int mode) {
    SharedLock& lock = Stage::shared_lock();
    mode == shared ? lock.unlock_shared() : mode == upgradeable ? lock.unlock_upgradeable() : lock.unlock();
}

void downgrade(int from, int to) {
    SharedLock& lock = Stage::shared_lock();
    from == upgradeable ? lock.downgrade_upgradeable()
    : to == shared      ? lock.downgrade()
                        : lock.downgrade_to_upgradeable();
}

bool try_wait_signal(Subject::Type type) {
    return type == Subject::Type::event   ? Stage::event().try_wait()
           : type == Subject::Type::latch ? Stage::latch().try_wait()
                                          : Stage::auto_reset_event().try_wait();
}

WaitResult lock_in(int mode, const Limits& limits) {
    SharedLock& lock = Stage::shared_lock();
    return mode == shared        ? lock.lock_shared(limits)
           : mode == upgradeable ? lock.lock_upgradeable(limits)
                                 : lock.lock(limits);
}

}  // namespace

Answer call_at_once(Subject::Type type, const Call& call) {
    const bool is_event = type == Subject::Type::event;
    const auto count = static_cast<std::uint32_t>(call.operand);
    switch (call.kind) {
        case Kind::try_acquire:
            return std::int64_t{Stage::semaphore().try_acquire(count)};
        case Kind::release:
            Stage::semaphore().release(count);
            break;
        case Kind::try_wait_signal:
            return std::int64_t{try_wait_signal(type)};
        case Kind::count_down:
            Stage::latch().count_down(static_cast<std::uint32_t>(call.operand));
            break;
        case Kind::try_lock_in:
            return std::int64_t{try_lock_in(call.operand)};
        case Kind::try_upgrade:
            return std::int64_t{Stage::shared_lock().try_upgrade()};
        case Kind::unlock_from:
            unlock_from(call.operand);
            break;
        case Kind::downgrade:
            downgrade(call.operand, call.desired);
            break;
        case Kind::set:
            is_event ? Stage::event().set() : Stage::auto_reset_event().set();
            break;
        case Kind::reset:
            is_event ? Stage::event().reset() : Stage::auto_reset_event().reset();
            break;
        case Kind::try_send:
            return answer_to(Stage::channel().try_send(call.operand));
        case Kind::try_receive:
            return answer_to(Stage::channel().try_receive());
        default:
            Stage::channel().close();
            break;
    }
    return std::int64_t{0};
}

Answer block_for_subject(const Stage& stage, const Call& call, Deadline deadline) {
    const Limits limits(deadline, stage.token(call));
    switch (call.kind) {
        case Kind::acquire:
            return Stage::semaphore().acquire(static_cast<std::uint32_t>(call.operand), limits);
        case Kind::send:
            return answer_to(Stage::channel().send(call.operand, limits));
        case Kind::receive:
            return answer_to(Stage::channel().receive(limits));
        case Kind::lock_in:
            return lock_in(call.operand, limits);
        case Kind::upgrade:
            return Stage::shared_lock().upgrade(limits);
        default:
            if (stage.type() == Subject::Type::latch) return Stage::latch().wait(limits);
            return stage.type() == Subject::Type::event ? Stage::event().wait(limits)
                                                        : Stage::auto_reset_event().wait(limits);
    }
}

}  // namespace futon::test
