// The same package written otherwise: what a call is given goes through a box first (a dictionary, a list, a closure, a
// queue ...); a document in other Markdown; scripts in another folder. What it does and says stays; a scanner that
// loses a sample by it has learned a shape, not a behaviour.
//
//   for (const Rewriting& how : Rewritings()) scan(Apply(sample, how).view);
//
// Works on tokens, not on a syntax tree: it must not share the scanner's own reading of the language. Places that the
// tokens leave in doubt are left as they are. Pure; thread safe; total on any bytes.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "interlock/eval/scanner/sample.h"

namespace interlock::eval::scanner {

enum class SourceLanguage : std::uint8_t { kNone, kPython, kJavaScript, kMarkdown, kFolder };
// By the ending of the file's name. TypeScript is JavaScript here. No file is of kFolder.
[[nodiscard]] SourceLanguage LanguageOf(std::string_view path) noexcept;

struct Rewriting {
  std::string_view id;  // "py-dictionary", "js-closure"
  SourceLanguage language = SourceLanguage::kNone;
  // Statements put before the one that holds the call, a line each, and what stands in the argument's place. "$n" is a
  // number of its own, "$a" the argument. kMarkdown: both are empty. kFolder: `use` is where `scripts/` goes.
  std::string_view before;
  std::string_view use;
};
[[nodiscard]] std::span<const Rewriting> Rewritings() noexcept;

// Every argument of every call that can be boxed, or the document in its other Markdown. `places`: how many were; not
// for kFolder, which is of whole samples.
[[nodiscard]] std::string Rewrite(std::string_view source, const Rewriting& how, std::uint32_t& places);
// All files of that language, or the folder; archives and others stay. `places` 0: nothing was there to rewrite.
[[nodiscard]] ScanSample Apply(const ScanSample& sample, const Rewriting& how, std::uint32_t& places);

}  // namespace interlock::eval::scanner
