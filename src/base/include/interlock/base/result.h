// A value or an Error. Reading the value of a temporary does not compile: name the result and check it.
//
//   Result<Policy> policy = Load(bytes);
//   if (!policy.ok()) return policy.error();
//   Use(policy.value());
//
// `value()` on a failed result and `error()` on a good one are bugs and end the process.
#pragma once

#include <type_traits>
#include <utility>
#include <variant>

#include "interlock/base/check.h"
#include "interlock/base/error.h"

namespace interlock::base {

template <class T>
class [[nodiscard]] Result {
  static_assert(!std::is_reference_v<T> && !std::is_pointer_v<T>, "return a value or an owner");

 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}      // NOLINT(google-explicit-constructor)
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)

  [[nodiscard]] bool ok() const noexcept { return state_.index() == 0; }

  [[nodiscard]] T& value() & {
    INTERLOCK_CHECK(ok(), "result was checked before its value is read");
    return *std::get_if<0>(&state_);
  }
  [[nodiscard]] const T& value() const& {
    INTERLOCK_CHECK(ok(), "result was checked before its value is read");
    return *std::get_if<0>(&state_);
  }
  T value() && = delete;
  [[nodiscard]] const Error& error() const& {
    INTERLOCK_CHECK(!ok(), "result was checked before its error is read");
    return *std::get_if<1>(&state_);
  }

 private:
  std::variant<T, Error> state_;
};

// Success without a value.
class [[nodiscard]] Status {
 public:
  Status() = default;
  Status(Error error) : error_(std::in_place_index<1>, std::move(error)) {}  // NOLINT(google-explicit-constructor)
  [[nodiscard]] bool ok() const noexcept { return error_.index() == 0; }
  [[nodiscard]] const Error& error() const& {
    INTERLOCK_CHECK(!ok(), "status was checked before its error is read");
    return *std::get_if<1>(&error_);
  }

 private:
  std::variant<std::monostate, Error> error_;
};

}  // namespace interlock::base
