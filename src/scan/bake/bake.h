// What the build makes of the scanner's data, so that no start of the program reads it (static/baked.h). Engine room.
#pragma once

#include <string_view>

#include "interlock/base/result.h"
#include "rules_baked.h"
#include "static/baked.h"
#include "static/meaning_lexicon.h"
#include "static/meaning_model.h"

namespace interlock::scan {

// Of rules/scan. kRuleFormat, kRulePattern.
[[nodiscard]] base::Result<BakedRules> RulesFromJson();
// Of meaning/: wrong data is a bug, and stops the build.
[[nodiscard]] MeaningLexicon LexiconFromJson(std::string_view json);
[[nodiscard]] MeaningModel ModelFromJson(const MeaningLexicon& lexicon, std::string_view frames,
                                         std::string_view weights);
void BakeWords(std::string_view text, BakedWriter& out);
// Of rules/scan/names: a name a line, the most popular first.
void BakeNames(std::string_view text, BakedWriter& out);

}  // namespace interlock::scan
