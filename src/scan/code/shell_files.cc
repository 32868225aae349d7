// What is read, copied, written and deleted.
#include <algorithm>
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "code/shell_analysis.h"

namespace interlock::scan::code::shell {

void Analysis::ReadsSecrets(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  std::size_t count = command.words.size();
  bool reader =
      Is(program,
         {"cat",     "tac",         "head",   "tail",    "less",        "more",    "cp",      "mv",
          "tar",     "zip",         "base64", "xxd",     "od",          "grep",    "egrep",   "awk",
          "sed",     "dd",          "rsync",  "scp",     "curl",        "openssl", "strings", "sqlite3",
          "jq",      "gzip",        "7z",     "type",    "get-content", "gc",      "copy",    "xcopy",
          "hexdump", "sort",        "nc",     "ncat",    "copy-item",   "gpg",     "find",    "rclone",
          "bat",     "readalltext", "wget",   "python3", "python",      "ls",      "install", "compress-archive"});
  std::unordered_set<std::string> told;
  auto read = [&](const ShellWord& each) {
    std::string path = each.text;
    std::size_t at = path.find('@');
    if ((program == "curl" || program == "wget") && at != std::string::npos) path.erase(0, at + 1);
    if (path.starts_with("if=")) path.erase(0, 3);
    if (!IsSecretPath(path) || !told.insert(path).second) return;
    Emit(ShellAct::kReadSecret, index, path, BaseName(path).starts_with(".env") || program == "ls" ? 0 : 1);
  };
  // find ... -name id_rsa -print: files that lie where they should not are named, and nobody opens them.
  const bool names =
      program == "find" && HasFlag(command, {"-print"}) && !HasFlag(command, {"-exec", "-execdir", "-ok"}) &&
      std::ranges::none_of(script_.commands, [&](const ShellCommand& next) { return next.pipe_from == index; });
  if (reader && program != "ls" && !names) {
    for (std::size_t i = 1; i < count; ++i) {
      // The last operand of a copy is where it goes.
      if ((program == "cp" || program == "mv" || program == "install" || program == "copy") && i + 1 == count) break;
      if (program == "find" && i > 1 && command.words[i - 1].text != "-name" && command.words[i - 1].text != "-iname" &&
          command.words[i - 1].text != "-path") {
        continue;
      }
      read(command.words[i]);
    }
  }
  for (const auto& [op, word] : command.redirects) {
    if (op == "<") read(word);
  }
  auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  if ((program == "security" && HasOneOf(word(1), {"find-generic", "find-internet", "dump-keychain"})) ||
      (program == "gpg" && HasFlag(command, {"--export-secret-keys"})) ||
      (program == "secret-tool" && word(1) == "lookup") || (program == "cmdkey" && count > 1)) {
    Emit(ShellAct::kReadSecret, index, std::string(program) + " " + word(1), 1);
  }
}

void Analysis::Copied(std::uint32_t index) {
  const ShellCommand& command = script_.commands[index];
  std::vector<const ShellWord*> operands = Operands(command, "mogtS");
  if (operands.size() >= 2) {
    Taint taint;
    for (std::size_t i = 0; i + 1 < operands.size(); ++i) taint.Merge(OfFile(*operands[i], index));
    const ShellWord& target = *operands.back();
    // Keys that may enter here already: none is added.
    const std::string& source = operands[0]->text;
    const bool here = source.starts_with("/root/") || source.starts_with("/home/") || source.starts_with("~/");
    if (operands.size() == 2 && here && source.ends_with("/.ssh/authorized_keys") && !taint.any() &&
        HasOneOf(target.text, {"/.ssh/authorized_keys", "/.ssh/"}))
      return;
    Wrote(index, target, taint, nullptr);
    if (TakesPlaceOf(target.text)) Emit(ShellAct::kWriteStartup, index, "the place of " + target.text, 1);
    if (taint.fetched && HasOneOf(target.text, {"ca-certificates", "ca-trust", "/etc/ssl/certs", "/etc/sudoers"})) {
      Emit(ShellAct::kPermission, index, "trusts what it has fetched, " + target.text, 2);
    }
    if (taint.any() && (target.text.ends_with('/') || Has(target.text, "/bin") || target.text == ".")) {
      for (std::size_t i = 0; i + 1 < operands.size(); ++i) {
        std::string_view from = operands[i]->text;
        while (from.size() > 1 && from.ends_with('/')) from.remove_suffix(1);
        std::string inside = target.text + (target.text.ends_with('/') ? "" : "/") + BaseName(from);
        Remember(inside, target.variables, taint);
      }
    }
  }
}

void Analysis::SetsContent(std::uint32_t index, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  const ShellWord* path = nullptr;
  std::optional<std::string> content;
  Taint taint = input;
  for (std::size_t i = 1; i < count; ++i) {
    std::string flag = LowerCase(word(i));
    if ((flag == "-path" || flag == "-filepath" || flag == "-literalpath") && i + 1 < count) {
      path = &command.words[++i];
    } else if ((flag == "-value" || flag == "-inputobject") && i + 1 < count) {
      if (command.words[++i].constant) content = word(i);
      taint.Merge(OfWord(command.words[i]));
    } else if (flag == "-itemtype" || flag == "-encoding") {
      ++i;
    } else if (!flag.empty() && flag[0] != '-' && path == nullptr) {
      path = &command.words[i];
    } else if (!flag.empty() && flag[0] != '-') {
      taint.Merge(OfWord(command.words[i]));
    }
  }
  if (path != nullptr) Wrote(index, *path, taint, content ? &*content : nullptr);
}

// The archive carries what is put into it.
void Analysis::Archives(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  Taint taint;
  const ShellWord* archive = nullptr;
  bool creates = program != "tar";
  const ShellWord* folder = nullptr;  // tar cz -C "$HOME" .kube/config: in which those behind it lie
  for (std::size_t i = 1; i < count; ++i) {
    std::string_view text = command.words[i].text;
    if (program == "tar" && i == 1 && !text.starts_with("--")) {
      creates = text.find_first_of("cru") != std::string_view::npos;
      if (Has(text, "f") && i + 1 < count) archive = &command.words[++i];
      continue;
    }
    if (program == "tar" && text.size() > 1 && text[0] == '-' && text[1] != '-' && text.back() == 'f' &&
        i + 1 < count) {
      creates |= text.find_first_of("cru") != std::string_view::npos;
      archive = &command.words[++i];
      continue;
    }
    if ((text == "-o" || text == "-out" || text == "--output" || text == "-DestinationPath") && i + 1 < count) {
      archive = &command.words[++i];
      continue;
    }
    if (program == "tar" && (text == "-C" || text == "--directory") && i + 1 < count) {
      folder = &command.words[++i];
      continue;
    }
    if (text.size() > 1 && text[0] == '-') continue;
    if (folder != nullptr && !text.empty() && text[0] != '/' && text[0] != '~') {
      taint.Merge(OfFile(InFolder(*folder, command.words[i]), index));
      continue;
    }
    if (program == "zip" && archive == nullptr) {
      archive = &command.words[i];
      continue;
    }
    if (program == "compress-archive" && archive == nullptr && taint.any()) {
      archive = &command.words[i];
      continue;
    }
    taint.Merge(OfFile(command.words[i], index));
  }
  if (creates && archive != nullptr && archive->text != "-" && taint.any()) {
    Remember(archive->text, archive->variables, taint);
    if (program == "zip" && !Has(BaseName(archive->text), "."))
      Remember(archive->text + ".zip", archive->variables, taint);
  }
}

// Copies, and archives of what is secret or fetched.
void Analysis::Carries(std::uint32_t index, std::string_view program, const Taint& input) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  if (Is(program, {"cp", "mv", "install", "ln", "copy", "xcopy", "copy-item", "move", "move-item"})) {
    Copied(index);
    // curl ... | install -m 755 /dev/stdin FILE
    const bool piped =
        std::ranges::any_of(command.words, [](const ShellWord& one) { return one.text == "/dev/stdin"; });
    if (program == "install" && piped) Wrote(index, command.words.back(), input, nullptr);
  } else if (program == "rsync" && !Has(command.words.back().text, ":")) {
    Copied(index);
  } else if (program == "split") {
    // split -b 1k FILE PREFIX: PREFIXaa, PREFIXab ...
    if (const auto operands = Operands(command, "bnlCa"); operands.size() == 2)
      Remember(operands[1]->text + "aa", operands[1]->variables, OfFile(*operands[0], index));
  } else if (program == "tee" || program == "sponge") {
    std::optional<std::string> content;
    unsigned decodes = 0;
    if (command.pipe_from < index) content = ConstantOutput(script_, command.pipe_from, decodes);
    for (const auto& [op, body] : command.redirects) {
      if ((op == "<<" || op == "<<<") && body.constant) content = body.text;
    }
    for (const ShellWord* operand : Operands(command)) Wrote(index, *operand, input, content ? &*content : nullptr);
  } else if (program == "sed" && (HasFlag(command, {"-i", "-i.bak", "-ie", "-Ei", "-i''"}))) {
    std::vector<const ShellWord*> operands = Operands(command, "e");
    const std::string written = operands.empty() ? std::string() : SedReplacement(operands.front()->text);
    if (operands.size() > 1) Wrote(index, *operands.back(), {}, written.empty() ? nullptr : &written);
  } else if (program == "dd") {
    for (std::size_t i = 1; i < count; ++i) {
      if (!command.words[i].text.starts_with("of=")) continue;
      ShellWord target = command.words[i];
      target.text.erase(0, 3);
      if (DeleteGravity(target.text) == 2) Emit(ShellAct::kDelete, index, target.text, 2);
      Wrote(index, target, input, nullptr);
    }
  } else if (Is(program, {"set-content", "add-content", "out-file", "new-item"})) {
    SetsContent(index, input);
  } else if (Is(program, {"tar", "zip", "7z", "gpg", "openssl", "base64", "gzip", "compress-archive"})) {
    Archives(index, program);
  } else if (program == "mkfifo" || program == "mknod") {
    if (count > 1) fifo_ = word(program == "mknod" ? 1 : count - 1);
  }
}

void Analysis::Removes(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  bool recursive = program == "srm" || program == "shred" || program == "rimraf";
  for (std::size_t i = 1; i < count; ++i) {
    std::string text = LowerCase(word(i));
    if (text == "-recurse" || text == "--recursive" || text == "/s" ||
        (text.size() > 1 && text[0] == '-' && text[1] != '-' && text.find('r') != std::string::npos)) {
      recursive = true;
    }
  }
  for (const ShellWord* operand : Operands(command)) {
    if (operand->text.starts_with('/') && operand->text.size() == 2 && program[0] != 'r') continue;
    std::uint8_t gravity = DeleteGravity(operand->text);
    if (!operand->variables.empty() && operand->text.find_first_not_of("\x01/*") == std::string::npos) gravity = 0;
    if (recursive || gravity == 2) Emit(ShellAct::kDelete, index, operand->text, recursive ? gravity : 1);
  }
  if (command.pipe_from < index && std::ranges::find(command.wrappers, "xargs") != command.wrappers.end()) {
    // find ~ ... | xargs rm
    const ShellCommand& from = script_.commands[command.pipe_from];
    const bool picks =
        HasFlag(from, {"-name", "-iname", "-path", "-mtime", "-ctime", "-mmin", "-newer", "-empty", "-size", "-regex"});
    const std::string root = from.words.size() > 1 ? from.words[1].text : std::string();
    if (ProgramOf(from) == "find" && !picks && !root.empty() && DeleteGravity(root) == 2) {
      Emit(ShellAct::kDelete, index, "everything below " + root, 2);
    }
  }
}

void Analysis::Deletes(std::uint32_t index, std::string_view program) {
  const ShellCommand& command = script_.commands[index];
  const std::size_t count = command.words.size();
  const auto word = [&](std::size_t i) { return i < count ? command.words[i].text : std::string(); };
  if (program == "rm" || program == "srm" || program == "remove-item" || program == "rd" || program == "rmdir" ||
      program == "del" || program == "shred" || program == "rimraf") {
    Removes(index, program);
  } else if (program.starts_with("mkfs") || program == "wipefs" ||
             (program == "format" && script_.dialect == ShellDialect::kBatch)) {
    // Which disk, somebody says; one that stands in the code is nobody's choice.
    const std::string disk = count > 1 ? command.words.back().text : std::string();
    if (disk.starts_with("/dev/") && command.words.back().constant && disk.find(kUnknownChar) == std::string::npos) {
      Emit(ShellAct::kDelete, index, disk, 2);
    } else if (program == "format" && count > 1) {
      Emit(ShellAct::kDelete, index, disk, 2);
    }
  } else if (program == "find" && HasFlag(command, {"-delete"})) {
    Emit(ShellAct::kDelete, index, word(1), DeleteGravity(word(1)) == 2 ? 1 : 0);
  }
}

void Analysis::Files(std::uint32_t index, std::string_view program, const Taint& input) {
  ReadsSecrets(index, program);
  if (Dumps(index, program)) return;
  Carries(index, program, input);
  Deletes(index, program);
}

}  // namespace interlock::scan::code::shell
