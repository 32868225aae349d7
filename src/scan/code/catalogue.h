// What functions of the standard library and of popular packages do, as data (rules/scan/catalogue/*.json): where
// secrets and untrusted values come from, where values go, what leaves a value harmless. Private to src/scan/code.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "code/ir.h"
#include "interlock/base/result.h"
#include "interlock/core/finding.h"
#include "static/baked.h"

namespace interlock::scan::code {

enum class Role : std::uint8_t {
  kUnlisted,
  kHttp,           // target: URL; data: what is sent; the result is the answer
  kConnect,        // target: address
  kSocketSend,     // data
  kSocketReceive,  //
  kDns,            // target: host name
  kMail,           // data
  kListen,
  kShell,  // target: command line for a shell
  kSpawn,  // target: program and its arguments
  kEval,   // target: code
  kImport,
  kDeserialize,
  kYaml,  // as kDeserialize, unless a safe loader is named
  kNative,
  kExecutableMemory,
  kRawMemory,
  kFileOpen,  // target: path; mode says what for
  kFileRead,
  kFileWrite,  // target: path; data
  kFileDelete,
  kFileList,
  kEnvRead,  // target: name
  kEnvAll,
  kEnvWrite,
  kSecretStore,  // key chains
  kClipboard,
  kStdin,
  kArgv,
  kHostInfo,
  kSql,       // target: statement
  kTemplate,  // target: template text
  kDecode,
  kSanitize,   // the result is no longer what it was
  kPathCheck,  // makes a path absolute or compares it: somebody cares
  kAgentSpawn,
  kToolRegister,
  kMemoryRead,
  kMemoryWrite,
  kPrompt,      // text that a model is given
  kDuplicate,   // dup2
  kTerminal,    // pty
  kUpload,      // data: paths or contents of what is stored with a service; target: where
  kFeed,        // data: what a running program is given
  kModulePath,  // target: where modules are looked for
  kWorker,      // target: a file, or a program where the options say so
  kWasm,        // target: machine code
  kContainer,
  kRegistry,  // the registry of Windows
  kRequest,   // what somebody who connects to this program says; given to functions too
  kFetched,   // the result comes from outside; it is no answer to an address
  kSafe,      // known, does nothing of the above; the result is not its arguments
};

// An argument: by position, by keyword, or a field of an options object at a position ("1.body").
struct ArgRef {
  int position = -1;
  std::string name;
  std::string field;
};

struct CatalogueEntry {
  Role role = Role::kUnlisted;
  std::optional<core::Permission> permission;
  std::vector<ArgRef> target;
  std::vector<ArgRef> data;
};

class Catalogue {
 public:
  [[nodiscard]] static base::Result<Catalogue> Parse(std::string_view json);
  explicit Catalogue(BakedReader& in);  // whose bytes outlive it
  void Write(BakedWriter& out) const;
  // The shipped one; each is read when it is first asked for, since most packages are written in one language.
  [[nodiscard]] static const Catalogue& For(Language language);

  // By qualified name ("requests.post", ".execute" for a method of an unknown object); nullptr: nothing is known.
  [[nodiscard]] const CatalogueEntry* Find(std::string_view name) const;
  // A top-level module that functions of the catalogue belong to: "os", "requests".
  [[nodiscard]] bool KnowsModule(std::string_view root) const;
  // Whether the folders of constants should be asked about a function.
  [[nodiscard]] bool Folds(std::string_view name) const;

 private:
  struct Name {
    std::string_view name;  // as it is written, without braces: "x.y", "x.y.*"
    std::uint32_t entry = 0;
  };
  Catalogue() = default;
  [[nodiscard]] bool Add(Name name);  // false: it stands there already

  std::vector<CatalogueEntry> entries_;
  std::vector<Name> names_;           // of what Parse() made, to be written
  std::deque<std::string> expanded_;  // where these lie; of baked data they lie there
  std::unordered_map<std::string_view, std::uint32_t> exact_;
  std::unordered_map<std::string_view, std::uint32_t> prefixes_;  // "x.y" for "x.y.*"
  std::unordered_set<std::string_view> roots_;
  std::vector<std::string> folds_;
};

}  // namespace interlock::scan::code
