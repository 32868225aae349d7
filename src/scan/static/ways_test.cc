// What a package runs by itself, and what it sends on: every place of testdata/ways/places.json (manifests, hooks,
// settings of editors and agents, build files, pipelines) with every command in it. Numbers, not names: tools/scan-ways
// lists what is missed.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <functional>
#include <initializer_list>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "interlock/base/json.h"
#include "interlock/scan/scanner.h"

namespace interlock::scan {
namespace {

using base::JsonValue;
using Replacements = std::map<char, std::string>;

std::string Replaced(std::string_view text, const Replacements& by) {
  std::string out;
  for (const char c : text) {
    const auto found = by.find(c);
    out += found == by.end() ? std::string(1, c) : found->second;
  }
  return out;
}

// Of a file of testdata/ways.
std::string TextOf(const std::string& name) {
  std::ifstream file(std::string(INTERLOCK_TESTDATA) + "/ways/" + name + ".json");
  std::ostringstream text;
  text << file.rdbuf();
  return std::move(text).str();
}

// A command as the file at hand spells it.
std::string Spelled(const std::string& how, const std::string& command) {
  const Replacements json{{'"', "\\\""}, {'\\', "\\\\"}};
  const Replacements yaml{{'\'', "''"}};
  if (how == "json") return Replaced(command, json);
  if (how == "json-twice") return Replaced(Replaced(command, json), json);
  if (how == "json-yaml") return Replaced(Replaced(command, json), yaml);
  if (how == "json-dollar") return Replaced(Replaced(command, json), {{'$', "\\$"}});
  if (how == "json-make") return Replaced(Replaced(command, json), {{'$', "$$"}});
  if (how == "make") return Replaced(command, {{'$', "$$"}});
  if (how == "quoted") return Replaced(command, {{'"', "\\\""}});
  if (how == "quoted-dollar") return Replaced(command, {{'"', "\\\""}, {'$', "\\$"}});
  if (how == "single") return Replaced(command, {{'\'', "\\'"}});
  if (how == "yaml") return Replaced(command, yaml);
  if (how == "xml") return Replaced(command, {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}});
  if (how == "xml-quoted") return Replaced(command, {{'&', "&amp;"}, {'"', "&quot;"}, {'>', "&gt;"}});
  if (how == "tick") return Replaced(command, {{'"', "`\""}, {'$', "`$"}});
  EXPECT_EQ(how, "raw");
  return command;
}

core::PackageView Package(JsonValue files, const std::string& command) {
  core::PackageView view;
  bool skill = false;
  for (auto it = files.begin(); it != files.end(); ++it) {
    std::string text((*it).string());
    for (std::size_t at = text.find("{{"); at != std::string::npos; at = text.find("{{", at + 1)) {
      const std::size_t end = text.find("}}", at);
      const std::string how = text.substr(at + 2, end - at - 2);
      if (end == std::string::npos || how.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") != std::string::npos)
        continue;
      text.replace(at, end + 2 - at, Spelled(how, command));
    }
    skill = skill || it.key() == "SKILL.md";
    view.files.push_back({.path = std::string(it.key()), .bytes = std::move(text)});
  }
  if (!skill) view.files.push_back({.path = "README.md", .bytes = "# tabs-x\n\nFormats tables.\n"});
  return view;
}

TEST(Ways, OfWhatAPackageRunsByItself) {
  const std::string text = TextOf("places");
  const auto doc = base::JsonDoc::Parse(text);
  ASSERT_TRUE(doc.ok());
  const JsonValue root = doc.value().root();
  std::map<std::string, std::size_t> safe;
  std::string missed;
  std::string alarms;
  for (const std::string kind : {"harm", "honest"}) {
    for (auto place = root.Find("places").begin(); place != root.Find("places").end(); ++place) {
      for (auto deed = root.Find(kind).begin(); deed != root.Find(kind).end(); ++deed) {
        const ScanReport report = Scan(Package(*place, std::string((*deed).string())), {});
        const bool quiet = report.verdict == core::ScanVerdict::kSafe;
        safe[kind] += quiet ? 1U : 0U;
        if (quiet == (kind == "harm"))
          (quiet ? missed : alarms) += " " + std::string(place.key()) + "+" + std::string(deed.key());
      }
    }
  }
  const std::size_t places = root.Find("places").size();
  EXPECT_GE(places, 180U);
  // A figure that gets better is to be written down here.
  EXPECT_EQ(safe["harm"], 8U) << missed;
  EXPECT_EQ(places * root.Find("honest").size() - safe["honest"], 7U) << alarms;
}

// @S@ in a text: what `by` says of S. Nothing where the text asks for what it does not say.
std::optional<std::string> Filled(std::string_view text, std::initializer_list<JsonValue> by) {
  std::string out(text);
  for (std::size_t at = out.find('@'); at != std::string::npos; at = out.find('@', at)) {
    const bool named = at + 2 < out.size() && out[at + 2] == '@' && out[at + 1] >= 'A' && out[at + 1] <= 'Z';
    if (!named) {
      ++at;
      continue;
    }
    const std::string name(1, out[at + 1]);
    JsonValue said;
    for (const JsonValue& one : by) {
      if (one.Find(name).is_string()) said = one.Find(name);
    }
    if (!said.is_string()) return std::nullopt;
    out.replace(at, 3, std::string(said.string()));
  }
  return out;
}

// testdata/ways/carriers.json: what is private goes through one thing on its way to what sends it. Each source, with
// each carrier, to each sink, in a package of its own.
TEST(Ways, OfWhatIsCarried) {
  const std::string text = TextOf("carriers");
  const auto doc = base::JsonDoc::Parse(text);
  ASSERT_TRUE(doc.ok());
  const JsonValue root = doc.value().root();
  std::map<std::string, std::size_t> missed;
  std::string names;
  std::size_t packages = 0;
  for (auto language = root.begin(); language != root.end(); ++language) {
    const JsonValue ways = *language;
    for (auto source = ways.Find("sources").begin(); source != ways.Find("sources").end(); ++source) {
      for (auto carrier = ways.Find("carriers").begin(); carrier != ways.Find("carriers").end(); ++carrier) {
        for (auto sink = ways.Find("sinks").begin(); sink != ways.Find("sinks").end(); ++sink) {
          const std::string program = std::string(ways.Find("head").string()) +
                                      std::string((*carrier).Find("before").string()) + std::string((*sink).string());
          const std::optional<std::string> filled = Filled(program, {*carrier, *source});
          if (!filled) continue;
          core::PackageView view;
          view.files.push_back({.path = std::string(ways.Find("file").string()), .bytes = *filled});
          for (auto other = ways.Find("beside").begin(); other != ways.Find("beside").end(); ++other) {
            view.files.push_back(
                {.path = std::string(other.key()), .bytes = Filled((*other).string(), {*source}).value_or("")});
          }
          ++packages;
          // Which rule it is does not matter, but that it is one that follows what is sent.
          const ScanReport report = Scan(view, {});
          const bool seen = std::ranges::any_of(report.findings, [](const core::Finding& finding) {
            return (finding.rule.starts_with("EXFIL") || finding.rule.starts_with("SH-")) && finding.confidence > 0.4;
          });
          if (seen) continue;
          ++missed[std::string(language.key())];
          names += " " + std::string(source.key()) + "+" + std::string(carrier.key()) + "+" + std::string(sink.key());
        }
      }
    }
  }
  EXPECT_GE(packages, 9'300U);
  // Figures that get better are to be written down here.
  EXPECT_EQ(missed["python"], 10U) << names;
  EXPECT_EQ(missed["javascript"], 116U) << names;
  EXPECT_EQ(missed["shell"], 18U) << names;
}

}  // namespace
}  // namespace interlock::scan
