#include "stress_data.h"

#include "../import_common.h"
#include "interlock/base/check.h"
#include "interlock/base/json.h"

namespace interlock::embedded {
std::string_view Find_eval_data(std::string_view file);
}

namespace interlock::eval {

using base::JsonDoc;
using base::JsonValue;
using base::Result;
using base::Status;

namespace {

Status Strings(JsonValue array, std::vector<std::string>& out, bool may_be_empty = false) {
  if (!array.is_array() || array.size() == 0) return ShapeError(array, "a word list is missing or empty");
  for (const JsonValue entry : array) {
    if (!entry.is_string() || (entry.string().empty() && !may_be_empty)) return ShapeError(entry, "not a word");
    out.emplace_back(entry.string());
  }
  return {};
}

}  // namespace

Result<StressWords> ParseStressWords(std::string_view json) {
  const Result<JsonDoc> doc = ParseRecord(json);
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  if (root.Find("schema").string() != "interlock.stress-words/v1") return ShapeError(root, "not a stress word list");
  StressWords words;
  const JsonValue translations = root.Find("translations");
  for (auto it = translations.begin(); it != translations.end(); ++it) {
    std::vector<std::string> forms;
    if (Status status = Strings(*it, forms, true); !status.ok()) return status.error();
    if (forms.size() != kStressLanguages) return ShapeError(*it, "a translation has one form a language");
    auto& entry = words.translations[std::string(it.key())];
    std::move(forms.begin(), forms.end(), entry.begin());
  }
  const JsonValue synonyms = root.Find("synonyms");
  for (auto it = synonyms.begin(); it != synonyms.end(); ++it) {
    if (Status status = Strings(*it, words.synonyms[std::string(it.key())]); !status.ok()) return status.error();
  }
  const JsonValue homoglyphs = root.Find("homoglyphs");
  for (auto it = homoglyphs.begin(); it != homoglyphs.end(); ++it) {
    if (it.key().size() != 1 || (*it).string().empty()) return ShapeError(*it, "not a look-alike of one letter");
    words.homoglyphs.emplace_back(it.key()[0], std::string((*it).string()));
  }
  if (translations.size() == 0 || synonyms.size() == 0 || homoglyphs.size() == 0) {
    return ShapeError(root, "a word list is missing or empty");
  }
  const JsonValue labels = root.Find("labels");
  const std::pair<JsonValue, std::vector<std::string>*> lists[] = {
      {root.Find("verbs"), &words.verbs},
      {root.Find("frames"), &words.frames},
      {root.Find("politeness"), &words.politeness},
      {root.Find("padding"), &words.padding},
      {labels.Find("base64"), &words.base64_labels},
      {labels.Find("hex"), &words.hex_labels},
      {labels.Find("url"), &words.url_labels},
      {labels.Find("html"), &words.html_labels},
      {root.Find("fields"), &words.fields},
      {root.Find("split_fields"), &words.split_fields},
      {root.Find("mail").Find("from"), &words.mail_from},
      {root.Find("mail").Find("subjects"), &words.mail_subjects},
      {root.Find("invisible"), &words.invisible},
  };
  for (const auto& [value, list] : lists) {
    if (Status status = Strings(value, *list, true); !status.ok()) return status.error();
  }
  for (const std::string& frame : words.frames) {
    if (frame.find("{}") == std::string::npos) return ShapeError(root.Find("frames"), "a frame without {}");
  }
  return words;
}

const StressWords& EmbeddedStressWords() {
  static const StressWords kWords = [] {
    Result<StressWords> words = ParseStressWords(embedded::Find_eval_data("stress_words.json"));
    INTERLOCK_CHECK(words.ok(), "an embedded data file is broken: its test would fail");
    return std::move(words.value());
  }();
  return kWords;
}

}  // namespace interlock::eval
