// Words of the sinks: hosts and answers as texts with holes show them. Engine room.
#pragma once

#include <algorithm>
#include <array>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>

#include "code/engine.h"
#include "static/literals.h"
#include "static/shell_judge.h"

namespace interlock::scan::code::sink_words {

inline bool IsShellName(std::string_view program) {
  const std::size_t slash = program.find_last_of("/\\");
  if (slash != std::string_view::npos) program.remove_prefix(slash + 1);
  for (const std::string_view shell :
       {"sh", "bash", "zsh", "dash", "ksh", "cmd", "cmd.exe", "powershell", "powershell.exe", "pwsh"}) {
    if (program == shell) return true;
  }
  return false;
}

inline bool Contains(std::string_view text, std::string_view part) {
  return base::FindBytes(text, part) != std::string_view::npos;
}

inline bool AnyOf(std::string_view text, std::initializer_list<std::string_view> parts) { return SaysAny(text, parts); }

// A statement that sends a browser to a page: the page answers there, before the user's eyes.
inline bool OpensPage(std::string_view statement) {
  const std::string_view callee = statement.substr(0, std::min(statement.find('('), std::size_t{200}) + 1);
  return AnyOf(callee, {".goto(", ".navigate(", "driver.get(", "browser.get(", "webbrowser."});
}

// Without blanks, with one kind of quotes.
inline std::string Squeezed(std::string_view text) {
  std::string out(text.substr(0, 8192));
  const auto gone =
      std::remove_if(out.begin(), out.end(), [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; });
  out.erase(gone, out.end());
  std::replace(out.begin(), out.end(), '\'', '"');
  return out;
}

// Options of a container, squeezed, give it all files of the host, to be written as well: {"/": {"bind": "/host"}},
// "/:/host".
inline bool MountsRoot(std::string_view options) {
  for (const std::string_view mount : {"{\"/\":{", "\"/:/", "source=\"/\"", "Source:\"/\"", "Source\":\"/\""}) {
    for (std::size_t at = options.find(mount); at != std::string_view::npos; at = options.find(mount, at + 1)) {
      const std::string_view rest = options.substr(at + mount.size());
      const std::string_view how = rest.substr(0, rest.find(mount == "\"/:/" ? '"' : '}'));
      if (!Contains(how, "\"mode\":\"ro\"") && !how.ends_with(":ro")) return true;
    }
  }
  return false;
}

// ... and no wall either.
inline bool MastersHost(std::string_view options) {
  return MountsRoot(options) &&
         AnyOf(options, {"privileged=True", "privileged:true", "privileged\":True", "Privileged:true",
                         "Privileged\":true", "Privileged\":True", "pid_mode=\"host\"", "pid_mode\":\"host\"",
                         "PidMode:\"host\"", "PidMode\":\"host\"", "\"chroot\"", "SYS_ADMIN"});
}

// Host of a partly known URL; "" when the host itself is not known.
inline std::string KnownHost(const std::string& text) {
  if (text.empty()) return {};
  const std::size_t scheme = text.find("://");
  if (scheme == std::string::npos) return {};
  const std::size_t from = scheme + 3;
  // file:///tmp/x, file://~/x, file:// and a path: no other machine. (file://host/share is one.)
  constexpr std::string_view kHere = "file://";
  if (text.starts_with(kHere) && text.find('.', from) > text.find_first_of("/~", from)) return {};
  const std::size_t to = text.find_first_of("/?#", from);
  std::string authority = text.substr(from, to == std::string::npos ? std::string::npos : to - from);
  // BASE + path: what follows a whole host name begins with a slash.
  if (to == std::string::npos && authority.size() > 4 && authority.back() == kHole &&
      authority[authority.size() - 2] != '.' && Contains(authority, ".") &&
      authority.find(kHole) == authority.size() - 1) {
    authority.pop_back();
    return HostOf(text.substr(0, from) + authority);
  }
  if (authority.empty() || Contains(authority, std::string_view(&kHole, 1))) return {};
  return HostOf(text);
}

// A bare host or address, as sockets take it.
inline std::string KnownAddress(const std::string& text) {
  std::string host = text.substr(0, text.find_first_of(" /?#"));
  if (host.empty() || host.size() > 253 || Contains(host, std::string_view(&kHole, 1))) return {};
  if (Contains(text, "://")) return KnownHost(text);
  // timeout=30.0: a number is no address, unless it has four parts.
  if (host.find_first_not_of("0123456789.") == std::string::npos && std::count(host.begin(), host.end(), '.') < 3) {
    return {};
  }
  if (const std::size_t colon = host.find(':');
      colon != std::string::npos && host.find(':', colon + 1) == std::string::npos) {
    host.resize(colon);
  }
  return LowerCase(host);
}

inline constexpr std::array kYes =
    std::to_array<std::string_view>({"yes", "yep", "ok", "sure", "approved", "confirmed", "i approve", "i agree",
                                     "i confirm", "i authori", "go ahead", "i give permission", "i consent"});

inline constexpr std::string_view kOwnFile = "\x02own";

// The user's folder, a large folder of it, or the root.
inline bool IsHome(std::string_view path) {
  while (path.size() > 1 && (path.ends_with("/") || path.ends_with("*"))) path.remove_suffix(1);
  for (const std::string_view home : {"~", "/", "~/Documents", "~/Desktop", "~/Pictures", "/home", "/Users"}) {
    if (path == home) return true;
  }
  return false;
}
// Folders that everybody on the machine, or everybody in the world, reads.
inline bool IsOpenPlace(std::string_view path) {
  return path.starts_with("/tmp/") || path.starts_with("/dev/shm/") || path.starts_with("/var/tmp/") ||
         path.starts_with("public/") || path.starts_with("static/") || Contains(path, "/public/") ||
         Contains(path, "/var/www/") || Contains(path, "/static/");
}
// A folder that stands in the code, then what the caller says: he was to stay in it.
inline bool IsBelow(std::string_view path) {
  const std::size_t hole = path.find(kHole);
  return hole != std::string_view::npos && hole >= 3 && path[hole - 1] == '/' && path.find_first_not_of("/.~") < hole;
}
// The path of a request begins with a slash of its own.
inline bool AsksBelow(std::string_view path) {
  const std::size_t hole = path.find(kHole);
  return hole != std::string_view::npos && hole >= 3 &&
         path.substr(0, hole).find_first_of("/\\") != std::string_view::npos && path.find_first_not_of("/. ~") < hole;
}
inline bool IsKeyFolder(std::string_view path) {
  while (path.ends_with("/") || path.ends_with("*")) path.remove_suffix(1);
  return path.ends_with("/.ssh") || path.ends_with("/.gnupg") || path.ends_with("/.ssh/id_") ||
         path.ends_with("~/.aws") || path.ends_with("~/.kube") || path.ends_with("~/.config/gcloud") ||
         path.ends_with("~/.azure");
}

// What came in as a parameter may be meant for another call of the function: weak by itself.
inline double Direct(const Taint& taint, double scale) { return (taint.fresh & kDecoded) != 0 ? scale : 0.25; }

// An answer that only the user can give.
inline bool SaysYes(std::string_view text) {
  const std::string lower = LowerCase(text.substr(0, 300));
  const bool yes =
      std::any_of(kYes.begin(), kYes.end(), [&](std::string_view word) { return lower.starts_with(word); });
  if (AnyOf(lower, {"not approve", "n't approve", "not merge", "not send", "leave that to me", "not without"}))
    return false;
  return yes && AnyOf(lower, {"approve", "confirm", "agree", "consent", "authori", "permission", "order it", "not ask",
                              "don't ask", "go ahead", "without asking", "always allow"});
}

// Services that count how a program is used, and those that keep what went wrong in it.
inline bool IsStatistics(std::string_view host) {
  return AnyOf(host, {"posthog", "segment.", "mixpanel", "amplitude", "sentry", "google-analytics", "datadoghq",
                      "scarf.sh", "honeycomb", "langfuse", "smith.langchain", "helicone", "plausible", "umami"});
}

// A host's name with this in front of it: the address belongs to a bot or a web hook.
inline constexpr std::string_view kInboxPrefix = "inbox:";
inline constexpr std::string_view kOwnAccount = "account";  // behind it: whose keys stand in the program
inline bool IsInbox(std::string_view url) {
  for (const std::string_view inbox :
       {"api.telegram.org/bot", "discord.com/api/webhooks/", "discordapp.com/api/webhooks/",
        "hooks.slack.com/services/", "docs.google.com/forms/d/e/", "script.google.com/macros/s/",
        "hooks.zapier.com/hooks/catch/"}) {
    const std::size_t at = url.find(inbox);
    // One of the user's own is told by a setting.
    if (at != std::string_view::npos && at + inbox.size() < url.size() && url[at + inbox.size()] != kHole) return true;
  }
  return false;
}

// An account that money is sent to: an IBAN, spaces or not.
inline bool IsAccount(std::string_view text) {
  const auto letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); };
  // Of payment services and of chains.
  if (text.starts_with("acct_") && text.size() >= 15) return std::ranges::all_of(text.substr(5), letter);
  if (text.starts_with("0x") && text.size() == 42) return std::ranges::all_of(text.substr(2), letter);
  if (text.starts_with("bc1") && text.size() >= 26) return std::ranges::all_of(text, letter);
  if (text.size() >= 32 && text.size() <= 44) {
    // Of chains that write in 58 letters.
    const bool plain = std::ranges::all_of(text, letter) && text.find_first_of("0OIl") == std::string_view::npos;
    const auto some = [&](char from, char to) {
      return std::ranges::any_of(text, [&](char c) { return c >= from && c <= to; });
    };
    if (plain && some('A', 'Z') && some('a', 'z') && some('1', '9')) return true;
  }
  if (text.size() < 15 || text.size() > 44) return false;
  std::string bare;
  for (const char c : text) {
    if (c != ' ') bare += c;
  }
  if (bare.size() < 15 || bare.size() > 34) return false;
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const auto digit = [](char c) { return c >= '0' && c <= '9'; };
  if (!upper(bare[0]) || !upper(bare[1]) || !digit(bare[2]) || !digit(bare[3])) return false;
  const auto digits = std::count_if(bare.begin(), bare.end(), digit);
  return digits >= 10 && std::all_of(bare.begin(), bare.end(), [&](char c) { return upper(c) || digit(c); });
}

// Services that answer what one says to them, or keep a program's own record: a hook that asks a model sends it there.
inline bool HostOfModels(std::string_view host) {
  for (const std::string_view end : {"openrouter.ai",  "groq.com",
                                     "together.xyz",   "together.ai",
                                     "fireworks.ai",   "deepseek.com",
                                     "mistral.ai",     "perplexity.ai",
                                     "x.ai",           "cohere.com",
                                     "cohere.ai",      "replicate.com",
                                     "deepgram.com",   "assemblyai.com",
                                     "elevenlabs.io",  "moonshot.cn",
                                     "bigmodel.cn",    "dashscope.aliyuncs.com",
                                     "siliconflow.cn", "cerebras.ai",
                                     "nebius.com",     "novita.ai",
                                     "voyageai.com",   "jina.ai",
                                     "langfuse.com",   "smith.langchain.com",
                                     "sentry.io",      "posthog.com",
                                     "upstage.ai",     "friendli.ai",
                                     "deepinfra.com",  "hyperbolic.xyz",
                                     "sambanova.ai",   "minimax.chat",
                                     "minimaxi.com",   "moonshot.ai",
                                     "z.ai",           "siliconflow.com",
                                     "ai21.com",       "baseten.co",
                                     "aimlapi.com",    "nscale.com"}) {
    if (host.ends_with(end) && (host.size() == end.size() || host[host.size() - end.size() - 1] == '.')) return true;
  }
  return false;
}

inline bool IsBad(HostKind kind) {
  return kind == HostKind::kRawAddress || kind == HostKind::kTunnel || kind == HostKind::kPaste ||
         kind == HostKind::kShortener;
}

// A name of one part is one of the own network: "http://web:8000".
inline bool IsInside(const std::string& host, std::string_view url) {
  constexpr std::size_t kTopLevel = 2;  // letters; such a name may answer
  return KindOfHost(host) == HostKind::kLocal ||
         (host.size() > kTopLevel && host.find('.') == std::string::npos && url.starts_with("http://" + host));
}

inline std::string Shown(std::string_view text, std::size_t most = 120) {
  std::string out;
  for (const char c : text.substr(0, most)) out += c == kHole ? std::string("…") : std::string(1, c);
  return out;
}

// A text that is a program once its letters stand the other way round (hidden_constants.cc).
[[nodiscard]] bool ReadsBackwards(std::string text);
// Of the callee of `x.split("").reverse().join("")`, x; kNone where it is another.
[[nodiscard]] ExprId TurnedRound(const Module& module, const Expr* join);

// sinks_kept.cc: what of a program in a text does harm, if anything. `runs`: the text is run.
[[nodiscard]] std::optional<RawFinding> HarmOfProgram(std::string_view text, bool python, bool runs);

}  // namespace interlock::scan::code::sink_words
