// SPDX-License-Identifier: MIT
#include <futon/futon.hpp>
#include <futon/qt.hpp>

void lock(QObject* receiver, futon::AsyncLock& lock) {
    futon::qt::call_back(lock.locking(), receiver, [](futon::WaitResult) {});
}
