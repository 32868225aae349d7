// What the build made of the scanner's own data (bake/), each read from there when it is first asked for.
#include <string_view>

#include "code/catalogue.h"
#include "interlock/base/digest.h"
#include "interlock/scan/scanner.h"
#include "static/baked.h"
#include "static/listed_words.h"
#include "static/meaning_lexicon.h"
#include "static/meaning_model.h"
#include "static/word_model.h"

namespace interlock::embedded {
std::string_view Find_scan_baked(std::string_view file);  // generated: cmake/Embed.cmake, bake/
}  // namespace interlock::embedded

namespace interlock::scan {
namespace {

template <class T>
T Baked(std::string_view file) {
  return ReadBaked<T>(embedded::Find_scan_baked(file));
}

}  // namespace

const MeaningLexicon& MeaningLexicon::Get() {
  static const auto lexicon = Baked<MeaningLexicon>("lexicon.baked");
  return lexicon;
}

const Symbols& Symbols::Get() {
  static const Symbols symbols(MeaningLexicon::Get());
  return symbols;
}

const MeaningModel& MeaningModel::Get() {
  static const auto model = Baked<MeaningModel>("model.baked");
  return model;
}

const WordModel& WordModel::Get() {
  static const auto model = Baked<WordModel>("words.baked");
  return model;
}

const code::Catalogue& code::Catalogue::For(Language language) {
  switch (language) {
    case Language::kPython: {
      static const auto python = Baked<Catalogue>("python.baked");
      return python;
    }
    case Language::kGo: {
      static const auto go = Baked<Catalogue>("go.baked");
      return go;
    }
    case Language::kRust: {
      static const auto rust = Baked<Catalogue>("rust.baked");
      return rust;
    }
    case Language::kJavaScript:
    case Language::kTypeScript:
      break;
  }
  static const auto javascript = Baked<Catalogue>("javascript.baked");
  return javascript;
}

void ReadWordLists() {
  (void)ListedWords::Get();
  (void)MeaningModel::Get();
  (void)WordModel::Get();
  (void)base::Sha256({});  // which sets its library up
}

}  // namespace interlock::scan
