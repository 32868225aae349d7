// Secrets in text: which names stand for one, and where in a text one stands. Used wherever text is stored (audit) or
// passed on (gate); linear, without allocation.
#pragma once

#include <cstddef>
#include <string_view>

namespace interlock::base {

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
  // What counts: everything that looks like one, or only what has a known form (token prefixes, keys, `password=`), for
  // text that somebody goes on to use and in which a digest is no secret.
  enum class Looks : unsigned char { kAll, kKnownForms };
  explicit SecretFinder(std::string_view text, Looks looks = Looks::kAll) noexcept : text_(text), looks_(looks) {}
  // The next one; an empty span at the end of the text when there is none left.
  [[nodiscard]] SecretSpan Next() noexcept;

 private:
  // Two ways to know one, each with its own place in the text: by what stands before it ("password=", "://"), and by
  // its own looks (a long run of token characters).
  void SeekSign() noexcept;
  void SeekRun() noexcept;

  std::string_view text_;
  Looks looks_;
  std::size_t sign_at_ = 0;
  std::size_t run_at_ = 0;
  SecretSpan sign_;
  SecretSpan run_;
  bool has_sign_ = false;
  bool has_run_ = false;
};
[[nodiscard]] inline SecretSpan FindSecret(std::string_view text) noexcept { return SecretFinder(text).Next(); }

}  // namespace interlock::base
