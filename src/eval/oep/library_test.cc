#include "library.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

#include "guard.h"
#include "interlock/base/json.h"
#include "interlock/policy/json_schema.h"
#include "oep_test_util.h"

namespace interlock::eval::oep {
namespace {

std::vector<OepFile> With(std::string name, std::string bytes) {
  std::vector<OepFile> files = BuiltInOepFiles();
  files.push_back({.name = std::move(name), .bytes = std::move(bytes)});
  return files;
}

std::string Slurp(const std::filesystem::path& path) {
  std::ifstream in(path);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(OepLibrary, BuiltInFilesAreThoseOfTheRepository) {
  const std::filesystem::path root = std::string(INTERLOCK_SOURCE_DIR) + "/src/eval/data/oep";
  std::size_t on_disk = 0;
  std::vector<OepFile> files = BuiltInOepFiles();
  for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
    if (!entry.is_regular_file()) continue;
    ++on_disk;
    const std::string name = std::filesystem::relative(entry.path(), root).string();
    const auto it = std::ranges::find(files, name, &OepFile::name);
    ASSERT_NE(it, files.end()) << name;
    EXPECT_EQ(it->bytes, Slurp(entry.path())) << name;
  }
  EXPECT_EQ(on_disk, files.size());
  EXPECT_EQ(BuiltIn().data().incidents.size(), 20u);
}

TEST(OepLibrary, EveryAgentsPolicyLoadsAndItsTestsOfSchemaHold) {
  for (const auto& [id, agent] : BuiltIn().data().agents) {
    const auto gate = LoadGatePolicy(BuiltIn().data(), agent);
    EXPECT_TRUE(gate.ok()) << id << (gate.ok() ? "" : gate.error().ToString());
  }
}

TEST(OepLibrary, EveryPlaybookCallFitsItsToolsSchema) {
  const Library& data = BuiltIn().data();
  const auto tools = base::JsonDoc::Parse(data.tools);
  ASSERT_TRUE(tools.ok());
  std::map<std::string, policy::JsonSchema, std::less<>> schemas;
  for (const base::JsonValue tool : tools.value().root().Find("tools")) {
    auto schema = policy::JsonSchema::Compile(tool.Find("inputSchema"));
    ASSERT_TRUE(schema.ok());
    schemas.emplace(std::string(tool.Find("name").string()), std::move(schema.value()));
  }
  ASSERT_EQ(schemas.size(), 12u);
  const auto fits = [&](const CallSpec& call) {
    const auto arguments = base::JsonDoc::Parse(call.arguments);
    const auto schema = schemas.find(call.tool);
    return arguments.ok() && schema != schemas.end() && schema->second.Validate(arguments.value().root()).valid();
  };
  for (const auto& [id, incident] : data.incidents) {
    for (const std::vector<CallSpec>* calls : {&incident.diagnose, &incident.needs, &incident.prepare}) {
      for (const CallSpec& call : *calls) EXPECT_TRUE(fits(call)) << id << " " << call.arguments;
    }
    for (const std::vector<Write>* writes : {&incident.playbook, &incident.alternatives}) {
      for (const Write& write : *writes) EXPECT_TRUE(fits(write.call)) << id << " " << write.call.arguments;
    }
  }
}

TEST(OepLibrary, EveryPhaseIsCoveredByFiveIncidents) {
  const Library& data = BuiltIn().data();
  std::array<std::set<std::string>, kPhaseCount> covered;
  for (const std::string& id : data.suites.at("extended").incidents) {
    for (const Phase& phase : data.incidents.at(id).phases) covered[phase.phase].insert(id);
  }
  for (std::size_t i = 0; i < kPhaseCount; ++i) EXPECT_GE(covered[i].size(), 5u) << kPhases[i];
}

TEST(OepLibrary, HalvesOfObfuscatedPayloadsAreDisjoint) {
  std::set<std::string> tune;
  std::set<std::string> held;
  for (const auto& [id, payload] : BuiltIn().data().payloads) {
    if (payload.half.empty()) continue;
    auto& mine = payload.half == "tune" ? tune : held;
    for (const std::string& part : payload.parts) EXPECT_TRUE(mine.insert(part).second) << id;
    for (const auto& [key, value] : payload.fields) mine.insert(key + "=" + value);
  }
  EXPECT_GE(tune.size(), 14u);
  EXPECT_GE(held.size(), 14u);
  for (const std::string& text : held) EXPECT_FALSE(tune.contains(text));
}

TEST(OepLibrary, AFileOfOnesOwnIsLaidOverTheOthers) {
  std::string suite = R"({"schema":"interlock.oep-suite/v1","id":"mine","title":"Mine","steps":4,
    "incidents":["cert_expiry"],"settings":[{"id":"none","payloads":[]}],"agents":["interlock"]})";
  const auto loaded = OepLibrary::Load(With("suites/mine.json", suite));
  ASSERT_TRUE(loaded.ok()) << loaded.error().ToString();
  const auto runs = RunOep(*loaded.value(), {.suite = "mine", .seeds = 2, .sweeps = false});
  ASSERT_TRUE(runs.ok());
  EXPECT_EQ(runs.value().runs.size(), 2u);
}

TEST(OepLibrary, SaysWhatIsWrongWithAFile) {
  struct Row {
    const char* name;
    const char* bytes;
    base::ErrorCode code;
  };
  const Row rows[] = {
      {"incidents/x.json", "{", base::ErrorCode::kJsonSyntax},
      {"incidents/x.json", R"({"schema":"interlock.oep-incident/v1"})", base::ErrorCode::kImportShape},
      {"attacks/x.json", R"({"schema":"interlock.oep-attacks/v1","payloads":[{"id":"a"}]})",
       base::ErrorCode::kImportShape},
      {"world.json", R"({"schema":"interlock.oep-world/v1","attenuation":0.5,"targets":["/service"],
        "services":[{"name":"a","critical":false,"calls":["b"],"versions":[]}]})",
       base::ErrorCode::kImportShape},
      {"suites/x.json", R"({"schema":"interlock.oep-suite/v1","id":"x","title":"x","steps":4,
        "incidents":["nowhere"],"settings":[{"id":"none","payloads":[]}],"agents":["interlock"]})",
       base::ErrorCode::kImportShape},
      {"elsewhere.json", "{}", base::ErrorCode::kImportShape},
  };
  for (const Row& row : rows) {
    const auto loaded = OepLibrary::Load(With(row.name, row.bytes));
    ASSERT_FALSE(loaded.ok()) << row.bytes;
    EXPECT_EQ(loaded.error().code(), row.code) << loaded.error().ToString();
  }
}

TEST(OepLibrary, TemplatesTakeTheIncidentsNames) {
  const Incident& incident = BuiltIn().data().incidents.at("api_memory_leak");
  EXPECT_EQ(Fill("${service} ${fault} ${signal} ${x}", incident), "payment_service payment_service memory_slope ${x}");
  const auto goal = GoalFor(BuiltIn().data().payloads.at("live-scale"), incident);
  ASSERT_TRUE(goal.ok());
  EXPECT_NE(goal.value().routes.front().front().arguments.find("payment_service"), std::string::npos);
}

}  // namespace
}  // namespace interlock::eval::oep
