// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include <futon_platform/shared_object.hpp>

#include "platform/fork.hpp"

namespace futon::platform {

/// The means by which copies of the library in one process find each other. Only platforms with a `shared_object` in
/// `src/sources.txt` have it.
///
/// The header also defines FUTON_PUBLISH(record), at file scope: other copies can find that static object, which has hidden
/// visibility and C linkage, and begins with a pointer to itself.
///
/// - `visit_published(visitor, context)` calls `visitor(context, record, name)` for each object of the process that has
///   published a record, in the order in which objects were loaded, the program first. `name` is the loader's name of the
///   object. `record` is null if it is not at the place that the object gives. The visitor loads no object.
/// - `keep_loaded(name)` keeps an object loaded until the process ends. Not for an object that another thread may be unloading.
/// - `say(parts)` writes one line to the standard error.
/// - `path_of(name)` is the path of an object's file, for `say`.
///
/// The `Fork` of such a platform also has `counter` and `follow`: all copies that share have one generation.
// clang-format off
template <class O>
concept SharedObjectContract = requires(typename O::Visitor visitor, void* context, const char* name,
                                        std::initializer_list<std::string_view> parts, const std::uint32_t& counter) {
    { O::visit_published(visitor, context) } noexcept;
    { O::keep_loaded(name) } noexcept;
    { O::path_of(name) } noexcept -> std::same_as<std::string_view>;
    { O::say(parts) } noexcept;
    { Fork::counter() } noexcept -> std::same_as<const std::uint32_t&>;
    { Fork::follow(counter) } noexcept;
};
// clang-format on

static_assert(SharedObjectContract<SharedObject>);

}  // namespace futon::platform
