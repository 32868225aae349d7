// Collects what is wrong with a document, each with a place, so that an author sees everything at once.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/policy/load.h"
#include "yaml_tree.h"

namespace interlock::policy {

class Diagnostics {
 public:
  static constexpr std::size_t kMaxKept = 200;  // the rest is counted only: a broken file must not flood a terminal

  Diagnostics(std::string_view file, std::string_view text) : file_(file), text_(text) {}

  void Error(base::ErrorCode code, const YamlNode& at, std::string message) {
    Add(Severity::kError, code, at.line, at.column, std::move(message));
  }
  void Warning(base::ErrorCode code, const YamlNode& at, std::string message) {
    Add(Severity::kWarning, code, at.line, at.column, std::move(message));
  }
  void Error(const base::Error& error);

  [[nodiscard]] bool has_errors() const noexcept { return errors_ > 0; }
  [[nodiscard]] std::size_t error_count() const noexcept { return errors_; }
  // By place, errors before warnings of the same place.
  [[nodiscard]] std::vector<Diagnostic> Take();

 private:
  void Add(Severity severity, base::ErrorCode code, std::uint32_t line, std::uint32_t column, std::string message);
  std::string_view file_;
  std::string_view text_;
  std::vector<Diagnostic> kept_;
  std::size_t errors_ = 0;
};

// The line `line` of `text` with a caret under `column`, made printable and cut around the caret.
[[nodiscard]] std::string Snippet(std::string_view text, std::uint32_t line, std::uint32_t column);

// " (did you mean `x`?)" when one of `known` is close to `word`, else "".
[[nodiscard]] std::string DidYouMean(std::string_view word, std::span<const std::string_view> known);

// `text` in backticks, printable and short.
[[nodiscard]] std::string Quote(std::string_view text);

}  // namespace interlock::policy
