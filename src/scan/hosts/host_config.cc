#include "interlock/scan/host_config.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "interlock/base/json.h"
#include "static/ascii.h"

namespace interlock::scan {

namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::Result;

constexpr std::size_t kMaxBytes = std::size_t{8} << 20;
constexpr std::size_t kMaxEntries = 10'000;
constexpr std::string_view kMasked = "***";

class ConfigReader {
 public:
  explicit ConfigReader(std::string_view text) {
    for (std::size_t at = text.find('\n'); at != std::string_view::npos; at = text.find('\n', at + 1))
      line_ends_.push_back(at);
  }

  void Read(JsonValue root) {
    Servers(root.Find("mcpServers"), "");
    Servers(root.Find("servers"), "");      // VS Code's mcp.json
    Servers(root.Find("mcp_servers"), "");  // Codex
    Servers(root.Find("mcp.servers"), "");  // VS Code's settings, flat
    if (root.Find("mcp").Find("servers").is_object()) {
      Servers(root.Find("mcp").Find("servers"), "");  // VS Code's settings
    } else {
      Servers(root.Find("mcp"), "");  // OpenCode
    }
    const JsonValue projects = root.Find("projects");  // Claude Code's state
    for (auto it = projects.begin(); projects.is_object() && it != projects.end(); ++it)
      Servers((*it).Find("mcpServers"), it.key());
    Hooks(root.Find("hooks"));
    Plugins(root);
  }

  [[nodiscard]] HostConfig Take() { return std::move(config_); }
  [[nodiscard]] bool full() const { return entries_ >= kMaxEntries; }

 private:
  [[nodiscard]] std::uint32_t LineOf(JsonValue value) const {
    const auto before = std::lower_bound(line_ends_.begin(), line_ends_.end(), value.offset()) - line_ends_.begin();
    return static_cast<std::uint32_t>(before + 1);
  }
  [[nodiscard]] bool Count() { return ++entries_ <= kMaxEntries; }

  static void Strings(JsonValue array, std::vector<std::string>& out) {
    for (const JsonValue item : array)
      if (item.is_string() || item.is_number()) out.emplace_back(item.is_string() ? item.string() : item.number_text());
  }
  static void Pairs(JsonValue object, std::vector<std::pair<std::string, std::string>>& out) {
    if (!object.is_object()) return;
    for (auto it = object.begin(); it != object.end(); ++it)
      out.emplace_back(it.key(), (*it).is_string() ? (*it).string() : (*it).raw());
  }

  void Servers(JsonValue servers, std::string_view project) {
    if (!servers.is_object()) return;
    for (auto it = servers.begin(); it != servers.end(); ++it) {
      const JsonValue value = *it;
      if (!value.is_object()) continue;
      ConfiguredServer server;
      server.name = it.key();
      server.project = project;
      const JsonValue command = value.Find("command");
      if (command.is_string()) server.command.emplace_back(command.string());
      if (command.is_array()) Strings(command, server.command);
      if (value.Find("args").is_array() && !server.command.empty()) Strings(value.Find("args"), server.command);
      for (const std::string_view key : {"url", "serverUrl", "httpUrl"})
        if (server.url.empty()) server.url = value.Find(key).string();
      if (server.command.empty() && server.url.empty()) continue;  // of another kind
      server.cwd = value.Find("cwd").string();
      for (const std::string_view key : {"env", "environment"}) Pairs(value.Find(key), server.environment);
      for (const std::string_view key : {"headers", "http_headers", "env_http_headers"})
        Pairs(value.Find(key), server.headers);
      server.enabled = value.Find("disabled").AsBool() != true && value.Find("enabled").AsBool() != false;
      server.line = LineOf(value);
      if (!Count()) return;
      config_.servers.push_back(std::move(server));
    }
  }

  void Hook(JsonValue value, std::string_view event, std::string_view matcher) {
    ConfiguredHook hook;
    hook.event = event;
    hook.matcher = matcher;
    hook.type = value.Find("type").string();
    hook.line = LineOf(value);
    if (value.is_string()) hook.command = value.string();
    for (const std::string_view key : {"command", "bash", "powershell", "linux", "osx", "windows", "url", "prompt"}) {
      const JsonValue found = value.Find(key);
      if (!found.is_string()) continue;
      if (hook.type.empty()) hook.type = key == "url" || key == "prompt" ? key : "command";
      if (!hook.command.empty()) hook.command += " | ";
      hook.command += found.string();
    }
    std::vector<std::string> args;
    if (value.Find("args").is_array()) Strings(value.Find("args"), args);
    for (const std::string& arg : args) hook.command += " " + arg;
    if (hook.command.empty() || !Count()) return;
    if (hook.type.empty()) hook.type = "command";
    config_.hooks.push_back(std::move(hook));
  }

  // {"Event": [{"matcher": .., "hooks": [{..}]}]}, {"event": [{"command": ..}]} or {"event": {..}}.
  void Hooks(JsonValue hooks) {
    if (!hooks.is_object()) return;
    for (auto it = hooks.begin(); it != hooks.end(); ++it) {
      const JsonValue event = *it;
      if (event.is_object()) Hook(event, it.key(), "");
      if (!event.is_array()) continue;
      for (const JsonValue group : event) {
        if (!group.Find("hooks").is_array()) {
          Hook(group, it.key(), group.Find("matcher").string());
          continue;
        }
        for (const JsonValue hook : group.Find("hooks")) Hook(hook, it.key(), group.Find("matcher").string());
      }
    }
  }

  void Plugins(JsonValue root) {
    // Claude Code: {"enabledPlugins": {"name@market": true}}; what is installed: {"plugins": {"name@market":
    // [{"installPath": ".."}]}}.
    for (const std::string_view key : {"enabledPlugins", "plugins"}) {
      const JsonValue plugins = root.Find(key);
      if (!plugins.is_object()) continue;
      for (auto it = plugins.begin(); it != plugins.end(); ++it) {
        if (!Count()) return;
        const JsonValue installed = (*it).is_array() ? (*it).FindPointer("/0") : *it;
        config_.plugins.push_back({.name = std::string(it.key()),
                                   .path = std::string(installed.Find("installPath").string()),
                                   .enabled = (*it).AsBool() != false,
                                   .line = LineOf(*it)});
      }
    }
    // OpenCode: {"plugin": ["npm-name"]}.
    if (!root.Find("plugin").is_array()) return;
    for (const JsonValue plugin : root.Find("plugin")) {
      if (!plugin.is_string() || !Count()) continue;
      config_.plugins.push_back(
          {.name = std::string(plugin.string()), .path = {}, .enabled = true, .line = LineOf(plugin)});
    }
  }

  std::vector<std::size_t> line_ends_;
  HostConfig config_;
  std::size_t entries_ = 0;
};

bool NamesASecret(std::string_view name) {
  static constexpr std::array kWords = {
      std::string_view("key"),        std::string_view("token"), std::string_view("secret"), std::string_view("passw"),
      std::string_view("credential"), std::string_view("auth"),  std::string_view("bearer"), std::string_view("cookie"),
      std::string_view("dsn"),        std::string_view("pwd")};
  const std::string lower = LowerCase(name);
  return std::any_of(kWords.begin(), kWords.end(),
                     [&](std::string_view word) { return lower.find(word) != std::string::npos; });
}

// Shapes that issuers gave their tokens so that they are found, and long runs of random characters.
bool LooksSecret(std::string_view word) {
  static constexpr std::array kPrefixes = {
      std::string_view("sk-"),    std::string_view("ghp_"),  std::string_view("gho_"),  std::string_view("github_pat_"),
      std::string_view("glpat-"), std::string_view("xoxb-"), std::string_view("xoxp-"), std::string_view("AKIA"),
      std::string_view("eyJ"),    std::string_view("AIza"),  std::string_view("npm_"),  std::string_view("hf_")};
  constexpr std::size_t kShortest = 16;
  if (word.size() < kShortest) return false;
  for (const std::string_view prefix : kPrefixes)
    if (word.starts_with(prefix)) return true;
  constexpr std::size_t kRandom = 32;
  if (word.size() < kRandom) return false;
  std::size_t digits = 0;
  for (const char c : word) {
    if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '_' && c != '-' && c != '+' && c != '=') return false;
    digits += c >= '0' && c <= '9' ? 1U : 0U;
  }
  return digits >= 4;
}

// One word of a command line; `masked_next` is set when its value is the word after it.
std::string PrintableWord(std::string_view word, bool& masked_next) {
  if (std::exchange(masked_next, false)) return std::string(kMasked);
  if (word.find("://") != std::string_view::npos) {
    const std::size_t equals = word.find('=');
    const std::size_t scheme = word.find("://");
    if (equals != std::string_view::npos && equals < scheme)
      return std::string(word.substr(0, equals + 1)) + PrintableUrl(word.substr(equals + 1));
    return PrintableUrl(word);
  }
  const std::size_t mark = word.find_first_of("=:");
  if (mark != std::string_view::npos && mark > 0) {
    const std::string_view name = word.substr(0, mark);
    const std::string_view value = word.substr(mark + 1);
    if (!value.empty() && (NamesASecret(name) || LooksSecret(value)))
      return std::string(word.substr(0, mark + 1)) + std::string(kMasked);
    // "Authorization:" with the value in the next word.
    if (value.empty() && NamesASecret(name)) masked_next = true;
    return std::string(word);
  }
  if (word.starts_with('-') && NamesASecret(word)) masked_next = true;
  return LooksSecret(word) ? std::string(kMasked) : std::string(word);
}

}  // namespace

std::string StripJsonComments(std::string_view bytes) {
  std::string out(bytes);
  const auto blank = [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (out[i] != '\n' && out[i] != '\r') out[i] = ' ';
  };
  std::size_t at = 0;
  if (bytes.starts_with("\xef\xbb\xbf")) {
    blank(0, 3);
    at = 3;
  }
  std::size_t comma = std::string::npos;  // the last one, while only white space follows it
  while (at < out.size()) {
    const char c = out[at];
    if (c == '"') {
      comma = std::string::npos;
      for (++at; at < out.size() && out[at] != '"'; ++at)
        if (out[at] == '\\') ++at;
      ++at;
    } else if (c == '/' && at + 1 < out.size() && out[at + 1] == '/') {
      const std::size_t end = std::min(out.find('\n', at), out.size());
      blank(at, end);
      at = end;
    } else if (c == '/' && at + 1 < out.size() && out[at + 1] == '*') {
      const std::size_t close = out.find("*/", at + 2);
      if (close == std::string::npos) break;  // not a comment: an error for the parser
      blank(at, close + 2);
      at = close + 2;
    } else {
      if (c == ',') {
        comma = at;
      } else if ((c == '}' || c == ']') && comma != std::string::npos) {
        out[comma] = ' ';
        comma = std::string::npos;
      } else if (std::isspace(static_cast<unsigned char>(c)) == 0) {
        comma = std::string::npos;
      }
      ++at;
    }
  }
  return out;
}

Result<HostConfig> ParseHostConfig(HostSyntax syntax, std::string_view bytes) {
  if (bytes.size() > kMaxBytes) return Error(ErrorCode::kLimitExceeded, "a configuration of more than 8 MiB");
  std::string text;
  if (syntax == HostSyntax::kToml) {
    Result<std::string> json = TomlToJson(bytes);
    if (!json.ok()) return json.error();
    text = std::move(json.value());
  } else {
    text = StripJsonComments(bytes);
  }
  const Result<base::JsonDoc> doc =
      base::JsonDoc::Parse(text, {.max_bytes = 2 * kMaxBytes, .max_depth = 128, .max_values = 400'000});
  if (!doc.ok()) return doc.error();
  ConfigReader reader(text);
  reader.Read(doc.value().root());
  if (reader.full()) return Error(ErrorCode::kLimitExceeded, "a configuration of more than 10000 entries");
  HostConfig config = reader.Take();
  if (syntax == HostSyntax::kToml) {
    // Lines of the JSON are not those of the file: the header of a server's table is.
    for (ConfiguredServer& server : config.servers) {
      std::size_t at = bytes.find("[mcp_servers." + server.name);
      if (at == std::string_view::npos) at = bytes.find("[mcp_servers.\"" + server.name + "\"");
      const std::string_view before = bytes.substr(0, at == std::string_view::npos ? 0 : at);
      server.line = at == std::string_view::npos
                        ? 0
                        : static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n'));
    }
    for (ConfiguredHook& hook : config.hooks) hook.line = 0;
    for (ConfiguredPlugin& plugin : config.plugins) plugin.line = 0;
  }
  return config;
}

std::string PrintableUrl(std::string_view url) {
  const std::size_t scheme = url.find("://");
  const std::size_t host = scheme == std::string_view::npos ? 0 : scheme + 3;
  const std::size_t host_end = std::min(url.find_first_of("/?#", host), url.size());
  const std::size_t user_end = url.substr(0, host_end).rfind('@');
  std::string out(url.substr(0, host));
  if (user_end != std::string_view::npos && user_end >= host) {
    out += std::string(kMasked) + "@";
    out += url.substr(user_end + 1, host_end - user_end - 1);
  } else {
    out += url.substr(host, host_end - host);
  }
  std::string_view rest = url.substr(host_end);
  rest = rest.substr(0, rest.find('#'));
  const std::size_t query = rest.find('?');
  // Some services put the key into the path.
  const std::string_view path = rest.substr(0, query);
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t slash = std::min(path.find('/', at + 1), path.size());
    const std::string_view part = path.substr(at, slash - at);
    out += LooksSecret(part.substr(1)) ? "/" + std::string(kMasked) : std::string(part);
    at = slash;
  }
  if (query == std::string_view::npos) return out;
  out += '?';
  std::string_view pairs = rest.substr(query + 1);
  for (bool first = true; !pairs.empty(); first = false) {
    const std::size_t end = std::min(pairs.find('&'), pairs.size());
    const std::string_view pair = pairs.substr(0, end);
    if (!first) out += '&';
    out += pair.substr(0, std::min(pair.find('='), pair.size()));
    if (pair.find('=') != std::string_view::npos) out += "=" + std::string(kMasked);
    pairs.remove_prefix(std::min(end + 1, pairs.size()));
  }
  return out;
}

std::string PrintableCommand(const std::vector<std::string>& command) {
  std::string out;
  bool masked_next = false;
  for (const std::string& word : command) {
    if (!out.empty()) out += ' ';
    // A whole script in one argument is words again.
    const bool script = word.find(' ') != std::string::npos && !masked_next;
    const std::string shown = script ? PrintableShell(word) : PrintableWord(word, masked_next);
    out += script ? "'" + shown + "'" : shown;
  }
  return out;
}

std::string PrintableShell(std::string_view text) {
  std::string out;
  bool masked_next = false;
  while (!text.empty()) {
    const std::size_t blank = std::min(text.find_first_of(" \t\r\n"), text.size());
    if (blank > 0) out += PrintableWord(text.substr(0, blank), masked_next);
    text.remove_prefix(blank);
    const std::size_t word = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    out += text.substr(0, word);
    text.remove_prefix(word);
  }
  return out;
}

}  // namespace interlock::scan
