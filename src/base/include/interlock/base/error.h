// Typed errors. One table (`error_table.inc`) holds every code: enumerator, stable id, title, help.
//
//   return Error(ErrorCode::kJsonDuplicateKey, "key `path` occurs twice", {.line = 3, .column = 8});
//
// Messages start lower case, end without a full stop, put user text in backticks and join causes with ": ".
// Tests assert codes and places, never prose. An error is not a verdict: only module `gate` turns one into a verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace interlock::base {

enum class ErrorCode : std::uint16_t {
#define INTERLOCK_ERROR(name, id, title, help) name,
#include "interlock/base/error_table.inc"
#undef INTERLOCK_ERROR
};

// One row of the table. `id` ("E0101") and the enumerator are stable once released.
struct ErrorInfo {
  ErrorCode code;
  std::string_view id;
  std::string_view title;
  std::string_view help;
};

// The row of `code`; every enumerator has one.
[[nodiscard]] const ErrorInfo& InfoOf(ErrorCode code) noexcept;
// All rows, in table order: docs are generated from it and a test walks it.
[[nodiscard]] std::span<const ErrorInfo> AllErrors() noexcept;

// Where in the input an error lies. Zero means "not known"; lines and columns count from 1, columns in bytes.
struct SourcePlace {
  std::string file = {};  // the initialiser lets designated ones skip it
  std::uint32_t line = 0;
  std::uint32_t column = 0;
  std::uint64_t offset = 0;
};

class [[nodiscard]] Error {
 public:
  explicit Error(ErrorCode code, std::string message = {}, SourcePlace place = {})
      : code_(code), message_(std::move(message)), place_(std::move(place)) {}

  [[nodiscard]] ErrorCode code() const noexcept { return code_; }
  [[nodiscard]] std::string_view id() const noexcept { return InfoOf(code_).id; }
  [[nodiscard]] const std::string& message() const noexcept { return message_; }
  [[nodiscard]] const SourcePlace& place() const noexcept { return place_; }

  // Same error with `context` in front: "context: message".
  [[nodiscard]] Error Under(std::string_view context) const;
  // "file:line:column: E0101 title: message"; parts that are not known are left out.
  [[nodiscard]] std::string ToString() const;

 private:
  ErrorCode code_;
  std::string message_;
  SourcePlace place_;
};

}  // namespace interlock::base
