#include "interlock/policy/catalogue.h"

#include <algorithm>
#include <utility>

#include "snapshot_impl.h"

namespace interlock::policy {
namespace {

// A server's own schema: what it says beyond the standard is not ours to judge, so unknown keywords are annotations.
void CompileSchema(const std::string& text, bool strict_objects, std::optional<JsonSchema>& schema,
                   std::optional<base::Error>& error) {
  if (text.empty()) return;
  const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(text);
  if (!doc.ok()) {
    if (!error) error = doc.error();
    return;
  }
  base::Result<JsonSchema> compiled = JsonSchema::Compile(
      doc.value().root(), {.unknown_keywords = UnknownKeyword::kAnnotate, .strict_objects = strict_objects});
  if (compiled.ok()) {
    schema = std::move(compiled.value());
    return;
  }
  // Most servers name no dialect and many write draft-07 (an array under `items`), which 2020-12 calls invalid.
  if (compiled.error().code() == base::ErrorCode::kSchemaInvalid && !doc.value().root().Find("$schema").exists()) {
    base::Result<JsonSchema> older =
        JsonSchema::Compile(doc.value().root(), {.default_dialect = SchemaDialect::kDraft07,
                                                 .unknown_keywords = UnknownKeyword::kAnnotate,
                                                 .strict_objects = strict_objects});
    if (older.ok()) {
      schema = std::move(older.value());
      return;
    }
  }
  if (!error) error = compiled.error();
}

}  // namespace

struct ToolCatalogue::Impl {
  std::shared_ptr<const PolicySnapshot> policy;
  std::vector<ToolEntry> tools;
  TextMap<std::size_t> by_name;
};

ToolCatalogue::ToolCatalogue(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
ToolCatalogue::~ToolCatalogue() = default;

std::shared_ptr<const ToolCatalogue> ToolCatalogue::Build(std::shared_ptr<const PolicySnapshot> policy,
                                                          std::vector<Listed> tools) {
  INTERLOCK_CHECK(policy != nullptr, "a catalogue is built under a policy");
  auto impl = std::make_unique<Impl>();
  impl->policy = std::move(policy);
  impl->tools.reserve(tools.size());
  const Profile& profile = impl->policy->profile();
  for (Listed& listed : tools) {
    const auto [at, is_new] = impl->by_name.emplace(listed.spec.name, impl->tools.size());
    if (!is_new) {
      impl->tools[at->second].pin = PinState::kChanged;
      continue;
    }
    ToolEntry entry;
    entry.spec = impl->policy->Overlay(std::move(listed.spec));
    entry.pin = listed.pin;
    CompileSchema(entry.spec.input_schema, profile.strict_objects, entry.input_schema, entry.schema_error);
    // Servers may add to what they answer; being strict is for what goes to them.
    CompileSchema(entry.spec.output_schema, false, entry.output_schema, entry.output_schema_error);
    entry.candidates = impl->policy->CandidatesFor(entry.spec.server, entry.spec.name, entry.spec.side_effect);
    impl->tools.push_back(std::move(entry));
  }
  return std::shared_ptr<const ToolCatalogue>(new ToolCatalogue(std::move(impl)));
}

const ToolEntry* ToolCatalogue::Find(std::string_view name) const noexcept {
  const auto it = impl_->by_name.find(name);
  return it == impl_->by_name.end() ? nullptr : &impl_->tools[it->second];
}

std::span<const ToolEntry> ToolCatalogue::tools() const noexcept { return impl_->tools; }
const PolicySnapshot& ToolCatalogue::policy() const noexcept { return *impl_->policy; }

}  // namespace interlock::policy
