#include "eval_scanner_features.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <set>

#include "interlock/base/json.h"
#include "interlock/platform/file.h"
#include "interlock/platform/package.h"
#include "interlock/scan/order_features.h"

namespace interlock::app {
namespace {

using base::Error;
using base::ErrorCode;
using eval::scanner::SampleLabel;
using eval::scanner::ScanSample;

constexpr std::size_t kMaxSentences = std::size_t{16} << 20;

std::string OneLine(std::string text) {
  for (char& c : text) c = c == '\n' || c == '\t' || c == '\r' ? ' ' : c;
  return text;
}

// As a package would carry it: in a skill, in the description of a tool, or in a tool's docstring.
core::PackageFile FileOf(std::string_view surface, std::string_view text) {
  core::PackageFile file;
  if (surface == "tool") {
    file.path = "mcp-listing.json";
    base::JsonWriter json(file.bytes);
    json.BeginObject().Key("tools").BeginArray().BeginObject();
    json.Key("name").String("one").Key("description").String(text);
    json.EndObject().EndArray().EndObject();
    return file;
  }
  file.path = "SKILL.md";
  file.bytes = "---\nname: one\ndescription: Helps.\n---\n\n# One\n\n" + std::string(text) + "\n";
  return file;
}

}  // namespace

base::Result<std::vector<ScanSample>> LoadSentences(const std::string& file) {
  const auto bytes = platform::ReadFile(file, kMaxSentences);
  if (!bytes.ok()) return bytes.error();
  std::vector<ScanSample> out;
  std::string_view rest = bytes.value();
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    const std::string_view line = rest.substr(0, end);
    rest = end == std::string_view::npos ? std::string_view() : rest.substr(end + 1);
    if (line.empty()) continue;
    const auto doc = base::JsonDoc::Parse(line);
    if (!doc.ok()) return doc.error().Under(fmt::format("{}: line {}", file, out.size() + 1));
    const base::JsonValue root = doc.value().root();
    ScanSample sample;
    sample.set = "sentences";
    sample.id = fmt::format("{}", out.size() + 1);
    sample.label = root.Find("label").string() == "malicious" ? SampleLabel::kMalicious : SampleLabel::kBenign;
    sample.tier = root.Find("threat").string();
    const std::string_view group = root.Find("group").string();
    sample.cluster = group.empty() ? fmt::format("s{}", out.size() + 1) : std::string(group);
    sample.view.files.push_back(FileOf(root.Find("surface").string(), root.Find("text").string()));
    out.push_back(std::move(sample));
  }
  return out;
}

base::Status WriteFeatures(const std::vector<ScanSample>& samples, const std::string& file) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(std::fopen(file.c_str(), "w"), &std::fclose);
  if (out == nullptr) return Error(ErrorCode::kIo, "cannot write the features", {.file = file});
  std::set<std::uint32_t> seen;
  for (const ScanSample& sample : samples) {
    core::PackageView loaded;
    if (!sample.path.empty()) {
      auto view = platform::LoadPackage(sample.path);
      if (!view.ok()) return view.error().Under(sample.id);
      loaded = std::move(view.value());
    }
    for (const scan::OrderSentence& one : scan::ReadOrderSentences(sample.path.empty() ? sample.view : loaded)) {
      std::string numbers;
      for (const std::uint32_t feature : one.features) {
        fmt::format_to(std::back_inserter(numbers), "{}{}", numbers.empty() ? "" : ",", feature);
        seen.insert(feature);
      }
      fmt::print(out.get(), "{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\t{}\n", sample.set, sample.id, NameOf(sample.label),
                 sample.tier, sample.cluster, core::NameOf(one.reach), numbers, OneLine(one.text), one.unit, one.words);
    }
  }
  for (const std::uint32_t feature : seen) {
    fmt::print(out.get(), "feature\t{}\t{}\n", feature, scan::OrderFeatureName(feature));
  }
  return {};
}

}  // namespace interlock::app
