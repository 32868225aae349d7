// Names by which the engine knows what keeps a value's content. Engine room.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <string_view>

#include "code/ir.h"
#include "code/places.h"
#include "code/vendors.h"
#include "interlock/base/find_bytes.h"
#include "static/part_set.h"

namespace interlock::scan::code::engine_words {

// Whose functions a tap stands among (taps.cc, taps_handed.cc).
inline constexpr std::string_view kMemoryOfAgents = "the memory of agents";
inline constexpr std::string_view kAgentAndModel = "the agent and its model";
inline constexpr std::string_view kLogs = "the logs of others";

inline std::uint64_t Key(std::uint32_t high, std::uint32_t low) { return (std::uint64_t{high} << 32U) | low; }

template <std::size_t n>
inline bool SaysOneOf(std::string_view text, const std::string_view (&words)[n]) {
  return IsOneOf(text, words);
}

// super().put(v), super.put(v)
inline bool CallsAbove(const Module& code, const Expr& call) {
  if (call.base >= code.exprs.size() || code.exprs[call.base].kind != ExprKind::kMember) return false;
  const ExprId owner = code.exprs[call.base].base;
  if (owner >= code.exprs.size()) return false;
  const Expr& who = code.exprs[owner];
  if (who.kind == ExprKind::kCall) return who.base < code.exprs.size() && code.exprs[who.base].text == "super";
  return who.text == "super";
}

// Makers of handles on a file: "notes.db" is no host.
inline bool OpensFile(std::string_view callee) {
  constexpr auto kLocal = std::to_array<std::string_view>({"sqlite3.", "aiosqlite.", "duckdb.", "apsw.", "lmdb.",
                                                           "shelve.", "dbm.", "tinydb.", "better-sqlite3",
                                                           "node:sqlite.", "bun:sqlite.", "sqlite.", "lowdb."});
  return !callee.empty() && std::ranges::any_of(kLocal, [&](std::string_view name) {
    return name[0] == callee[0] && callee.starts_with(name);
  });
}

// Methods that give back what they are called on, in another form.
inline bool KeepsContent(std::string_view method) {
  static constexpr FixedWords kMethods(std::to_array<std::string_view>({"get",
                                                                        "items",
                                                                        "values",
                                                                        "copy",
                                                                        "encode",
                                                                        "decode",
                                                                        "strip",
                                                                        "rstrip",
                                                                        "lstrip",
                                                                        "split",
                                                                        "splitlines",
                                                                        "replace",
                                                                        "join",
                                                                        "format",
                                                                        "toString",
                                                                        "slice",
                                                                        "substring",
                                                                        "map",
                                                                        "filter",
                                                                        "reduce",
                                                                        "entries",
                                                                        "read",
                                                                        "readline",
                                                                        "readlines",
                                                                        "json",
                                                                        "text",
                                                                        "concat",
                                                                        "trim",
                                                                        "hex",
                                                                        "pop",
                                                                        "popleft",
                                                                        "next",
                                                                        "popitem",
                                                                        "get_nowait",
                                                                        "dequeue",
                                                                        "update",
                                                                        "stringify",
                                                                        "getvalue",
                                                                        "dumps",
                                                                        "push",
                                                                        "append",
                                                                        "then",
                                                                        "toJSON",
                                                                        "_asdict",
                                                                        "find",
                                                                        "flat",
                                                                        "put",
                                                                        "assign",
                                                                        "splice",
                                                                        "shift",
                                                                        "put_nowait",
                                                                        "enqueue",
                                                                        "collect",
                                                                        "Bytes",
                                                                        "lines",
                                                                        "chars",
                                                                        "unwrap_or",
                                                                        "get_password",
                                                                        "appendleft",
                                                                        "structuredClone",
                                                                        "deepcopy",
                                                                        "cloneDeep",
                                                                        "match",
                                                                        "matchAll",
                                                                        "lower",
                                                                        "upper",
                                                                        "toLowerCase",
                                                                        "ljust",
                                                                        "rjust",
                                                                        "center",
                                                                        "zfill",
                                                                        "swapcase",
                                                                        "casefold",
                                                                        "title",
                                                                        "capitalize",
                                                                        "expandtabs",
                                                                        "translate",
                                                                        "removeprefix",
                                                                        "removesuffix",
                                                                        "partition",
                                                                        "rpartition",
                                                                        "rsplit",
                                                                        "padStart",
                                                                        "padEnd",
                                                                        "repeat",
                                                                        "normalize",
                                                                        "at",
                                                                        "charAt",
                                                                        "substr",
                                                                        "toUpperCase",
                                                                        "trimStart",
                                                                        "trimEnd",
                                                                        "replaceAll",
                                                                        "toLocaleUpperCase",
                                                                        "toLocaleLowerCase",
                                                                        "valueOf",
                                                                        "reverse",
                                                                        "toReversed",
                                                                        "subarray",
                                                                        "tobytes",
                                                                        "tolist",
                                                                        "flatMap",
                                                                        "sort"}));
  return kMethods.Has(method);
}

// API_TOKEN: what an environment, or a file that is read into one, calls a variable.
inline bool IsNameOfVariable(std::string_view name) {
  constexpr std::size_t kShortest = 5;
  return name.size() >= kShortest && name.find('_') != std::string_view::npos &&
         std::ranges::all_of(name, [](char c) { return (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; });
}

// Methods that answer yes or no: next to nothing of what they are called on is in that.
inline bool AnswersWhether(std::string_view method) {
  static constexpr FixedWords kMethods(std::to_array<std::string_view>(
      {"includes", "startsWith", "endsWith", "startswith", "endswith", "test", "has", "hasOwn", "hasOwnProperty",
       "isdigit", "isalpha", "isalnum", "isnumeric", "isspace", "some", "every", "exists", "is_file", "is_dir"}));
  return kMethods.Has(method);
}

// Calls that log in somewhere: what they give back asks the other side, and holds the password only for that.
inline bool OpensConnection(std::string_view last) {
  return SaysOneOf(last, {"connect", "Connection", "create_connection", "createConnection", "create_pool", "createPool",
                          "create_engine", "create_async_engine", "createEngine"}) ||
         last.ends_with("ConnectionPool");
}

// Functions that give back their arguments in another form.
// Classes of libraries that only carry what they are made with: BaseEvent(properties={...}),
// PointStruct(payload={...}).
inline bool IsEnvelope(std::string_view name) {
  constexpr auto kEnds = std::to_array<std::string_view>(
      {"Event", "Message", "Point", "PointStruct", "Record", "Payload", "LogItem", "Mail", "Email", "Document",
       "Command", "Notification", "Embed", "Attachment", "Blob", "File", "Activity", "Entity"});
  return std::ranges::any_of(kEnds, [&](std::string_view end) { return name.ends_with(end); });
}

// A library of pairs of keys: those of wallets, of signatures.
inline bool UsesKeyPairs(const Module& module) {
  return std::ranges::any_of(module.imports, [](const Import& import) {
    return SaysOneOf(std::string_view(import.module).substr(0, import.module.find_first_of("./")),
                     {"eth_account", "web3", "ethers", "viem", "solders", "@solana", "nacl", "cryptography", "ecdsa",
                      "coincurve", "tweetnacl"});
  });
}

inline bool Transforms(std::string_view name) {
  const std::size_t dot = name.rfind('.');
  const std::string_view last = dot == std::string_view::npos ? name : name.substr(dot + 1);
  static constexpr FixedWords kFunctions(std::to_array<std::string_view>({"str",
                                                                          "dict",
                                                                          "list",
                                                                          "bytes",
                                                                          "bytearray",
                                                                          "tuple",
                                                                          "repr",
                                                                          "dumps",
                                                                          "stringify",
                                                                          "urlencode",
                                                                          "quote",
                                                                          "b64encode",
                                                                          "b32encode",
                                                                          "b16encode",
                                                                          "b85encode",
                                                                          "a85encode",
                                                                          "urlsafe_b64encode",
                                                                          "encodebytes",
                                                                          "hexlify",
                                                                          "compress",
                                                                          "from",
                                                                          "assign",
                                                                          "fromEntries",
                                                                          "keys",
                                                                          "String",
                                                                          "Join",
                                                                          "NewReader",
                                                                          "NewBuffer",
                                                                          "NewBufferString",
                                                                          "Marshal",
                                                                          "MarshalIndent",
                                                                          "EncodeToString",
                                                                          "QueryEscape",
                                                                          "PathEscape",
                                                                          "TrimSpace",
                                                                          "ReadAll",
                                                                          "to_string_pretty",
                                                                          "from_utf8",
                                                                          "from_utf8_lossy",
                                                                          "btoa",
                                                                          "gzipSync",
                                                                          "deflateSync",
                                                                          "encodeURIComponent",
                                                                          "sorted",
                                                                          "BytesIO",
                                                                          "StringIO",
                                                                          "Request",
                                                                          "FormData",
                                                                          "Headers",
                                                                          "URLSearchParams",
                                                                          "encrypt",
                                                                          "Blob",
                                                                          "inspect",
                                                                          "append",
                                                                          "extend",
                                                                          "insert",
                                                                          "setdefault",
                                                                          "push",
                                                                          "set",
                                                                          "add",
                                                                          "write",
                                                                          "push_str",
                                                                          "write_str",
                                                                          "extend_from_slice",
                                                                          "zip",
                                                                          "Map",
                                                                          "Set",
                                                                          "getvalue",
                                                                          "asdict",
                                                                          "ChainMap",
                                                                          "substitute",
                                                                          "safe_substitute",
                                                                          "format_map",
                                                                          "findall",
                                                                          "finditer",
                                                                          "sub",
                                                                          "subn",
                                                                          "next",
                                                                          "enumerate",
                                                                          "reversed",
                                                                          "islice",
                                                                          "iter",
                                                                          "deque",
                                                                          "defaultdict",
                                                                          "OrderedDict",
                                                                          "SimpleNamespace",
                                                                          "Proxy"}));
  return KeepsContent(last) || kFunctions.Has(last);
}

// `if name.startswith("MYAPP_")`: some variables are picked out of all, and not for being credentials.
inline bool PicksOwn(std::string_view text) {
  if (!base::HasBytes(text, "tartswith(") && !base::HasBytes(text, "tartsWith(")) return false;
  bool picks = false;
  // ... if k.endswith(("_KEY", "_TOKEN")): whose they are is all the same.
  static constexpr PartSet kEnds(std::to_array<std::string_view>(
      {"\"_KEY\"", "\"_TOKEN\"", "'_KEY'", "'_TOKEN'", "/KEY|", "KEY|TOKEN", "TOKEN|KEY", "SECRET|"}));
  if (kEnds.AnyIn(text)) return false;
  for (const std::string_view call : {"startswith(", "startsWith("}) {
    for (std::size_t at = text.find(call); at != std::string_view::npos; at = text.find(call, at + 1)) {
      std::size_t from = at + call.size();
      if (from + 4 > text.size() || (text[from] != '"' && text[from] != '\'')) {
        picks = true;  // a constant kept elsewhere
        continue;
      }
      const std::size_t to = text.find(text[from], from + 1);
      if (to == std::string_view::npos) return false;
      const std::string_view prefix = text.substr(from + 1, to - from - 1);
      if (prefix.size() < 3 || VendorOf(prefix).any() || IsSecretName(prefix)) return false;
      picks = true;
    }
  }
  return picks && text.find("not ") == std::string_view::npos && text.find("(!") == std::string_view::npos;
}

// req.headers.authorization, { cookie } = req.headers
inline bool IsCredentialHeader(std::string_view key) {
  return SaysOneOf(key, {"authorization", "Authorization", "cookie", "cookies", "x-api-key", "X-Api-Key"});
}

}  // namespace interlock::scan::code::engine_words

namespace interlock::scan::code {

// A function whose name says that it checks or cleans its argument.
[[nodiscard]] bool IsCheck(std::string_view function);
// name.replace(/[^a-z0-9]+/g, "-"), re.sub(r"[^\w-]", "", name): all but what is listed is taken out, separators of
// paths too.
[[nodiscard]] bool Scrubs(std::string_view text);
// /.../m, re.compile("...", re.M): whether a regular expression is asked of each line. `behind`: what stands from its
// closing slash or quote on.
[[nodiscard]] inline bool IsByLine(char quote, std::string_view behind) {
  if (quote == '/') return behind.find('m') != std::string_view::npos;
  return behind.find("re.M") != std::string_view::npos || behind.find("MULTILINE") != std::string_view::npos;
}
// ^[a-z]+$, in its slashes or quotes: what all of a text has to be; "": it says so of a part. `begins`, `whole`: the
// call asks for the text from its start, or for all of it.
[[nodiscard]] inline std::string_view OfWholeText(std::string_view written, bool begins, bool whole) {
  const std::size_t from = written.find_first_of("/\"'");
  const std::size_t to = from == std::string_view::npos ? from : written.rfind(written[from]);
  // Of one line: the others may say anything.
  if (to == std::string_view::npos || to <= from || IsByLine(written[from], written.substr(to))) return {};
  std::string_view pattern = written.substr(from + 1, to - from - 1);
  const bool head = pattern.starts_with('^');
  if (head) pattern.remove_prefix(1);
  const bool tail = pattern.ends_with('$');
  if (tail) pattern.remove_suffix(1);
  return whole || (tail && (head || begins)) ? pattern : std::string_view();
}
// Of a regular expression, where the set of letters that begins at `from`, behind its bracket, ends; npos: nowhere.
[[nodiscard]] inline std::size_t EndOfSet(std::string_view pattern, std::size_t from) {
  for (std::size_t i = from; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == ']' && i > from) {
      return i;
    }
  }
  return std::string_view::npos;
}
// `'${text.replace(/'/g, "'\\''")}'`: one word for a shell, whatever it says.
[[nodiscard]] bool QuotesForShell(std::string_view text);

// getenv("NAME"), environ["NAME"], process.env.NAME
[[nodiscard]] inline bool ReadsVariable(std::string_view text, std::string_view name) {
  constexpr std::size_t kBefore = 14;
  for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
    const std::size_t from = at > kBefore ? at - kBefore : 0;
    if (text.substr(from, at - from).find("env") != std::string_view::npos) return true;
  }
  return false;
}

}  // namespace interlock::scan::code
