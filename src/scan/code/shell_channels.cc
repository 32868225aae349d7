// Ways out that are programs of their own kind: clients of file servers, brokers and data bases, and interpreters that
// are given a program in the line and read what comes before them.
#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "code/rc_files.h"
#include "code/shell_analysis.h"

namespace interlock::scan::code::shell {
namespace {

// Whose -h, --host or last operand is the machine that what they are given goes to.
constexpr std::string_view kClients[] = {"mosquitto_pub", "redis-cli", "psql",     "mysql",     "mariadb", "mongosh",
                                         "mongo",         "lftp",      "tftp",     "smbclient", "sftp",    "ftp",
                                         "ncftpput",      "kcat",      "kafkacat", "influx",    "nats"};

bool IsClient(std::string_view program) { return std::ranges::find(kClients, program) != std::end(kClients); }

bool ReadsInput(std::string_view text) {
  return HasOneOf(text, {"stdin", "<STDIN>", "STDIN", "readFileSync(0", "$input", "fileinput", "/dev/fd/0", "gets"});
}

bool GoesOut(std::string_view text) {
  return HasOneOf(text, {"urlopen", "requests.", "fetch(", "http", "socket", "Socket", "Net::", "LWP", "TCPSocket",
                         "fsockopen", "curl", "dgram", "net.", "smtplib"});
}

}  // namespace

// "open ftp.x.example; put f", "//x.example/share", "redis://x.example:6379": the first word that looks like a host.
std::string HostInAddress(std::string_view text) {
  std::string word;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ' ';
    const bool part =
        (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' || c == '-';
    if (part) {
      word += c;
      continue;
    }
    const std::size_t dot = word.rfind('.');
    const bool number = word.find_first_not_of("0123456789.") == std::string::npos;
    const bool host =
        dot != std::string::npos && dot > 0 && dot + (number ? 1 : 2) < word.size() && word[0] != '-' &&
        (number ? std::ranges::count(word, '.') == 3 : word.find_first_of("0123456789", dot) == std::string::npos);
    // "sys.stdin", "socket.create_connection": a name of the program's, unless an address or a quotation mark is round
    // it.
    const std::size_t begin = i - word.size();
    const char before = begin > 0 ? text[begin - 1] : ' ';
    if (host && (before == '/' || before == ':' || before == '@' || before == '\'' || before == '"' || before == ' '))
      return LowerCase(word);
    word.clear();
  }
  return {};
}

// What of the files that hold something is named in a text.
Taint Analysis::HeldIn(std::string_view text) const {
  constexpr std::size_t kMostFiles = 256;
  Taint out;
  std::size_t asked = 0;
  for (const auto& [name, held] : files_) {
    if (++asked > kMostFiles) break;
    if (held.Holds() && name.size() >= 3 && text.find(name) != std::string_view::npos) out.Merge(held);
  }
  return out;
}

// put ~/.ssh/id_rsa; File.read("~/.netrc"): files of credentials that orders to a client, or a program in one line, name.
Taint Analysis::NamedIn(std::string_view text, std::uint32_t index) const {
  constexpr std::string_view kBetween = " \t\n\"'`;,()<>=";
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(kBetween, at), text.size());
    const std::string_view word = text.substr(at, end - at);
    at = end + 1;
    if (word.size() < 4 || word.find('/') == std::string_view::npos || !IsSecretPath(word)) continue;
    Taint out;
    out.secret = true;
    out.what = std::string(word);
    out.secret_loc = script_.commands[index].loc;
    return out;
  }
  return {};
}

bool Analysis::Channels(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const bool client = IsClient(program);
  const bool inline_program = count >= 3 && IsInterpreter(program) && !IsShell(program) &&
                              Is(command.words[1].text, {"-c", "-e", "-r", "-E", "-p", "-ne", "-pe", "--eval"});
  // perl -MIO::Socket -e "...", ruby -rnet/http -e "..."
  const bool perl = Is(program, {"perl", "ruby"}) && HasFlag(command, {"-e", "-ne", "-pe"});
  if (!client && !inline_program && !perl) return false;
  constexpr std::size_t kMostText = 4096;
  std::string text;
  Taint said = input;
  for (std::size_t i = 1; i < count && text.size() < kMostText; ++i) {
    text += command.words[i].text + " ";
    if (client) said.Merge(OfWord(command.words[i]));
  }
  if (command.pipe_from < index) {
    // echo "put f" | sftp host
    unsigned decodes = 0;
    if (const auto orders = ConstantOutput(script_, command.pipe_from, decodes)) text += orders->substr(0, kMostText);
  }
  for (const auto& [op, body] : command.redirects) {
    if (op == "<<" || op == "<<<") text += " " + body.text.substr(0, kMostText);
    if (op == "<") said.Merge(OfFile(body, index));
  }
  // mosquitto_pub -f FILE, mysql < FILE, put FILE, readFileSync("FILE")
  Taint held = HeldIn(text);
  // (Programs of Python and JavaScript are followed as what they are.)
  if (client || perl || program == "php") held.Merge(NamedIn(text, index));
  said.Merge(held);
  if (client) {
    for (std::size_t i = 1; i < count; ++i) {
      if (IsSecretPath(command.words[i].text)) said.Merge(OfFile(command.words[i], index));
    }
  }
  if (!client && (!GoesOut(text) || !(ReadsInput(text) || held.any()))) return false;
  if (!said.Holds()) return false;
  const std::string host = HostInAddress(" " + text);
  if (host.empty()) return false;
  Sends(index, host, host, said, false);
  return true;
}

// env | tee >(curl -d @- https://...): what stands in the brackets reads what passes.
void Analysis::Branches(std::uint32_t index, const Taint& input) {
  if (!input.Holds()) return;
  const ShellCommand& command = script_.commands[index];
  const auto branch = [&](const ShellWord& word) {
    if (word.loc.begin >= text_.size() || text_.substr(word.loc.begin, 2) != ">(") return;
    for (const std::uint32_t each : word.commands) {
      if (each >= script_.commands.size() || each == index) continue;
      const std::string program = ProgramOf(script_.commands[each]);
      const Transfer transfer = TransferOf(script_.commands[each], program);
      if (transfer.is_transfer) Fetches(each, transfer, input);
      Network(each, program, input);
    }
  };
  for (const ShellWord& word : command.words) branch(word);
  for (const auto& [op, word] : command.redirects) branch(word);
}

// ~/.vimrc with `call system("curl ... | sh")`, ~/.local/bin/git that fetches before it does git's work.
bool Harms(std::string_view path, std::string_view content) {
  return (IsRcFile(HomePath(path)) || TakesPlaceOf(path)) && RunsFetched(content);
}

// ~/.config/pip/pip.conf with an index of its own: where other programs' packages come from, from now on. "": nowhere
// else.
std::string RoutesTo(std::string_view path, std::string_view content) {
  const std::string name = BaseName(HomePath(path));
  const bool indexes = Is(name, {"pip.conf", "pip.ini", "uv.toml", ".npmrc", ".yarnrc", ".yarnrc.yml", "bunfig.toml",
                                 ".condarc", ".gemrc", "settings.xml"});
  const bool names = name == "resolv.conf";
  if (!indexes && !names) return {};
  const std::string text = LowerCase(content.substr(0, 4096));
  if (indexes && !HasOneOf(text, {"index-url", "index_url", "registry", "mirror", ":sources", "channels"})) return {};
  if (names && !Has(text, "nameserver ")) return {};
  const std::string host = HostInAddress(" " + text);
  const bool public_names = Is(host, {"1.1.1.1", "1.0.0.1", "8.8.8.8", "8.8.4.4", "9.9.9.9", "208.67.222.222"});
  return host.empty() || IsLocalHost(host) || IsMirror(host) || public_names ? std::string() : host;
}

}  // namespace interlock::scan::code::shell
