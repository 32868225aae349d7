#include "interlock/policy/catalogue.h"

#include <algorithm>
#include <array>
#include <utility>

#include "json_schema_program.h"
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

// Names under which tools take a command line. A tool of another name that does is the policy's to mark (`shell:
// true`).
constexpr std::array<std::string_view, 12> kShellNames{"cmd",         "cmdline",    "command", "command_line",
                                                       "commandline", "script",     "shell",   "shell_command",
                                                       "bash",        "powershell", "exec",    "sh"};

// A string that nothing narrows: any text fits.
bool IsFreeText(base::JsonValue property) {
  const base::JsonValue type = property.Find("type");
  if (type.exists() && type.string() != "string") return false;
  for (const std::string_view narrow : {"enum", "const", "pattern", "$ref", "oneOf", "anyOf", "allOf"}) {
    if (property.Find(narrow).exists()) return false;
  }
  return true;
}

// Top-level arguments that take a free-form command. Deeper ones and other names are for the policy to mark.
std::vector<std::string> ShellArguments(const core::ToolSpec& spec) {
  std::vector<std::string> out;
  if (spec.free_form_shell == false || spec.input_schema.empty()) return out;
  const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(spec.input_schema);
  if (!doc.ok()) return out;
  const base::JsonValue properties = doc.value().root().Find("properties");
  if (!properties.is_object()) return out;
  for (const std::string_view name : kShellNames) {
    const base::JsonValue property = properties.Find(name);
    if (property.is_object() && IsFreeText(property)) out.push_back("/" + std::string(name));
  }
  return out;
}

// `writeOnly`, `format: password` and `x-secret` are how schemas mark secrets.
void AddSecretArguments(core::ToolSpec& spec) {
  if (spec.input_schema.empty()) return;
  const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(spec.input_schema);
  if (!doc.ok()) return;
  const base::JsonValue properties = doc.value().root().Find("properties");
  if (!properties.is_object()) return;
  for (auto member = properties.begin(); member != properties.end(); ++member) {
    const base::JsonValue property = *member;
    const auto says = [&](std::string_view key) { return property.Find(key).AsBool() == true; };
    if (property.Find("format").string() != "password" && !says("writeOnly") && !says("x-secret")) continue;
    std::string pointer = "/" + schema::EscapePointerStep(member.key());
    if (std::ranges::find(spec.secret_arguments, pointer) == spec.secret_arguments.end()) {
      spec.secret_arguments.push_back(std::move(pointer));
    }
  }
}

}  // namespace

struct ToolCatalogue::Impl {
  std::shared_ptr<const PolicySnapshot> policy;
  std::vector<ToolEntry> tools;
  TextMap<std::size_t> by_name;
  DefinitionNames names;
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
    entry.shell_arguments = ShellArguments(entry.spec);
    AddSecretArguments(entry.spec);
    entry.candidates = impl->policy->CandidatesFor(entry.spec.server, entry.spec.name, entry.spec.side_effect);
    impl->tools.push_back(std::move(entry));
  }
  std::vector<const core::ToolSpec*> specs;
  specs.reserve(impl->tools.size());
  for (const ToolEntry& entry : impl->tools) specs.push_back(&entry.spec);
  impl->names = DefinitionNames(specs);
  return std::shared_ptr<const ToolCatalogue>(new ToolCatalogue(std::move(impl)));
}

const ToolEntry* ToolCatalogue::Find(std::string_view name) const noexcept {
  const auto it = impl_->by_name.find(name);
  return it == impl_->by_name.end() ? nullptr : &impl_->tools[it->second];
}

const DefinitionNames& ToolCatalogue::definition_names() const noexcept { return impl_->names; }
std::span<const ToolEntry> ToolCatalogue::tools() const noexcept { return impl_->tools; }
const PolicySnapshot& ToolCatalogue::policy() const noexcept { return *impl_->policy; }

}  // namespace interlock::policy
