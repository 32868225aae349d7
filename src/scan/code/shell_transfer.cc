#include "code/shell_transfer.h"

#include <algorithm>
#include <array>

#include "code/shell_paths.h"

namespace interlock::scan::code::shell {
namespace {

std::string UrlFile(std::string_view url) {
  url = url.substr(0, url.find_first_of("?#"));
  std::size_t scheme = url.find("://");
  std::size_t slash = url.rfind('/');
  if (slash == std::string_view::npos || (scheme != std::string_view::npos && slash < scheme + 3)) return "index.html";
  std::string_view name = url.substr(slash + 1);
  return name.empty() ? "index.html" : std::string(name);
}

// "name=@file", "@file", "@-".
void Data(Transfer& out, const ShellWord& word, std::string_view text, bool form) {
  out.sends = true;
  out.data.push_back(&word);
  std::size_t at = 0;
  if (form) {
    std::size_t equal = text.find('=');
    if (equal != std::string_view::npos) at = equal + 1;
  }
  if (at < text.size() && (text[at] == '@' || (form && text[at] == '<'))) {
    std::string_view file = text.substr(at + 1);
    file = file.substr(0, file.find(';'));
    if (file == "-" || file == "/dev/stdin") {
      out.data_stdin = true;
    } else {
      out.data_files.emplace_back(file);
    }
  }
}

bool Writes(std::string_view method) {
  std::string lower = LowerCase(method);
  return lower == "post" || lower == "put" || lower == "patch";
}

void Curl(const ShellCommand& command, Transfer& out) {
  constexpr std::string_view kValued = "AbcCdDeEFHKmoPQrtTuUwxXyYz";
  out.to_stdout = true;
  bool remote_name = false;
  std::string directory;
  auto option = [&](std::string_view name, const ShellWord& word, std::string_view text) {
    if (name == "o" || name == "output") {
      if (text != "-") {
        out.outputs.emplace_back(text);
        out.to_stdout = false;
      }
    } else if (name == "output-dir") {
      directory = std::string(text) + "/";
    } else if (name == "d" || name == "data" || name == "data-binary" || name == "data-raw" || name == "data-ascii" ||
               name == "data-urlencode" || name == "json") {
      Data(out, word, text, name == "data-urlencode");
    } else if (name == "F" || name == "form") {
      Data(out, word, text, true);
    } else if (name == "T" || name == "upload-file") {
      out.sends = true;
      out.data.push_back(&word);
      if (text == "-" || text == ".") {
        out.data_stdin = true;
      } else {
        out.data_files.emplace_back(text);
      }
    } else if (name == "H" || name == "header" || name == "u" || name == "user" || name == "b" || name == "cookie" ||
               name == "A" || name == "user-agent" || name == "e" || name == "referer") {
      out.headers.push_back(&word);
    } else if (name == "X" || name == "request") {
      out.sends |= Writes(text);
    } else if (name == "url") {
      out.urls.push_back(&word);
    }
  };
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    std::string_view text = word.text;
    if (text.starts_with("--") && text.size() > 2) {
      std::string_view name = text.substr(2);
      std::size_t equal = name.find('=');
      if (equal != std::string_view::npos) {
        option(name.substr(0, equal), word, name.substr(equal + 1));
        continue;
      }
      static constexpr std::array<std::string_view, 41> kLong = {"output",
                                                                 "output-dir",
                                                                 "data",
                                                                 "data-binary",
                                                                 "data-raw",
                                                                 "data-ascii",
                                                                 "data-urlencode",
                                                                 "json",
                                                                 "form",
                                                                 "form-string",
                                                                 "upload-file",
                                                                 "header",
                                                                 "user",
                                                                 "cookie",
                                                                 "request",
                                                                 "url",
                                                                 "user-agent",
                                                                 "proxy",
                                                                 "connect-timeout",
                                                                 "max-time",
                                                                 "retry",
                                                                 "cacert",
                                                                 "cert",
                                                                 "key",
                                                                 "resolve",
                                                                 "write-out",
                                                                 "range",
                                                                 "referer",
                                                                 "config",
                                                                 "dump-header",
                                                                 "retry-delay",
                                                                 "retry-max-time",
                                                                 "cookie-jar",
                                                                 "limit-rate",
                                                                 "interface",
                                                                 "unix-socket",
                                                                 "max-filesize",
                                                                 "proto",
                                                                 "ciphers",
                                                                 "tls-max",
                                                                 "speed-limit"};
      if (name == "remote-name") remote_name = true;
      if (std::ranges::find(kLong, name) != kLong.end() && i + 1 < command.words.size()) {
        ++i;
        option(name, command.words[i], command.words[i].text);
      }
      continue;
    }
    if (text.size() > 1 && text[0] == '-') {
      for (std::size_t k = 1; k < text.size(); ++k) {
        if (text[k] == 'O' || text[k] == 'J') remote_name = true;
        if (kValued.find(text[k]) == std::string_view::npos) continue;
        std::string_view name = text.substr(k, 1);
        if (k + 1 < text.size()) {
          option(name, word, text.substr(k + 1));
        } else if (i + 1 < command.words.size()) {
          ++i;
          option(name, command.words[i], command.words[i].text);
        }
        break;
      }
      continue;
    }
    if (text != "-") out.urls.push_back(&word);
  }
  if (remote_name) {
    out.to_stdout = false;
    for (const ShellWord* url : out.urls) out.outputs.push_back(UrlFile(url->text));
  }
  if (!directory.empty()) {
    for (std::string& output : out.outputs) output = directory + output;
  }
}

void Wget(const ShellCommand& command, Transfer& out) {
  constexpr std::string_view kValued = "OoPaUitTeDARQwBlX";
  std::string directory;
  bool named = false;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    std::string_view text = word.text;
    if (text.starts_with("--")) {
      std::string_view name = text.substr(2);
      std::size_t equal = name.find('=');
      const ShellWord* value_word = &word;
      std::string_view value;
      if (equal != std::string_view::npos) {
        value = name.substr(equal + 1);
        name = name.substr(0, equal);
      } else if (name == "output-document" || name == "post-data" || name == "post-file" || name == "body-data" ||
                 name == "body-file" || name == "header" || name == "method" || name == "directory-prefix" ||
                 name == "user-agent" || name == "referer" || name == "timeout" || name == "tries" || name == "user" ||
                 name == "password") {
        if (i + 1 >= command.words.size()) break;
        value_word = &command.words[++i];
        value = value_word->text;
      }
      if (name == "output-document") {
        named = true;
        if (value == "-" || value == "/dev/stdout") {
          out.to_stdout = true;
        } else {
          out.outputs.emplace_back(value);
        }
      } else if (name == "post-data" || name == "body-data") {
        out.sends = true;
        out.data.push_back(value_word);
      } else if (name == "post-file" || name == "body-file") {
        out.sends = true;
        out.data.push_back(value_word);
        if (value == "-") {
          out.data_stdin = true;
        } else {
          out.data_files.emplace_back(value);
        }
      } else if (name == "header" || name == "user-agent" || name == "referer") {
        out.headers.push_back(value_word);
      } else if (name == "method") {
        out.sends |= Writes(value);
      } else if (name == "directory-prefix") {
        directory = std::string(value) + "/";
      }
      continue;
    }
    if (text.size() > 1 && text[0] == '-') {
      for (std::size_t k = 1; k < text.size(); ++k) {
        if (kValued.find(text[k]) == std::string_view::npos) continue;
        std::string_view value;
        if (k + 1 < text.size()) {
          value = text.substr(k + 1);
        } else if (i + 1 < command.words.size()) {
          value = command.words[++i].text;
        }
        if (text[k] == 'O') {
          named = true;
          if (value == "-" || value == "/dev/stdout") {
            out.to_stdout = true;
          } else {
            out.outputs.emplace_back(value);
          }
        } else if (text[k] == 'P') {
          directory = std::string(value) + "/";
        }
        break;
      }
      continue;
    }
    out.urls.push_back(&word);
  }
  if (!named) {
    for (const ShellWord* url : out.urls) out.outputs.push_back(directory + UrlFile(url->text));
  }
}

// Invoke-WebRequest and its like; flags may be shortened.
void WebRequest(const ShellCommand& command, Transfer& out) {
  out.to_stdout = true;
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    std::string flag = LowerCase(word.text);
    if (flag.size() > 1 && flag[0] == '-') {
      if (flag.starts_with("-usebasic") || flag.starts_with("-passthru") || flag.starts_with("-skip") ||
          flag.starts_with("-disable")) {
        continue;
      }
      if (i + 1 >= command.words.size()) break;
      const ShellWord& value = command.words[++i];
      if (flag == "-uri" || flag == "-source") {
        out.urls.push_back(&value);
      } else if (flag.starts_with("-outf") || flag == "-o" || flag == "-out" || flag.starts_with("-dest")) {
        out.outputs.push_back(value.text);
        out.to_stdout = false;
      } else if (flag.starts_with("-me")) {
        out.sends |= Writes(value.text);
      } else if (flag.starts_with("-bo") || flag.starts_with("-fo")) {
        out.sends = true;
        out.data.push_back(&value);
      } else if (flag.starts_with("-inf")) {
        out.sends = true;
        out.data.push_back(&value);
        out.data_files.push_back(value.text);
      } else if (flag.starts_with("-head")) {
        out.headers.push_back(&value);
      }
      continue;
    }
    if (out.urls.empty()) {
      out.urls.push_back(&word);
    } else if (LowerCase(command.words[0].text).find("itstransfer") != std::string::npos) {
      out.outputs.push_back(word.text);
    }
  }
  // Start-BitsTransfer -Source FILE -Destination https://...: the other way round.
  if (LowerCase(command.words[0].text).find("itstransfer") != std::string::npos && !out.urls.empty() &&
      !out.outputs.empty() && LooksLikeUrl(out.outputs[0]) && !LooksLikeUrl(out.urls[0]->text)) {
    const ShellWord* const file = out.urls[0];
    out.urls.clear();
    for (const ShellWord& word : command.words) {
      if (word.text == out.outputs[0]) out.urls.push_back(&word);
    }
    out.outputs.clear();
    out.to_stdout = false;
    out.sends = true;
    out.data.push_back(file);
    out.data_files.push_back(file->text);
  }
  // Get-Clipboard | Invoke-RestMethod -Method Post: what comes through the pipe is the body.
  if (out.sends && out.data.empty()) out.data_stdin = true;
}

}  // namespace

Transfer TransferOf(const ShellCommand& command, std::string_view program) {
  Transfer out;
  std::size_t count = command.words.size();
  auto word = [&](std::size_t i) -> const ShellWord& { return command.words[i]; };
  if (program == "curl" || program == "curlie") {
    out.is_transfer = true;
    bool windows = false;
    for (const ShellWord& each : command.words)
      windows |= LowerCase(each.text) == "-outfile" || LowerCase(each.text) == "-uri";
    if (windows) {
      WebRequest(command, out);
    } else {
      Curl(command, out);
    }
  } else if (program == "wget" || program == "wget2") {
    out.is_transfer = true;
    Wget(command, out);
  } else if (program == "invoke-webrequest" || program == "iwr" || program == "invoke-restmethod" || program == "irm" ||
             program == "start-bitstransfer") {
    out.is_transfer = true;
    WebRequest(command, out);
  } else if ((program == "invoke" && count > 1 && LooksLikeUrl(word(1).text)) || program == "downloadstring" ||
             program == "downloaddata" || program == "getstringasync" || program == "openread" ||
             program == "downloadfile" || program == "uploadstring" || program == "uploadfile" ||
             program == "uploaddata" || program == "postasync") {
    out.is_transfer = count > 1;
    if (count > 1) out.urls.push_back(&word(1));
    out.to_stdout = true;
    if (program == "downloadfile" && count > 2) {
      out.outputs.push_back(word(2).text);
      out.to_stdout = false;
    }
    if (program.starts_with("upload") || program == "postasync") {
      out.sends = true;
      for (std::size_t i = 2; i < count; ++i) out.data.push_back(&word(i));
      if (program == "uploadfile" && count > 2) out.data_files.push_back(word(count - 1).text);
    }
  } else if (program == "certutil" || program == "bitsadmin") {
    const ShellWord* url = nullptr;
    for (std::size_t i = 1; i < count; ++i) {
      if (LooksLikeUrl(word(i).text)) {
        url = &word(i);
      } else if (url != nullptr && word(i).text[0] != '-') {
        out.outputs.push_back(word(i).text);
      }
    }
    out.is_transfer = url != nullptr;
    if (url != nullptr) out.urls.push_back(url);
  } else if (program == "mshta" || program == "regsvr32" || program == "rundll32" || program == "msiexec" ||
             program == "wmic") {
    for (std::size_t i = 1; i < count; ++i) {
      std::size_t at = word(i).text.find("http");
      if (at == std::string::npos || word(i).text.find("://", at) == std::string::npos) continue;
      out.is_transfer = out.runs = true;
      out.urls.push_back(&word(i));
    }
  } else if (program == "aria2c" || program == "axel" || program == "fetch" || program == "lynx" || program == "get" ||
             program == "lwp-request" || program == "lwp-download" || program == "w3m") {
    std::size_t urls = 0;
    for (std::size_t i = 1; i < count; ++i) {
      if (LooksLikeUrl(word(i).text)) {
        out.urls.push_back(&word(i));
        ++urls;
      } else if (word(i).text == "-o" && i + 1 < count && program != "lynx") {
        out.outputs.push_back(word(i + 1).text);
      } else if (word(i).text.starts_with("--header")) {
        out.headers.push_back(&word(i));
      }
    }
    out.is_transfer = urls > 0;
    out.to_stdout = out.outputs.empty() && program != "aria2c" && program != "axel";
    if (out.outputs.empty() && !out.to_stdout && urls > 0) out.outputs.push_back(UrlFile(out.urls[0]->text));
  } else if (program == "http" || program == "https" || program == "xh" || program == "httpie") {
    for (std::size_t i = 1; i < count; ++i) {
      std::string_view text = word(i).text;
      if (text.empty() || text[0] == '-') continue;
      if (Writes(text)) {
        out.sends = true;
      } else if (out.urls.empty()) {
        if (LowerCase(text) == "get" || LowerCase(text) == "delete" || LowerCase(text) == "head") continue;
        out.urls.push_back(&word(i));
      } else if (text.find('=') != std::string_view::npos || text.find('@') != std::string_view::npos) {
        out.sends = true;
        out.data.push_back(&word(i));
        std::size_t at = text.find('@');
        if (at != std::string_view::npos) out.data_files.emplace_back(text.substr(at + 1));
      }
    }
    out.is_transfer = !out.urls.empty();
    out.to_stdout = true;
  }
  return out;
}

}  // namespace interlock::scan::code::shell
