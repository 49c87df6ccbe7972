// SPDX-License-Identifier: MIT
//
// An Int32Array and a BigInt64Array on the same bytes: what is waited on is the address. A 4-byte and an 8-byte element
// that begin at one byte share a wait queue; each wait compares as many bytes as its own type has.
//
// Prints:
//     woken at byte 4: 0, at byte 0: 2, in order: 32 64
//     upper half changed: 4 bytes promise, 8 bytes not-equal

#include <cstddef>
#include <iostream>
#include <string>

#include <futon/futon.hpp>

int main() {
    futon::EventLoop loop;
    futon::SharedArrayBuffer buffer(8);
    futon::Int32Array narrow(buffer);   // bytes 0 to 3 and 4 to 7
    futon::BigInt64Array wide(buffer);  // bytes 0 to 7

    std::string order;
    futon::wait_async(narrow[0], 0).promise().then([&](futon::WaitResult) { order += " 32"; });
    futon::wait_async(wide[0], 0).promise().then([&](futon::WaitResult) { order += " 64"; });

    const std::size_t at_4 = futon::notify(narrow[1]);  // its bytes belong to wide[0] too, but the queue is another
    const std::size_t at_0 = futon::notify(wide[0]);
    loop.run();
    std::cout << "woken at byte 4: " << at_4 << ", at byte 0: " << at_0 << ", in order:" << order << '\n';

    narrow[1].store(1);
    const auto lower_half = futon::wait_async(narrow[0], 0);
    const auto whole = futon::wait_async(wide[0], 0);
    if (!lower_half.async() || whole.async()) return 1;
    std::cout << "upper half changed: 4 bytes promise, 8 bytes " << to_string(whole.value()) << '\n';

    return at_4 == 0 && at_0 == 2 && order == " 32 64" && whole.value() == futon::WaitResult::not_equal ? 0 : 1;
}
