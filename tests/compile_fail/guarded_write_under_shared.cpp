#include <futon/futon.hpp>

futon::SharedLock lock;
long value __attribute__((guarded_by(lock))) = 0;

void write() {
    lock.lock_shared();
    ++value;
    lock.unlock_shared();
}
