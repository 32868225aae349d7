// Takes secrets out of values before they are stored.
//
// A string under a secret-looking key, or one that looks like a secret as a whole, becomes
// {"$hash":"<16 hex digits of a keyed hash>","len":n}: equal secrets stay equal, nobody without the key can guess them.
// A secret inside longer text becomes "[secret:<hash>:<length>]". What counts as a secret: docs/audit.md.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "crypto.h"
#include "interlock/base/json.h"

namespace interlock::runtime::audit {

// "password", "apiKey", "X-Auth-Token", "client_secret": a word of the name says so.
[[nodiscard]] bool IsSecretName(std::string_view name) noexcept;

// A secret found in text: [begin, end) is to be replaced.
struct SecretSpan {
  std::size_t begin = 0;
  std::size_t end = 0;
};
// Finds secrets in a text, first to last, without overlaps. Linear in the text.
class SecretFinder {
 public:
  explicit SecretFinder(std::string_view text) noexcept : text_(text) {}
  // The next one; an empty span at the end of the text when there is none left.
  [[nodiscard]] SecretSpan Next() noexcept;

 private:
  // Two ways to know one, each with its own place in the text: by what stands before it ("password=", "://"), and by
  // its own looks (a long run of token characters).
  void SeekSign() noexcept;
  void SeekRun() noexcept;

  std::string_view text_;
  std::size_t sign_at_ = 0;
  std::size_t run_at_ = 0;
  SecretSpan sign_;
  SecretSpan run_;
  bool has_sign_ = false;
  bool has_run_ = false;
};
[[nodiscard]] inline SecretSpan FindSecret(std::string_view text) noexcept { return SecretFinder(text).Next(); }

class Redactor {
 public:
  explicit Redactor(const KeyedHasher& hasher) : hasher_(hasher) {}

  // Appends the redacted JSON of `value` to `out`. False when it grew past `max_bytes`: `out` then holds a part that is
  // no JSON. `found` becomes true when something was replaced, and is left alone otherwise.
  [[nodiscard]] bool AppendJson(base::JsonValue value, std::size_t max_bytes, std::string& out, bool& found);
  // Appends `text`, at most `max_bytes` of it (cut at a character border), with secrets replaced.
  void AppendText(std::string_view text, std::size_t max_bytes, std::string& out, bool& found);

 private:
  bool Value(base::JsonValue value, bool secret, int depth);
  void AppendKey(std::string_view key);
  void Hash(std::string_view secret);
  bool Scratch(std::string_view text);

  const KeyedHasher& hasher_;
  std::string scratch_;
  std::string* out_ = nullptr;
  std::size_t limit_ = 0;
  bool found_ = false;
};

}  // namespace interlock::runtime::audit
