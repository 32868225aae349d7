#include "interlock/base/error.h"

#include <array>

#include "interlock/base/check.h"

namespace interlock::base {
namespace {

constexpr auto kTable = std::to_array<ErrorInfo>({
#define INTERLOCK_ERROR(name, id, title, help) {ErrorCode::name, id, title, help},
#include "interlock/base/error_table.inc"
#undef INTERLOCK_ERROR
});

}  // namespace

const ErrorInfo& InfoOf(ErrorCode code) noexcept {
  // Enumerators and rows come from the same list, so a code is the index of its row.
  const auto index = static_cast<std::size_t>(code);
  INTERLOCK_CHECK(index < kTable.size(), "every error code has a row");
  return kTable[index];
}

std::span<const ErrorInfo> AllErrors() noexcept { return kTable; }

Error Error::Under(std::string_view context) const {
  std::string message(context);
  if (!message_.empty()) {
    if (!message.empty()) message += ": ";
    message += message_;
  }
  return Error(code_, std::move(message), place_);
}

std::string Error::ToString() const {
  std::string out;
  const auto part = [&out](std::string_view text) { out.append(text).push_back(':'); };
  if (!place_.file.empty()) part(place_.file);
  if (place_.line != 0) part(std::to_string(place_.line));
  if (place_.line != 0 && place_.column != 0) part(std::to_string(place_.column));
  if (!out.empty()) out.push_back(' ');
  const ErrorInfo& info = InfoOf(code_);
  out.append(info.id).append(" ").append(info.title);
  if (!message_.empty()) out.append(": ").append(message_);
  return out;
}

}  // namespace interlock::base
