#include "draft_words.h"

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "interlock/base/json.h"
#include "names.h"

namespace interlock::policy {
namespace {

using core::SideEffect;

constexpr std::string_view kReads[] = {
    "get",    "list",  "read",   "search", "find",     "query",   "fetch",    "show",    "describe", "view",
    "lookup", "count", "status", "check",  "head",     "stat",    "info",     "diff",    "log",      "tree",
    "echo",   "ping",  "print",  "browse", "download", "preview", "validate", "explain", "watch",    "directory"};
constexpr std::string_view kWrites[] = {
    "write",  "create", "edit",     "move",    "add",    "update", "set",    "put",     "post",    "send",
    "insert", "append", "rename",   "copy",    "upload", "save",   "patch",  "replace", "modify",  "toggle",
    "make",   "mkdir",  "push",     "commit",  "merge",  "close",  "open",   "reply",   "comment", "publish",
    "book",   "pay",    "transfer", "trigger", "start",  "stop",   "delete", "remove",  "drop",    "clear",
    "reset",  "purge",  "wipe",     "destroy", "trash",  "unlink", "fork",   "assign"};
constexpr std::string_view kDestroys[] = {"delete", "remove", "drop",    "clear", "reset",
                                          "purge",  "wipe",   "destroy", "trash", "unlink"};
constexpr std::string_view kDeploys[] = {"deploy",    "rollback",  "restart", "scale",  "release", "migrate",
                                         "provision", "terminate", "apply",   "reboot", "promote", "failover"};
constexpr std::string_view kSecures[] = {"grant", "revoke", "authorize", "rotate",
                                         "chmod", "chown",  "invite",    "impersonate"};
constexpr std::string_view kRuns[] = {"run",  "exec",    "execute",  "shell",  "bash",
                                      "eval", "command", "terminal", "invoke", "call"};

constexpr std::string_view kPathNames[] = {"path",      "paths",       "file",        "files",    "filename",
                                           "filenames", "filepath",    "file_path",   "filePath", "file_name",
                                           "dir",       "directory",   "directories", "folder",   "repo_path",
                                           "root_path", "output_path", "input_path",  "workdir"};
constexpr std::pair<std::string_view, std::string_view> kPathPairs[] = {
    {"source", "destination"}, {"src", "dst"}, {"src", "dest"}, {"from", "to"}};
constexpr std::string_view kDestinationNames[] = {"url",   "urls",   "uri",     "endpoint",  "webhook",
                                                  "to",    "cc",     "bcc",     "recipient", "recipients",
                                                  "email", "emails", "address", "channel"};

constexpr std::size_t kMaxProperties = 256;

template <std::size_t N>
bool Has(const std::string_view (&words)[N], std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

// "readTextFile", "read-text-file" and "fs.read_text_file" alike: lower-case words.
std::vector<std::string> WordsOf(std::string_view name) {
  std::vector<std::string> words(1);
  bool was_lower = false;
  for (char c : name.substr(0, 256)) {
    const bool is_upper = c >= 'A' && c <= 'Z';
    const bool is_lower = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (!is_upper && !is_lower) {
      if (!words.back().empty()) words.emplace_back();
      was_lower = false;
      continue;
    }
    if (is_upper && was_lower && !words.back().empty()) words.emplace_back();
    words.back() += is_upper ? static_cast<char>(c - 'A' + 'a') : c;
    was_lower = is_lower;
  }
  return words;
}

struct Verb {
  SideEffect effect;
  std::string_view word;
};

std::optional<Verb> VerbOf(std::string_view word) {
  if (Has(kSecures, word)) return Verb{SideEffect::kSecurity, word};
  if (Has(kDeploys, word)) return Verb{SideEffect::kDeploy, word};
  if (Has(kWrites, word)) return Verb{SideEffect::kWrite, word};
  if (Has(kReads, word)) return Verb{SideEffect::kRead, word};
  if (Has(kRuns, word)) return Verb{SideEffect::kUnknown, word};
  return std::nullopt;
}

// The first verb counts ("get_commit" reads), unless "and" or "or" joins a stricter one ("search_and_replace").
std::optional<Verb> MainVerb(const std::vector<std::string>& words) {
  std::optional<Verb> found;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto verb = VerbOf(words[i]);
    if (!verb) continue;
    const bool is_joined = i > 0 && (words[i - 1] == "and" || words[i - 1] == "or");
    if (!found || (is_joined && (verb->effect > found->effect || verb->effect == SideEffect::kUnknown))) found = verb;
  }
  return found;
}

// "string" or a list of strings: 1 or 2; else 0.
int StringShape(base::JsonValue schema) {
  const auto is_string = [](base::JsonValue s) {
    const base::JsonValue type = s.Find("type");
    if (type.string() == "string") return true;
    for (auto it = type.begin(); it != type.end(); ++it) {
      if ((*it).string() == "string") return true;
    }
    return false;
  };
  if (is_string(schema)) return 1;
  return schema.Find("type").string() == "array" && is_string(schema.Find("items")) ? 2 : 0;
}

std::string Pointer(std::string_view name, int shape) { return "/" + std::string(name) + (shape == 2 ? "/*" : ""); }

}  // namespace

EffectGuess GuessEffect(const core::ToolSpec& tool) {
  EffectGuess guess;
  const std::vector<std::string> words = WordsOf(tool.name);
  const auto verb = MainVerb(words);
  guess.destroys = std::ranges::any_of(words, [](const std::string& w) { return Has(kDestroys, w); });
  const SideEffect stated = core::SideEffectFromAnnotations(tool.annotations);
  const std::string named = verb ? "its name says `" + std::string(verb->word) + "`" : "";
  if (stated == SideEffect::kRead) {
    if (verb && verb->effect > SideEffect::kRead) {
      guess.effect = verb->effect;
      guess.why = "its server says read-only, but " + named;
    } else {
      guess.effect = SideEffect::kRead;
      guess.why = "its server says read-only";
    }
  } else if (stated == SideEffect::kWrite) {
    guess.effect = verb && verb->effect > SideEffect::kWrite ? verb->effect : SideEffect::kWrite;
    guess.why = "its server says that it changes things";
  } else if (verb && verb->effect != SideEffect::kUnknown) {
    guess.effect = verb->effect;
    guess.why = named + "; its server says nothing";
  } else {
    guess.why = verb ? named + ": it could do anything" : "neither its server nor its name says; state it";
  }
  return guess;
}

ArgumentGuesses GuessArguments(const core::ToolSpec& tool) {
  ArgumentGuesses out;
  const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(tool.input_schema.empty() ? "{}" : tool.input_schema);
  if (!doc.ok()) return out;
  const base::JsonValue properties = doc.value().root().Find("properties");
  if (!properties.is_object() || properties.size() > kMaxProperties) return out;
  for (std::string_view name : kPathNames) {
    if (const int shape = StringShape(properties.Find(name)); shape != 0) out.paths.push_back(Pointer(name, shape));
  }
  for (const auto& [from, to] : kPathPairs) {
    const int from_shape = StringShape(properties.Find(from));
    const int to_shape = StringShape(properties.Find(to));
    if (from_shape == 0 || to_shape == 0) continue;
    // A message has `from` and `to` as well; files are moved or copied.
    const std::vector<std::string> words = WordsOf(tool.name);
    const bool moves = std::ranges::any_of(
        words, [](const std::string& w) { return w == "move" || w == "copy" || w == "rename" || w == "file"; });
    if (!moves) continue;
    out.paths.push_back(Pointer(from, from_shape));
    out.paths.push_back(Pointer(to, to_shape));
  }
  for (std::string_view name : kDestinationNames) {
    const int shape = StringShape(properties.Find(name));
    if (shape == 0) continue;
    const std::string pointer = Pointer(name, shape);
    if (std::ranges::find(out.paths, pointer) == out.paths.end()) out.destinations.push_back(pointer);
  }
  return out;
}

}  // namespace interlock::policy
