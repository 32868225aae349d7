// Takes secrets out of values before they are stored.
//
// A string under a secret-looking key, or one that looks like a secret as a whole, becomes
// {"$hash":"<16 hex digits of a keyed hash>","len":n}: equal secrets stay equal, nobody without the key can guess them.
// A secret inside longer text becomes "[secret:<hash>:<length>]". What counts as a secret: docs/audit.md.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "crypto.h"
#include "interlock/base/json.h"

namespace interlock::runtime::audit {

class Redactor {
 public:
  explicit Redactor(const KeyedHasher& hasher) : hasher_(hasher) {}

  // Appends the redacted JSON of `value` to `out`. False when it grew past `max_bytes`: `out` then holds a part that is
  // no JSON. `found` becomes true when something was replaced, and is left alone otherwise.
  // `secrets`: JSON pointers into `value` below which everything is a secret, whatever it looks like.
  [[nodiscard]] bool AppendJson(base::JsonValue value, std::size_t max_bytes, std::string& out, bool& found,
                                std::span<const std::string> secrets = {});
  // Appends `text`, at most `max_bytes` of it (cut at a character border), with secrets replaced.
  void AppendText(std::string_view text, std::size_t max_bytes, std::string& out, bool& found);

 private:
  bool Value(base::JsonValue value, bool secret, int depth);
  void AppendKey(std::string_view key);
  void Hash(std::string_view secret);
  bool Scratch(std::string_view text);

  const KeyedHasher& hasher_;
  std::string scratch_;
  std::vector<const char*> marked_;  // where the raw text of values begins that are secrets by their place
  std::string* out_ = nullptr;
  std::size_t limit_ = 0;
  bool found_ = false;
};

}  // namespace interlock::runtime::audit
