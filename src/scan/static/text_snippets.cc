#include "static/text_snippets.h"

#include <algorithm>
#include <array>
#include <initializer_list>

#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kNowhere = std::string_view::npos;
constexpr std::size_t kMaxBlock = std::size_t{64} << 10;

// First place of any of the words.
std::size_t FindAny(std::string_view text, std::initializer_list<std::string_view> words) {
  std::size_t best = kNowhere;
  for (const std::string_view word : words) best = std::min(best, text.find(word));
  return best;
}

std::size_t LineEnd(std::string_view text, std::size_t at) { return std::min(text.find('\n', at), text.size()); }

std::string FirstHost(std::string_view text, std::size_t from) {
  std::size_t at = text.find("://", from);
  if (at == kNowhere) at = text.find("://");
  if (at == kNowhere) return {};
  while (at > 0 && text[at - 1] >= 'a' && text[at - 1] <= 'z') --at;
  std::size_t end = at;
  while (end < text.size() && std::string_view(" \n\"'`)>,").find(text[end]) == kNowhere) ++end;
  return HostOf(text.substr(at, end - at));
}

bool NamesSecret(std::string_view text, std::size_t at) {
  const std::string_view near = text.substr(at, std::min<std::size_t>(80, LineEnd(text, at) - at));
  return FindAny(near, {"key", "token", "secret", "password", "passwd", "credential", "_url"}) != kNowhere;
}

}  // namespace

void JudgeSnippet(std::string_view text, std::string_view lang, std::vector<SnippetHit>& out) {
  if (text.size() < 16 || text.size() > kMaxBlock) return;
  if (lang == "json" || lang == "yaml" || lang == "toml" || lang == "diff" || lang == "mermaid" || lang == "html")
    return;

  const std::size_t send =
      FindAny(text, {"requests.post(", "requests.put(", "httpx.post(", "urlopen(", "axios.post(", "session.post(",
                     ".sendall(", "smtplib.", "requests.get(f\"http", "fetch(", "http.request(", "socket.send"});
  // The whole environment, or files of keys, and something that sends.
  const std::size_t whole =
      FindAny(text, {"dict(os.environ)", "os.environ.copy()", "os.environ.items()", "json.dumps(os.environ",
                     "json.stringify(process.env)", "data=os.environ", "json=os.environ", "...process.env",
                     "str(os.environ)", "dict(**os.environ)"});
  const std::size_t files =
      FindAny(text, {".ssh/id_", ".aws/credentials", "/etc/shadow", ".git-credentials", ".netrc", "login data",
                     "/etc/passwd", ".gnupg", "wallet.dat", "keychain-db", ".kube/config"});
  if (send != kNowhere && (whole != kNowhere || files != kNowhere)) {
    const std::size_t source = std::min(whole, files);
    out.push_back({"EX-101",
                   {std::min(source, send), LineEnd(text, std::max(source == kNowhere ? send : source, send))},
                   1.0,
                   FirstHost(text, send)});
  } else if (send != kNowhere) {
    // One secret, put into what is sent rather than into a header.
    for (std::size_t at = FindAny(text, {"os.environ", "os.getenv(", "process.env."}); at != kNowhere;) {
      if (NamesSecret(text, at)) {
        const bool header = FindAny(text, {"authorization", "headers", "bearer", "x-api-key", "auth=", "apikey",
                                           "api_key=", "api-key"}) != kNowhere;
        const bool encoded = FindAny(text, {"b64encode(", "btoa(", ".hex()", "base64"}) != kNowhere;
        if (!header || encoded) {
          out.push_back({"EX-101",
                         {std::min(at, send), LineEnd(text, std::max(at, send))},
                         encoded ? 0.9 : 0.6,
                         FirstHost(text, send)});
        }
        break;
      }
      const std::size_t next = FindAny(text.substr(at + 4), {"os.environ", "os.getenv(", "process.env."});
      at = next == kNowhere ? kNowhere : at + 4 + next;
    }
  }
  // What is read is sent, and a comment says that nobody is to notice.
  if (send != kNowhere && FindAny(text, {"silently", "exfil", "without the user", "covert", "stealth"}) != kNowhere &&
      FindAny(text, {"open(", "read(", "readfile", "environ", "clipboard", "history"}) != kNowhere) {
    out.push_back({"EX-101", {send, LineEnd(text, send)}, 0.8, FirstHost(text, send)});
  }
  // Decoded and run.
  const std::size_t run = FindAny(text, {"exec(", "eval(", "compile(", "function(atob", "new function("});
  if (run != kNowhere) {
    const std::string_view rest = text.substr(run, std::min<std::size_t>(200, text.size() - run));
    if (FindAny(rest, {"b64decode", "atob(", "fromhex(", "zlib.decompress", "marshal.loads", "'base64')", "rot13"}) !=
        kNowhere) {
      out.push_back({"OBFUSC-101", {run, LineEnd(text, run)}, 1.0, {}});
    } else if (FindAny(rest, {"requests.get(", "urlopen(", ".text)", "httpx.get("}) != kNowhere &&
               rest.find("http") != kNowhere) {
      out.push_back({"OBFUSC-101", {run, LineEnd(text, run)}, 0.9, FirstHost(text, run)});
    }
  }
  // An address that only decoding shows.
  const std::size_t decode = FindAny(text, {"b64decode(\"ahr0c", "b64decode('ahr0c", "atob(\"ahr0c", "atob('ahr0c",
                                            "b64decode(b\"ahr0c", "b64decode(b'ahr0c"});
  if (decode != kNowhere)
    out.push_back({"OBFUSC-101", {decode, LineEnd(text, decode)}, send != kNowhere ? 1.0 : 0.7, {}});
  // Names looked up by a secret: data in a host name.
  if (FindAny(text, {"os.popen(f\"dig {", "os.system(f\"dig {", "gethostbyname(f\"{", "nslookup {"}) != kNowhere &&
      FindAny(text, {"environ", "getenv", "secret", "token"}) != kNowhere) {
    out.push_back({"EX-101", {0, LineEnd(text, 0)}, 1.0, {}});
  }
  // Somebody else's money made on the user's machine.
  const std::size_t mine = FindAny(text, {"stratum+tcp://", "stratum+ssl://", "xmrig ", "minerd ", "cpuminer"});
  if (mine != kNowhere) out.push_back({"EX-102", {mine, LineEnd(text, mine)}, 0.9, {}});
  // A shell for somebody else, in Python.
  const std::size_t dup = text.find("os.dup2(");
  if (dup != kNowhere && text.find("socket") != kNowhere)
    out.push_back({"OBFUSC-101", {dup, LineEnd(text, dup)}, 1.0, {}});
}

}  // namespace interlock::scan
