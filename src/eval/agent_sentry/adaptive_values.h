// Made-up values in the format of given ones, and the word lists of the adaptive attacker; private to the module.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"
#include "splice_text.h"

namespace interlock::eval {

struct AdaptiveWords {
  std::vector<std::string> retrieval_prefixes;
  std::map<std::string, std::vector<std::string>, std::less<>> critical;  // argument -> what records call it
  std::vector<std::string> first_names;
  std::vector<std::string> last_names;
  std::vector<std::string> words;
  std::vector<std::string> hosts;
  std::vector<std::string> top_levels;
};
// kImportShape and every JSON error.
[[nodiscard]] base::Result<AdaptiveWords> ParseAdaptiveWords(std::string_view json);
[[nodiscard]] const AdaptiveWords& EmbeddedAdaptiveWords();

// Another value of the same format: e-mail, URL, IBAN (with valid check digits), file name, digits, channel, names of
// as many words. Never `value` itself; plain ASCII without quotes.
[[nodiscard]] std::string LikeValue(std::string_view value, const AdaptiveWords& words, Dice& dice);

// Finds `value` in `text` where no letter or digit touches it; npos when it is not there.
[[nodiscard]] std::size_t FindValue(std::string_view text, std::string_view value, std::size_t from = 0);

}  // namespace interlock::eval
