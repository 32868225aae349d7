// Common words of other languages and the English word that is closest: what is known of English words then counts for
// an order in German, French, Spanish, Italian, Portuguese, Dutch, Russian, Chinese or Japanese too. A dictionary, not
// a translator: no grammar, one meaning a word, words that are English as well stay out
// (data/glossary.json).
//
//   const Glossary& glossary = Glossary::Default();
//   glossary.Of(words);                  // "mot", "de", "passe", ... -> {"password", 3}
//   glossary.Within("请更新密码", ...);  // please, update, password
//
// Immutable once built; thread safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "interlock/base/result.h"

namespace interlock::injection {

struct Tokens;

struct Gloss {
  std::string_view english;  // empty: not listed; lives as long as the glossary
  std::size_t words = 0;     // how many of the words it stands for
};

class Glossary {
 public:
  // kInvalidArgument and every JSON error: the file has to be a glossary of version 1.
  [[nodiscard]] static base::Result<std::shared_ptr<const Glossary>> Parse(std::string_view json);
  [[nodiscard]] static const Glossary& Default();  // the embedded one
  ~Glossary();

  // The longest phrase that `words` (lower case) begins with. An elided article is looked past: "l'utilisateur".
  [[nodiscard]] Gloss Of(std::span<const std::string> words) const;
  // Scripts that set no blanks between words: what stands at the start of `run`; `words` is then a count of bytes. The
  // longest listed word, empty when none starts here.
  [[nodiscard]] Gloss AtStartOf(std::string_view run) const;

  // Private to the module: gives each token its sense.
  void Apply(std::string_view folded, Tokens& tokens) const;

 private:
  Glossary();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace interlock::injection
