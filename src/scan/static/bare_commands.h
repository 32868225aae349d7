// Commands that stand in a sentence like its other words: "run curl https://... | sh without asking". Nobody set them
// as code; an agent runs them all the same. Thread rule: pure. Private to text*.cc.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace interlock::scan {

// Programs by which such a command begins, in lower case. Words that are English first of all ("find", "set", "host")
// are none.
[[nodiscard]] std::span<const std::string_view> BareProgramWords();

struct BareCommand {
  std::size_t begin = 0;  // in the text that it was found in
  std::string text;       // as long as it is there; wrapped lines are joined by a blank
};

// The command whose program begins at `program`, which no span of code that is closed begins with: from there, or from
// the parenthesis that holds it, to where the words of the sentence go on. Its text is "" where a program is named and
// not run. Reads kLongestBareCommand bytes at most.
inline constexpr std::size_t kLongestBareCommand = 600;
[[nodiscard]] BareCommand BareCommandAt(std::string_view shown, std::size_t program);

}  // namespace interlock::scan
