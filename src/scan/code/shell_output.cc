// What commands give out.
#include <algorithm>
#include <string>
#include <string_view>
#include <utility>

#include "code/places.h"
#include "code/shell_analysis.h"
#include "code/vendors.h"

namespace interlock::scan::code::shell {
namespace {

// Of PowerShell: gives out what comes in through the pipe, or a part of it, or the same in other letters.
bool HandsOn(std::string_view program) {
  return Is(program,
            {"foreach-object", "foreach",        "%",           "where-object",     "where",         "?",
             "select-object",  "select",         "sort-object", "group-object",     "convertto-csv", "convertto-xml",
             "format-list",    "tee-object",     "join-string", "convertfrom-json", "format-table",  "convertto-html",
             "out-host",       "measure-object", "get-unique",  "export-csv"});
}

// Gives out what files hold, or what comes in, as it is or in other letters.
bool ReadsFiles(std::string_view program) {
  static constexpr FixedWords kPrograms(std::to_array<std::string_view>(
      {"cat",    "tac",     "head", "tail",   "less",  "more",  "tee",    "base64", "gbase64",  "base32",  "xxd",
       "od",     "hexdump", "gzip", "gunzip", "zcat",  "bzip2", "xz",     "zstd",   "tar",      "zip",     "sed",
       "awk",    "gawk",    "grep", "egrep",  "cut",   "sort",  "uniq",   "tr",     "rev",      "openssl", "gpg",
       "jq",     "strings", "dd",   "nl",     "paste", "fold",  "column", "bat",    "uudecode", "sqlite3", "perl",
       "python", "python3", "node", "ruby",   "xargs", "read",  "brotli", "lz4",    "7z",       "bunzip2"}));
  static constexpr FixedWords kWindows(std::to_array<std::string_view>(
      {"type", "get-content", "gc", "findstr", "select-string", "convertto-json", "out-string", "frombase64string",
       "getstring", "getbytes", "tobase64string", "readalltext", "readallbytes", "readtoend", "get-item", "gi"}));
  return kPrograms.Has(program) || kWindows.Has(program);
}

bool Decodes(const ShellCommand& command, std::string_view program) {
  const auto word = [&](std::size_t i) { return i < command.words.size() ? command.words[i].text : std::string(); };
  bool decodes = false;
  if (program == "base64" || program == "gbase64" || program == "base32") {
    decodes = HasFlag(command, {"-d", "-D", "--decode", "-di", "-id", "-dw0"});
  } else if (program == "xxd") {
    decodes = HasFlag(command, {"-r", "-rp", "-pr"});
  } else if (program == "openssl") {
    decodes = HasFlag(command, {"-d"});
  } else if (program == "rev" || program == "uudecode" || program == "frombase64string") {
    decodes = true;
  } else if (program == "tr") {
    std::string from = word(1);
    decodes = Is(from, {"A-Za-z", "a-zA-Z", "[A-Za-z]", "[a-zA-Z]", "a-z", "!-~"}) && word(2) != "A-Z" &&
              word(2) != "a-z" && word(2).size() > 3 && word(2) != "[A-Z]";
  }
  return decodes;
}

}  // namespace

// What is found where keys lie, or by what they are called: Get-ChildItem ~ -Recurse -Include *.pem, .env
void Analysis::Listed(std::uint32_t index, Taint& out) const {
  const ShellCommand& command = script_.commands[index];
  for (std::size_t i = 1; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    const std::string name = LowerCase(BaseName(word.text));
    const bool keys = name.ends_with(".pem") || name.ends_with(".ppk") || name.ends_with(".kdbx") ||
                      name.starts_with("id_rsa") || name.starts_with("id_*") || name == "wallet.dat";
    const Taint found = OfFile(word, index);
    if (!found.taken.empty() && out.taken.empty()) {
      out.taken = found.taken;
      if (!out.secret) out.secret_loc = command.loc;
    }
    if (!keys && !found.secret) continue;
    out.secret = true;
    out.what = found.secret ? found.what : word.text;
    out.secret_loc = word.loc.end != 0 ? word.loc : command.loc;
    return;
  }
}

// Of a function of the script, what its commands give out.
bool Analysis::OutputOfFunction(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  Taint& out = out_[index];
  const auto found = functions_.find(std::string(program));
  if (found == functions_.end() || command.words.empty()) return false;
  for (std::uint32_t i = found->second->first; i < found->second->end && i < index; ++i) {
    if (i >= found->second->first + 64) break;
    out.Merge(out_[i]);
  }
  // get "iam/security-credentials/$role", of a function that asks the machine's own metadata.
  const bool asks = command.words.size() > 1 && !out.secret && Whether(OfWhole::kMetadata, [](std::string_view text) {
                      return HasOneOf(text, {"169.254.169.254", "metadata.google.internal", "169.254.170.2"});
                    });
  for (std::size_t i = 1; asks && i < command.words.size(); ++i) {
    if (!GivesRoleKeys("http://169.254.169.254/latest/meta-data/" + command.words[i].text)) continue;
    out.secret = true;
    out.what = "the keys of this machine's role";
    out.secret_loc = command.loc;
  }
  return true;
}

// What is said, and the names of what is found.
bool Analysis::Says(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  Taint& out = out_[index];
  if (Is(program, {"echo", "printf", "print", "write-output", "write-host"})) {
    for (const ShellWord& word : command.words) {
      out.Merge(OfWord(word));
      if (word.obfuscation >= 2) out.decoded = true;
      for (const std::string& name : word.variables) {
        if (SecretVendorOf(name).none()) continue;
        out.secret = true;
        out.what = "$" + name;
        out.secret_loc = word.loc;
      }
    }
    return true;
  }
  if (program == "find") {
    // for f in $(find / -name id_rsa), find ... | xargs tar: what is found is what it is called.
    if (const std::string place = PlaceOfFound(command); !place.empty() && (IsSecretPath(place) || FindsKeys(place))) {
      out.secret = true;
      out.what = "files called " + BaseName(place);
      out.secret_loc = command.loc;
    }
    return true;
  }
  return false;
}

bool Analysis::PrintsEnvironment(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  Taint& out = out_[index];
  const auto word = [&](std::size_t i) { return i < command.words.size() ? command.words[i].text : std::string(); };
  if (program == "jq" || program == "yq") {
    for (std::size_t i = 1; i < command.words.size(); ++i) {
      const std::string text = word(i);
      if (text == "env" || text == "$ENV" || text == "env | tojson" || text == "$ENV|tojson") out.environment = true;
    }
  }
  if (program == "getenvironmentvariables") {
    out.environment = true;
    return true;
  }
  if (program == "env" || program == "printenv" || program == "getenv" || program == "getenvironmentvariable" ||
      ((program == "export" || program == "declare" || program == "set") && command.assignments.empty() &&
       (command.words.size() == 1 ? program != "declare" : ListsVariables(word(1))))) {
    if (command.words.size() == 1 || ListsVariables(word(1)) || word(1) == "-0") {
      out.environment = true;
    } else {
      // Of several names, any.
      const std::string names = word(1);
      for (std::size_t at = 0; at < names.size();) {
        const std::size_t end = std::min(names.find(' ', at), names.size());
        if (SecretVendorOf(std::string_view(names).substr(at, end - at)).any()) {
          out.secret = true;
          out.what = "$" + names.substr(at, end - at);
          out.secret_loc = command.loc;
        }
        at = end + 1;
      }
    }
    return true;
  }
  return false;
}

bool Analysis::PrintsCredentials(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  Taint& out = out_[index];
  const auto word = [&](std::size_t i) { return i < command.words.size() ? command.words[i].text : std::string(); };
  if (AsksToken(command, program)) {
    out.secret = true;
    out.what = std::string(program).append(kTokenMark);
    out.secret_loc = command.loc;
    return true;
  }
  if (AsksStore(command, program)) {
    out.secret = true;
    out.what = std::string(program) + " " + word(1);
    out.secret_loc = command.loc;
    return true;
  }
  if (program == "gci" || program == "get-childitem" || program == "dir" || program == "ls") {
    if (LowerCase(word(1)).starts_with("env:")) out.environment = true;
    if (script_.dialect == ShellDialect::kPowerShell) Listed(index, out);
    // Set-Location ~/.ssh; Get-ChildItem | % { ... $_ }
    if (command.words.size() == 1 && IsSecretPath(command.folder)) {
      out.secret = true;
      out.what = command.folder;
      out.secret_loc = command.loc;
    }
    return true;
  }
  // $(AWS_SECRET_ACCESS_KEY): meant as a variable.
  if (command.words.size() == 1 && SecretVendorOf(command.words[0].text).any()) {
    out.secret = true;
    out.what = "$" + command.words[0].text;
    out.secret_loc = command.loc;
    return true;
  }
  return false;
}

// No option, no number of lines, and no device: of /dev/urandom nothing is known.
static bool NamesFile(std::string_view operand) {
  return !operand.empty() && operand[0] != '-' && !operand.starts_with("/dev/") &&
         operand.find_first_not_of("0123456789") != std::string_view::npos;
}

// Of a program that reads files: what they hold, and what comes in.
void Analysis::OutputOfReader(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  Taint& out = out_[index];
  out.Merge(input);
  bool first = true;
  const ShellWord* folder = nullptr;  // tar cz -C "$HOME" .kube/config: in which those behind it lie
  const ShellWord* before = nullptr;
  const bool reads = Is(program, {"cat", "tac", "grep", "egrep", "head", "tail", "sed", "awk", "strings"});
  for (const ShellWord& each : command.words) {
    if (!std::exchange(first, false)) {
      bool pattern =
          Is(program, {"grep", "egrep", "sed", "awk", "gawk", "tr", "findstr", "jq"}) && &each == &command.words[1];
      if (!pattern) out.Merge(OfFile(each, index));
      if (program == "tar") {
        if (before != nullptr && Is(before->text, {"-C", "--directory"})) {
          folder = &each;
        } else if (folder != nullptr && !each.text.empty() &&
                   std::string_view("/~-").find(each.text[0]) == std::string_view::npos) {
          out.Merge(OfFile(InFolder(*folder, each), index));
        }
      }
      before = &each;
      out.content |= !pattern && reads && NamesFile(each.text);
    } else {
      out.Merge(OfWord(each));
    }
    if (each.text.starts_with("if=")) {
      ShellWord file = each;
      file.text.erase(0, 3);
      out.Merge(OfFile(file, index));
    }
  }
  const bool decodes = Decodes(command, program);
  if (!decodes || program == "rev")
    out.packed |=
        Is(program, {"base64", "gbase64", "base32", "xxd", "od", "hexdump", "gzip", "xz", "zstd", "openssl", "rev"});
  if (decodes) {
    out.decoded = true;
    out.decoder = index;
  }
}

// What the command's output carries.
void Analysis::Output(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  Taint& out = out_[index];
  if (program.empty() && command.words.empty()) {
    out.Merge(input);  // $(<file)
    return;
  }
  if (OutputOfFunction(index, program) || Says(index, program)) return;
  if (PrintsEnvironment(index, program) || PrintsCredentials(index, program)) return;
  if (ReadsFiles(program)) return OutputOfReader(index, program, input);
  if (HandsOn(program)) out.Merge(input);
  // Methods and unknown filters: what goes in may come out.
  for (const ShellWord& each : command.words) {
    if (&each == &command.words[0] && script_.dialect != ShellDialect::kPowerShell) continue;
    if (script_.dialect == ShellDialect::kPowerShell) out.Merge(OfWord(each));
  }
}

}  // namespace interlock::scan::code::shell
