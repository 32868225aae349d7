#include "code/catalogue.h"

#include <array>
#include <utility>

#include "interlock/base/check.h"
#include "interlock/base/json.h"

namespace interlock::scan::code {
namespace {

constexpr std::array kRoles = std::to_array<std::pair<std::string_view, Role>>({
    {"http", Role::kHttp},
    {"connect", Role::kConnect},
    {"socket-send", Role::kSocketSend},
    {"socket-receive", Role::kSocketReceive},
    {"dns", Role::kDns},
    {"mail", Role::kMail},
    {"listen", Role::kListen},
    {"shell", Role::kShell},
    {"spawn", Role::kSpawn},
    {"eval", Role::kEval},
    {"import", Role::kImport},
    {"deserialize", Role::kDeserialize},
    {"yaml", Role::kYaml},
    {"native", Role::kNative},
    {"executable-memory", Role::kExecutableMemory},
    {"raw-memory", Role::kRawMemory},
    {"file-open", Role::kFileOpen},
    {"file-read", Role::kFileRead},
    {"file-write", Role::kFileWrite},
    {"file-delete", Role::kFileDelete},
    {"file-list", Role::kFileList},
    {"env-read", Role::kEnvRead},
    {"env-all", Role::kEnvAll},
    {"env-write", Role::kEnvWrite},
    {"secret-store", Role::kSecretStore},
    {"clipboard", Role::kClipboard},
    {"stdin", Role::kStdin},
    {"argv", Role::kArgv},
    {"host-info", Role::kHostInfo},
    {"sql", Role::kSql},
    {"template", Role::kTemplate},
    {"decode", Role::kDecode},
    {"sanitize", Role::kSanitize},
    {"path-check", Role::kPathCheck},
    {"agent-spawn", Role::kAgentSpawn},
    {"tool-register", Role::kToolRegister},
    {"memory-read", Role::kMemoryRead},
    {"memory-write", Role::kMemoryWrite},
    {"prompt", Role::kPrompt},
    {"duplicate", Role::kDuplicate},
    {"terminal", Role::kTerminal},
    {"upload", Role::kUpload},
    {"feed", Role::kFeed},
    {"module-path", Role::kModulePath},
    {"worker", Role::kWorker},
    {"wasm", Role::kWasm},
    {"container", Role::kContainer},
    {"registry", Role::kRegistry},
    {"request", Role::kRequest},
    {"fetched", Role::kFetched},
    {"safe", Role::kSafe},
});

base::Error Bad(std::string_view what, std::string_view where) {
  return base::Error(base::ErrorCode::kInvalidArgument,
                     "catalogue: " + std::string(what) + " `" + std::string(where) + "`");
}

// "{a,b}.{c,d}" -> "a.c" "a.d" "b.c" "b.d".
void Expand(const std::string& pattern, std::vector<std::string>& out) {
  const std::size_t open = pattern.find('{');
  if (open == std::string::npos) {
    out.push_back(pattern);
    return;
  }
  const std::size_t close = pattern.find('}', open);
  if (close == std::string::npos) return;
  std::size_t from = open + 1;
  while (from <= close) {
    std::size_t to = pattern.find_first_of(",}", from);
    Expand(pattern.substr(0, open) + pattern.substr(from, to - from) + pattern.substr(close + 1), out);
    from = to + 1;
  }
}

bool ReadArgs(base::JsonValue list, std::vector<ArgRef>& out) {
  if (!list.exists()) return true;
  if (!list.is_array()) return false;
  for (const base::JsonValue item : list) {
    ArgRef arg;
    if (item.is_number()) {
      arg.position = static_cast<int>(item.AsInt64().value_or(-1));
    } else if (item.is_string()) {
      const std::string_view text = item.string();
      const std::size_t dot = text.find('.');
      if (dot != std::string_view::npos && dot == 1 && text[0] >= '0' && text[0] <= '9') {
        arg.position = text[0] - '0';
        arg.field = std::string(text.substr(2));
      } else {
        arg.name = std::string(text);
      }
    } else {
      return false;
    }
    out.push_back(std::move(arg));
  }
  return true;
}

}  // namespace

base::Result<Catalogue> Catalogue::Parse(std::string_view json) {
  auto doc = base::JsonDoc::Parse(json);
  if (!doc.ok()) return doc.error();
  const base::JsonValue root = doc.value().root();
  if (root.Find("schema").string() != "interlock.scan-catalogue/v1") return Bad("not a file of version 1", "schema");
  Catalogue catalogue;
  for (const base::JsonValue item : root.Find("fold")) catalogue.folds_.emplace_back(item.string());
  for (const base::JsonValue item : root.Find("functions")) {
    CatalogueEntry entry;
    const std::string_view role = item.Find("role").string();
    for (const auto& [name, value] : kRoles) {
      if (name == role) entry.role = value;
    }
    if (entry.role == Role::kUnlisted) return Bad("unknown role", role);
    if (item.Find("permission").exists()) {
      entry.permission = core::PermissionFromName(item.Find("permission").string());
      if (!entry.permission) return Bad("unknown permission", item.Find("permission").string());
    }
    if (!ReadArgs(item.Find("target"), entry.target) || !ReadArgs(item.Find("data"), entry.data)) {
      return Bad("arguments are numbers or names", item.raw().substr(0, 80));
    }
    if (item.Find("names").size() == 0) return Bad("no names", item.raw().substr(0, 80));
    const auto index = static_cast<std::uint32_t>(catalogue.entries_.size());
    std::vector<std::string> names;
    for (const base::JsonValue name : item.Find("names")) Expand(std::string(name.string()), names);
    for (std::string& expanded : names) {
      if (expanded.empty()) return Bad("empty name", item.raw().substr(0, 80));
      const std::string_view name = catalogue.expanded_.emplace_back(std::move(expanded));
      if (!catalogue.Add({name, index})) return Bad("stands there twice", name);
      catalogue.names_.push_back({name, index});
    }
    catalogue.entries_.push_back(std::move(entry));
  }
  return catalogue;
}

bool Catalogue::Add(Name one) {
  std::string_view name = one.name;
  if (!name.starts_with(".")) roots_.insert(name.substr(0, name.find_first_of(".(")));
  const bool prefix = name.ends_with(".*");
  if (prefix) name.remove_suffix(2);
  return (prefix ? prefixes_ : exact_).emplace(name, one.entry).second;
}

void Catalogue::Write(BakedWriter& out) const {
  out.PutTexts(folds_);
  out.Put(std::uint64_t{entries_.size()});
  for (const CatalogueEntry& entry : entries_) {
    out.Put(entry.role);
    out.Put(entry.permission.has_value());
    if (entry.permission) out.Put(*entry.permission);
    for (const std::vector<ArgRef>* const list : {&entry.target, &entry.data}) {
      out.Put(std::uint64_t{list->size()});
      for (const ArgRef& arg : *list) {
        out.Put(arg.position);
        out.PutText(arg.name);
        out.PutText(arg.field);
      }
    }
  }
  out.Put(std::uint64_t{names_.size()});
  for (const Name& name : names_) {
    out.PutText(name.name);
    out.Put(name.entry);
  }
}

Catalogue::Catalogue(BakedReader& in) : folds_(in.GetTexts()) {
  entries_.resize(in.Get<std::uint64_t>());
  for (CatalogueEntry& entry : entries_) {
    entry.role = in.Get<Role>();
    if (in.Get<bool>()) entry.permission = in.Get<core::Permission>();
    for (std::vector<ArgRef>* const list : {&entry.target, &entry.data}) {
      list->resize(in.Get<std::uint64_t>());
      for (ArgRef& arg : *list) {
        arg.position = in.Get<int>();
        arg.name = in.GetText();
        arg.field = in.GetText();
      }
    }
  }
  const auto names = in.Get<std::uint64_t>();
  exact_.reserve(names);
  for (std::uint64_t i = 0; i < names; ++i) {
    const std::string_view name = in.GetText();
    const bool added = Add({name, in.Get<std::uint32_t>()});
    INTERLOCK_CHECK(added, "names were told apart when they were baked");
  }
}

const CatalogueEntry* Catalogue::Find(std::string_view name) const {
  if (name == "globalThis.open")
    return nullptr;  // a browser's, which shows a page; the package of this name is imported
  if (name.starts_with("globalThis.")) name.remove_prefix(11);
  const auto at = exact_.find(name);
  if (at != exact_.end()) return &entries_[at->second];
  for (std::size_t dot = name.rfind('.'); dot != std::string_view::npos && dot > 0; dot = name.rfind('.', dot - 1)) {
    const auto prefix = prefixes_.find(name.substr(0, dot));
    if (prefix != prefixes_.end()) return &entries_[prefix->second];
  }
  return nullptr;
}

bool Catalogue::KnowsModule(std::string_view root) const { return roots_.contains(root); }

bool Catalogue::Folds(std::string_view name) const {
  if (name.starts_with("globalThis.")) name.remove_prefix(11);
  for (const std::string& fold : folds_) {
    if (name.starts_with(fold)) return true;
  }
  return false;
}

}  // namespace interlock::scan::code
