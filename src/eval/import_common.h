// Shared by the importers; private to the module.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "interlock/base/json.h"
#include "interlock/base/result.h"

namespace interlock::eval {

// Below what the trace reader allows, since a trace nests arguments and annotations deeper than some records do.
inline constexpr std::uint32_t kMaxImportDepth = 100;
// A trace has at most 3.25 values for one of a record; together with argument texts (at least two bytes a value) that
// stays below the 4,000,000 values the trace reader takes.
inline constexpr std::uint32_t kMaxImportValues = 500'000;
inline constexpr std::size_t kMaxArgumentTextBytes = std::size_t{4} << 20;  // of all calls of a record
inline constexpr std::size_t kMaxImportCalls = 100'000;                     // and messages, likewise

[[nodiscard]] base::Result<base::JsonDoc> ParseRecord(std::string_view bytes);

// kImportShape at the value's place.
[[nodiscard]] base::Error ShapeError(base::JsonValue at, std::string message);

// A string member; "" where it is missing or null. kImportShape for any other type.
[[nodiscard]] base::Result<std::string_view> TextMember(base::JsonValue object, std::string_view key);

// Takes back what was appended to `out` unless it is kept.
class Appended {
 public:
  [[nodiscard]] explicit Appended(std::string& out) : out_(out), size_(out.size()) {}
  Appended(const Appended&) = delete;
  Appended& operator=(const Appended&) = delete;
  ~Appended() {
    if (!kept_) out_.resize(size_);
  }
  // kLimitExceeded, and nothing kept, when the line has become too long for the trace reader.
  [[nodiscard]] base::Status Keep();

 private:
  std::string& out_;
  std::size_t size_;
  bool kept_ = false;
};

}  // namespace interlock::eval
