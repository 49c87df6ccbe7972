// SPDX-License-Identifier: MIT
#include <futon/typed_array.hpp>

#include <stdexcept>
#include <string>

namespace futon::detail {

namespace {

void check_offset(std::size_t byte_length, std::size_t byte_offset, std::size_t element_size) {
    if (byte_offset % element_size != 0)
        throw std::out_of_range("futon: byte offset " + std::to_string(byte_offset) + " is no multiple of " +
                                std::to_string(element_size));
    if (byte_offset > byte_length)
        throw std::out_of_range("futon: byte offset " + std::to_string(byte_offset) + " is outside of " +
                                std::to_string(byte_length) + " bytes");
}

}  // namespace

std::size_t view_length(std::size_t byte_length, std::size_t byte_offset, std::size_t element_size) {
    check_offset(byte_length, byte_offset, element_size);
    return (byte_length - byte_offset) / element_size;
}

void check_view(std::size_t byte_length, std::size_t byte_offset, std::size_t length, std::size_t element_size) {
    if (length > view_length(byte_length, byte_offset, element_size))
        throw std::out_of_range("futon: " + std::to_string(length) + " elements of " + std::to_string(element_size) +
                                " bytes at byte offset " + std::to_string(byte_offset) + " end outside of " +
                                std::to_string(byte_length) + " bytes");
}

void throw_index_out_of_range(std::size_t index, std::size_t length) {
    throw std::out_of_range("futon::TypedArray::at: index " + std::to_string(index) + " with length " +
                            std::to_string(length));
}

}  // namespace futon::detail
