#include "interlock/bounds/tool_class.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "interlock/base/check.h"
#include "interlock/base/json.h"
#include "interlock/base/text.h"
#include "words.h"

namespace interlock::bounds {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using core::SideEffect;

constexpr std::array<std::string_view, 3> kNames = {"retrieval", "sink", "action"};

constexpr std::string_view kReads[] = {
    "get",     "list",      "read",      "search",   "find",    "query",     "fetch",   "show",      "describe",
    "view",    "lookup",    "look",      "count",    "status",  "check",     "head",    "stat",      "info",
    "diff",    "log",       "tree",      "echo",     "ping",    "print",     "browse",  "preview",   "validate",
    "explain", "watch",     "directory", "retrieve", "inspect", "summarize", "compare", "calculate", "compute",
    "convert", "translate", "visit",     "crawl",    "scrape",  "load",      "peek",    "scan",      "verify",
    "whoami",  "history",   "recall",    "navigate", "download"};
constexpr std::string_view kActs[] = {
    "write",       "create",   "edit",    "move",     "add",        "update",    "set",       "put",     "post",
    "send",        "insert",   "append",  "rename",   "copy",       "upload",    "save",      "patch",   "replace",
    "modify",      "toggle",   "make",    "mkdir",    "push",       "commit",    "merge",     "close",   "open",
    "reply",       "comment",  "publish", "book",     "pay",        "transfer",  "trigger",   "start",   "stop",
    "delete",      "remove",   "drop",    "clear",    "reset",      "purge",     "wipe",      "destroy", "trash",
    "unlink",      "fork",     "assign",  "schedule", "reschedule", "cancel",    "share",     "reserve", "order",
    "buy",         "purchase", "refund",  "sell",     "forward",    "submit",    "approve",   "deny",    "deploy",
    "rollback",    "restart",  "scale",   "release",  "migrate",    "provision", "terminate", "apply",   "reboot",
    "promote",     "failover", "grant",   "revoke",   "authorize",  "rotate",    "chmod",     "chown",   "invite",
    "impersonate", "run",      "exec",    "execute",  "shell",      "bash",      "eval",      "command", "terminal",
    "invoke",      "call",     "click",   "type",     "fill",       "register",  "subscribe", "enable",  "disable",
    "archive"};
// Reading verbs that themselves go to an address when they stand without an object ("fetch", "web_fetch").
constexpr std::string_view kVisits[] = {"fetch", "browse", "visit", "crawl", "scrape", "navigate", "download"};
// What a name calls the things that are addressed by URL.
constexpr std::string_view kAddressed[] = {"url",     "urls",    "uri",      "link",     "links", "http", "https",
                                           "webpage", "website", "webpages", "websites", "web",   "site", "browser"};
// Verbs that ask an index rather than visit an address.
constexpr std::string_view kSearches[] = {"search", "find", "list", "lookup", "query", "count"};
constexpr std::string_view kAddressArguments[] = {"url", "urls", "uri", "uris", "link", "href", "endpoint", "webhook"};

constexpr std::size_t kMaxWords = 64;
constexpr std::size_t kMaxNameBytes = 1024;
constexpr std::size_t kMaxTools = 100'000;

template <std::size_t N>
bool Has(const std::string_view (&words)[N], std::string_view word) {
  return std::ranges::find(words, word) != std::end(words);
}

struct NameReading {
  std::optional<ToolClass> verb;  // nothing: no verb that we know
  bool visits = false;
};

NameReading ReadName(std::string_view name) {
  const std::vector<std::string> words = WordsOf(name.substr(0, kMaxNameBytes), kMaxWords);
  NameReading reading;
  bool searches = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string_view word = words[i];
    searches |= Has(kSearches, word);
    reading.visits |= Has(kAddressed, word) || (Has(kVisits, word) && i + 1 == words.size());
    const bool acts = Has(kActs, word);
    if (!acts && !Has(kReads, word)) continue;
    const bool is_joined = i > 0 && (words[i - 1] == "and" || words[i - 1] == "or");
    if (!reading.verb || (is_joined && acts)) reading.verb = acts ? ToolClass::kAction : ToolClass::kRetrieval;
  }
  if (searches) reading.visits = false;
  return reading;
}

bool SchemaNamesAddress(std::string_view schema) {
  const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(schema);
  if (!doc.ok()) return false;
  const JsonValue properties = doc.value().root().Find("properties");
  for (auto it = properties.begin(); it != properties.end(); ++it) {
    if ((*it).Find("format").string() == "uri" || (*it).Find("items").Find("format").string() == "uri") return true;
    const std::vector<std::string> words = WordsOf(it.key().substr(0, kMaxNameBytes), kMaxWords);
    if (std::ranges::any_of(words, [](const std::string& word) { return Has(kAddressArguments, word); })) return true;
  }
  return false;
}

Error Bad(JsonValue at, std::string message) {
  base::SourcePlace place;
  if (at.exists()) place.offset = at.offset();
  return Error(ErrorCode::kGraphTools, std::move(message), std::move(place));
}

}  // namespace

std::string_view NameOf(ToolClass tool_class) noexcept {
  const auto index = static_cast<std::size_t>(tool_class);
  INTERLOCK_CHECK(index < kNames.size(), "an enumerator has a name");
  return kNames[index];
}

std::optional<ToolClass> ToolClassFromName(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    if (kNames[i] == name) return static_cast<ToolClass>(i);
  }
  return std::nullopt;
}

ToolClass ClassifyName(std::string_view name) {
  const NameReading reading = ReadName(name);
  const ToolClass by_verb = reading.verb.value_or(ToolClass::kAction);
  return by_verb == ToolClass::kRetrieval && reading.visits ? ToolClass::kSink : by_verb;
}

ToolClass Classify(const core::ToolSpec& tool) {
  const NameReading reading = ReadName(tool.name);
  ToolClass by_effect = ToolClass::kAction;
  if (tool.side_effect != SideEffect::kUnknown) {
    by_effect = tool.side_effect == SideEffect::kRead ? ToolClass::kRetrieval : ToolClass::kAction;
  } else {
    const SideEffect stated = core::SideEffectFromAnnotations(tool.annotations);
    if (stated == SideEffect::kRead) {
      by_effect = reading.verb.value_or(ToolClass::kRetrieval);
    } else if (stated == SideEffect::kUnknown) {
      by_effect = reading.verb.value_or(ToolClass::kAction);
    }
  }
  if (by_effect != ToolClass::kRetrieval) return by_effect;
  return reading.visits || SchemaNamesAddress(tool.input_schema) ? ToolClass::kSink : ToolClass::kRetrieval;
}

base::Result<ToolClasses> ToolClasses::Parse(std::string_view json) {
  const base::Result<base::JsonDoc> doc = base::JsonDoc::Parse(json);
  if (!doc.ok()) return doc.error();
  const JsonValue root = doc.value().root();
  ToolClasses classes;
  const JsonValue list = root.is_array() ? root : root.Find("tools").is_array() ? root.Find("tools") : JsonValue();
  if (list.exists()) {
    for (const JsonValue item : list) {
      const base::Result<core::ToolSpec> tool = core::ToolSpecFromMcp(item, "");
      if (!tool.ok()) return Bad(item, tool.error().message());
      classes.Describe(tool.value());
    }
    return classes;
  }
  if (!root.is_object()) return Bad(root, "tool classes are an object, or a tools/list result");
  if (root.size() > kMaxTools) return Bad(root, fmt::format("more than {} tools", kMaxTools));
  for (auto it = root.begin(); it != root.end(); ++it) {
    const std::optional<ToolClass> tool_class = ToolClassFromName((*it).string());
    if (!tool_class) {
      return Bad(*it,
                 fmt::format("the class of `{}` is none of retrieval, sink, action", base::Printable(it.key(), 80)));
    }
    classes.State(it.key(), *tool_class);
  }
  return classes;
}

void ToolClasses::State(std::string_view name, ToolClass tool_class) {
  stated_.insert_or_assign(std::string(name), tool_class);
}

void ToolClasses::Describe(const core::ToolSpec& tool) {
  ToolClass& known = described_[tool.name];
  known = std::max(known, Classify(tool));
}

ToolClass ToolClasses::Of(std::string_view name) const {
  if (const auto it = stated_.find(name); it != stated_.end()) return it->second;
  if (const auto it = described_.find(name); it != described_.end()) return it->second;
  return ClassifyName(name);
}

void ToolClasses::Overlay(const ToolClasses& other) {
  for (const auto& [name, tool_class] : other.stated_) stated_.insert_or_assign(name, tool_class);
  for (const auto& [name, tool_class] : other.described_) {
    ToolClass& known = described_[name];
    known = std::max(known, tool_class);
  }
}

}  // namespace interlock::bounds
