// Objects of .NET and COM that PowerShell makes: sockets, requests, mail. What is given to them leaves the machine.
#include <algorithm>
#include <string>
#include <string_view>

#include "code/shell_analysis.h"

namespace interlock::scan::code::shell {
namespace {

bool IsPort(std::string_view text) { return !text.empty() && text.size() <= 5 && std::ranges::all_of(text, IsDigit); }

bool IsHostWord(const ShellWord& word) { return word.constant && Has(word.text, ".") && !Has(word.text, " "); }

}  // namespace

// New-Object Net.Sockets.TcpClient("h", 443), $request.open("POST", "https://..."), and what is written to it later on.
bool Analysis::Socket(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  // `New-Object Net.Sockets.TcpClient("h", 443)` is a call of that name.
  const bool named = Is(program, {"tcpclient", "udpclient", "smtpclient", "connect"});
  const bool made = Is(program, {"new-object", "new"}) && Whether(OfWhole::kSockets, [](std::string_view text) {
                      return HasOneOf(text, {"sockets.tcpclient", "sockets.udpclient", "mail.smtpclient"});
                    });
  if (made || named) {
    for (std::size_t i = 1; i < count; ++i) {
      const bool port = i + 1 < count && IsPort(command.words[i + 1].text);
      if ((port || program == "smtpclient") && IsHostWord(command.words[i]))
        socket_ = command.words[i].text + "/" + (port ? command.words[i + 1].text : "25");
    }
    return false;
  }
  if (program == "open" || program == "connectasync") {
    for (std::size_t i = 1; i < count; ++i) {
      if (Has(command.words[i].text, "://")) asked_ = command.words[i].text;
    }
    return false;
  }
  if (!Is(program, {"write", "writeline", "writeasync", "send", "sendasync"})) return false;
  Taint taint;
  for (std::size_t i = 1; i < count; ++i) taint.Merge(OfWord(command.words[i]));
  if (!taint.any()) return false;
  // $udp.Send($bytes, $bytes.Length, "203.0.113.7", 53)
  if (count > 3 && IsPort(command.words[count - 1].text) && IsHostWord(command.words[count - 2])) {
    const std::string& host = command.words[count - 2].text;
    Sends(index, host, host + "/" + command.words[count - 1].text, taint, false);
    return true;
  }
  if (const std::string url = RequestOf(index, 4); !url.empty()) {
    Sends(index, HostOf(url), url, taint, false);
    return true;
  }
  if (!socket_.empty()) {
    Sends(index, socket_.substr(0, socket_.find('/')), socket_, taint, false);
    return true;
  }
  if (asked_.empty() || !program.starts_with("send")) return false;
  Sends(index, HostOf(asked_), asked_, taint, false);
  return true;
}

// [Net.WebRequest]::Create("https://..."), whose stream a writer was made of: where what is written goes.
std::string Analysis::RequestOf(std::uint32_t index, unsigned depth) const {
  constexpr std::size_t kMostLinks = 6;  // of each: chains of three or four calls
  if (depth == 0) return {};
  std::size_t looked = 0;
  for (const ShellWord& word : script_.commands[index].words) {
    for (const std::uint32_t from : word.commands) {
      if (from >= index || ++looked > kMostLinks) continue;
      const ShellCommand& command = script_.commands[from];
      if (command.words.size() > 1 && ProgramOf(command) == "create" && LooksLikeUrl(command.words[1].text))
        return command.words[1].text;
      if (std::string url = RequestOf(from, depth - 1); !url.empty()) return url;
    }
  }
  return {};
}

// Send-MailMessage -To somebody@host -Body $text -Attachments FILE
bool Analysis::Mails(std::uint32_t index, std::string_view program, const Taint& input) {
  if (program != "send-mailmessage") return false;
  const ShellCommand& command = script_.commands[index];
  Taint taint = input;
  std::string to;
  for (std::size_t i = 1; i + 1 < command.words.size(); ++i) {
    const std::string flag = LowerCase(command.words[i].text);
    const ShellWord& value = command.words[i + 1];
    if (flag == "-to" || flag == "-bcc" || flag == "-cc") {
      if (to.empty()) to = value.text;
    } else if (flag.starts_with("-b") || flag.starts_with("-su")) {
      taint.Merge(OfWord(value));
    } else if (flag.starts_with("-a")) {
      taint.Merge(OfFile(value, index));
    }
  }
  const std::size_t at = to.find('@');
  if (!taint.Holds() || at == std::string::npos) return false;
  Sends(index, to.substr(at + 1), to, taint, false);
  return true;
}

// Start-Process "https://...?d=$data", xdg-open: a browser takes it there.
bool Analysis::Opens(std::uint32_t index, std::string_view program) {
  if (!Is(program, {"start-process", "start", "saps", "explorer", "invoke-item", "ii", "xdg-open", "open", "gio",
                    "sensible-browser", "x-www-browser", "wslview", "termux-open-url"})) {
    return false;
  }
  for (const ShellWord& word : script_.commands[index].words) {
    const std::size_t query = word.text.find_first_of("?#");
    if (!Has(word.text, "://") || query == std::string::npos) continue;
    const Taint taint = OfWord(word);
    if (!taint.Holds()) continue;
    const std::string url = word.text.substr(0, query);
    Sends(index, HostOf(url), url, taint, false);
    return true;
  }
  return false;
}

}  // namespace interlock::scan::code::shell
