// Runs the official JSON-Schema-Test-Suite against the validator: `json_schema_suite SUITE_DIR [--verbose]`, where
// SUITE_DIR holds tests/draft2020-12 and tests/draft7. tools/json-schema-suite fetches it and calls this.
//
// A case is passed, failed (a wrong answer) or refused (the schema does not compile: a feature we do not have). Wrong
// answers make the program return 1; a folder without cases makes it return 2.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/policy/json_schema.h"

namespace {

using interlock::base::JsonDoc;
using interlock::base::JsonValue;
using interlock::base::Result;
using interlock::policy::JsonSchema;
using interlock::policy::SchemaDialect;
using interlock::policy::SchemaOptions;
using interlock::policy::SchemaOutcome;
using interlock::policy::UnknownKeyword;

// Left out: draft-07 lets a validator decode and check string contents, 2020-12 only annotates. We annotate in both.
constexpr std::string_view kNotAsserted = "optional/content.json";

struct Counts {
  int passed = 0;
  int failed = 0;
  int refused = 0;
  void Add(const Counts& other) {
    passed += other.passed;
    failed += other.failed;
    refused += other.refused;
  }
};

struct Refusal {
  std::string file;
  std::string schema;
  std::string why;
};

class Runner {
 public:
  explicit Runner(bool verbose) : verbose_(verbose) {}

  // Every *.json below `folder`, formats asserted where the suite keeps their tests.
  bool Folder(const std::filesystem::path& folder, SchemaDialect dialect) {
    std::vector<std::filesystem::path> files;
    std::error_code error;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(folder, error)) {
      if (entry.path().extension() == ".json") files.push_back(entry.path());
    }
    std::ranges::sort(files);
    std::printf("%-52s %7s %7s %7s\n", folder.filename().c_str(), "passed", "failed", "refused");
    Counts required;
    Counts optional;
    for (const auto& path : files) {
      const std::string name = std::filesystem::relative(path, folder).string();
      if (name == kNotAsserted) continue;
      const Counts counts = File(path, name, dialect);
      std::printf("  %-50s %7d %7d %7d\n", name.c_str(), counts.passed, counts.failed, counts.refused);
      (name.starts_with("optional") ? optional : required).Add(counts);
    }
    std::printf("  %-50s %7d %7d %7d\n", "= required", required.passed, required.failed, required.refused);
    std::printf("  %-50s %7d %7d %7d\n\n", "= optional", optional.passed, optional.failed, optional.refused);
    wrong_ += required.failed + optional.failed;
    return required.passed > 0;
  }

  void PrintRefusals() const {
    std::printf("refused schemas, by reason:\n");
    std::map<std::string, std::vector<const Refusal*>> by_reason;
    for (const Refusal& r : refusals_) by_reason[r.why].push_back(&r);
    for (const auto& [why, list] : by_reason) {
      std::printf("  %s: %zu\n", why.c_str(), list.size());
      for (const Refusal* r : list) std::printf("    %s: %s\n", r->file.c_str(), r->schema.c_str());
    }
  }

  [[nodiscard]] int wrong() const { return wrong_; }

 private:
  Counts File(const std::filesystem::path& path, const std::string& name, SchemaDialect dialect) {
    std::ifstream in(path, std::ios::binary);
    const std::string bytes((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
    Counts counts;
    const Result<JsonDoc> doc = JsonDoc::Parse(bytes);
    if (!doc.ok()) {
      std::printf("  %s: %s\n", name.c_str(), doc.error().ToString().c_str());
      ++counts.failed;
      return counts;
    }
    const SchemaOptions options = {
        .default_dialect = dialect,
        .unknown_keywords = UnknownKeyword::kAnnotate,
        .assert_formats = name.starts_with("optional/format/") || name == "optional/format-assertion.json"};
    for (const JsonValue group : doc.value().root()) Group(group, name, options, counts);
    return counts;
  }

  void Group(JsonValue group, const std::string& name, const SchemaOptions& options, Counts& counts) {
    const std::string title(group.Find("description").string());
    const Result<JsonSchema> schema = JsonSchema::Compile(group.Find("schema"), options);
    if (!schema.ok()) {
      counts.refused += static_cast<int>(group.Find("tests").size());
      refusals_.push_back({name, title, std::string(InfoOf(schema.error().code()).title)});
      if (verbose_) std::printf("    %s / %s: %s\n", name.c_str(), title.c_str(), schema.error().ToString().c_str());
      return;
    }
    for (const JsonValue test : group.Find("tests")) {
      const SchemaOutcome outcome = schema.value().Validate(test.Find("data"));
      const bool want = test.Find("valid").AsBool().value_or(false);
      if (!outcome.undecided() && outcome.valid() == want) {
        ++counts.passed;
        continue;
      }
      ++counts.failed;
      std::printf("    WRONG %s / %s / %s: %s, want %s\n", name.c_str(), title.c_str(),
                  std::string(test.Find("description").string()).c_str(),
                  outcome.undecided() ? "undecided" : (outcome.valid() ? "valid" : "invalid"),
                  want ? "valid" : "invalid");
    }
  }

  bool verbose_;
  int wrong_ = 0;
  std::vector<Refusal> refusals_;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fprintf(stderr, "usage: json_schema_suite SUITE_DIR [--verbose]\n");
    return 2;
  }
  const std::filesystem::path suite = std::filesystem::path(argv[1]) / "tests";
  Runner runner(argc > 2 && std::string_view(argv[2]) == "--verbose");
  const bool ran_new = runner.Folder(suite / "draft2020-12", SchemaDialect::kDraft2020);
  const bool ran_old = runner.Folder(suite / "draft7", SchemaDialect::kDraft07);
  runner.PrintRefusals();
  if (!ran_new || !ran_old) {
    std::fprintf(stderr, "no cases found below %s\n", suite.c_str());
    return 2;
  }
  return runner.wrong() == 0 ? 0 : 1;
}
