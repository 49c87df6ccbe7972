#include <futon/futon.hpp>

futon::SharedLock lock;
long value __attribute__((guarded_by(lock))) = 0;

long read_and_write() {
    lock.lock_shared();
    const long seen = value;
    lock.unlock_shared();

    lock.lock_upgradeable();
    if (value == seen) {
        lock.upgrade();
        ++value;
        lock.downgrade();
    } else {
        lock.downgrade_upgradeable();
    }
    const long read = value;
    lock.unlock_shared();

    if (lock.try_lock()) {
        ++value;
        lock.unlock();
    }
    return read;
}
