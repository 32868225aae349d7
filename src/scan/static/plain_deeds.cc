#include "static/plain_deeds.h"

#include <algorithm>
#include <array>

#include "code/shell.h"
#include "static/ascii.h"
#include "static/literals.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kLongestPath = 300;

bool LooksLikePath(std::string_view text) {
  return !text.empty() && text.size() < kLongestPath && text.find(' ') == std::string_view::npos &&
         text.find('\n') == std::string_view::npos && text.find("://") == std::string_view::npos;
}

bool NamesHome(std::string_view code) {
  return SaysAny(code, {"dir.home", "env[\"\"]", "getenv(\"\")", "$_server[\"\"]", "system.getproperty(\"\")",
                        "system.getenv(\"\")", "specialfolder.userprofile", "nshomedirectory", "homedirectory"});
}

}  // namespace

std::string PlainPath(const PlainStatement& one) {
  std::string path;
  bool home = NamesHome(one.code);
  for (const PlainText& text : one.texts) {
    const std::string& part = text.text;
    if (part == "HOME" || part == "USERPROFILE" || part == "user.home") {
      home = true;
      continue;
    }
    if (part == "a" || part == "w" || part == "ab" || part == "wb" || part == "a+" || part == "w+") break;
    if (!LooksLikePath(part)) {
      if (!path.empty()) break;
      continue;
    }
    if (path.empty()) {
      path = part;
    } else if (part[0] != '/' && path.back() != '/') {
      path += "/" + part;
    } else {
      path += part;
    }
  }
  std::ranges::replace(path, '\\', '/');
  if (!path.empty() && path.front() == kPlainHole) {
    path.erase(0, 1);
    home = true;
  }
  if (path.find(kPlainHole) != std::string::npos) return {};
  if (home && !path.starts_with('~')) path.insert(0, path.empty() || path[0] == '/' ? "~" : "~/");
  return path.size() > kLongestPath ? std::string() : path;
}

bool WritesFile(std::string_view code) {
  return SaysAny(code, {"file.write(", "file.binwrite(", "io.write(", "io.binwrite(", "io.copy_stream(",
                        "file_put_contents(", "files.writestring(", "files.write(", "files.copy(", "appendalltext(",
                        "appendalllines(", "writealltext(", "writeallbytes(", "writealllines(", "downloadfile(",
                        "filewriter(", "file.writetext(", "file.appendtext("});
}

bool OpensToWrite(const PlainStatement& one) {
  if (!SaysAny(one.code, {"file.open(", "open(", "fopen(", "streamwriter(", "popen("})) return false;
  return std::ranges::any_of(one.texts, [](const PlainText& text) {
    return text.text == "a" || text.text == "w" || text.text == "ab" || text.text == "wb" || text.text == "a+";
  });
}

bool WritesOn(std::string_view code) { return SaysAny(code, {".puts", ".write", ".print", "fwrite(", "fputs(", "<<"}); }

bool RemovesAll(std::string_view code) {
  return SaysAny(code, {"rm_rf(", "rm_r(", "remove_dir(", "remove_entry(", "directory.delete(", "deletedirectory(",
                        "deleterecursively("});
}

bool SetsRegistry(std::string_view code) {
  return code.find("registry") != std::string_view::npos && code.find("setvalue(") != std::string_view::npos;
}

bool UnpacksObjects(std::string_view code) {
  return SaysAny(code, {"marshal.load(", "yaml.unsafe_load(", "unserialize(", "objectinputstream(", "binaryformatter"});
}

bool LoadsClasses(std::string_view code) { return SaysAny(code, {"urlclassloader(", "assembly.loadfrom("}); }

std::string ContentOf(const PlainStatement& one) {
  for (auto text = one.texts.rbegin(); text != one.texts.rend(); ++text) {
    if (text->text.find(' ') != std::string::npos || text->text.find('\n') != std::string::npos) return text->text;
  }
  return {};
}

std::string WriteLine(std::string_view path, std::string_view content) {
  // A leading `~` is the user's folder only where it stands bare.
  const bool home = path.starts_with("~/");
  return "printf %s " + code::ShellQuoted(content) + " >> " +
         (home ? "~/" + code::ShellQuoted(path.substr(2)) : code::ShellQuoted(path));
}

bool ReadsEntities(std::string_view code, std::string_view file) {
  constexpr std::size_t kMost = std::size_t{256} << 10;
  if (SaysAny(code, {"libxml_noent"}) && SaysAny(code, {"loadxml(", "simplexml_load_string(", "->load("})) return true;
  if (!SaysAny(code, {"dtdprocessing.parse", "prohibitdtd = false"})) return false;
  return file.substr(0, kMost).find("XmlUrlResolver") != std::string_view::npos;
}

bool UnpacksUnasked(std::string_view text, std::size_t at) {
  constexpr std::size_t kAround = 2'000;  // a method that unpacks, up to its join and from it
  const std::size_t first = at - std::min(at, kAround);
  const std::string lower = LowerCase(text.substr(first, at - first + kAround));
  return SaysAny(lower,
                 {"zipentry", "zipinputstream", "ziparchive", "tararchive", "tarentry", "zip::file", "zipfile"}) &&
         !SaysAny(lower, {"startswith(", "start_with?", "getcanonicalpath", "getfullpath(", "torealpath(",
                          "expand_path", "\"..\"", "'..'", "\"../\"", "isrelativeto", "zipslip", "zip slip"});
}

bool JoinsMember(std::string_view code) {
  return SaysAny(code, {".resolve(", "file(", "path.combine(", "file.join(", "paths.get(", "path.of("}) &&
         SaysAny(code, {".getname()", ".fullname", "entry.name", "member.name", "it.name)"});
}

}  // namespace interlock::scan
