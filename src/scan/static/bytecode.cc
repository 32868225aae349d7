#include "static/bytecode.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <unordered_set>

#include "fmt/format.h"
#include "interlock/base/text.h"
#include "static/classify.h"
#include "static/shell_judge.h"
#include "static/supply.h"
#include "static/supply_internal.h"

namespace interlock::scan {
namespace {

constexpr int kMaxDepth = 100;
constexpr std::size_t kMaxObjects = 2'000'000;
constexpr std::size_t kMaxStrings = 200'000;
constexpr std::size_t kHeader = 16;

int MinorOf(std::uint16_t magic) {
  if (magic >= 3400 && magic < 3420) return 8;
  if (magic >= 3420 && magic < 3430) return 9;
  if (magic >= 3430 && magic < 3450) return 10;
  if (magic >= 3450 && magic < 3500) return 11;
  if (magic >= 3500 && magic < 3550) return 12;
  if (magic >= 3550 && magic < 3600) return 13;
  if (magic >= 3600 && magic < 3650) return 14;
  return 0;
}

// Python's marshal format. Objects are walked, not built: only their strings matter, and a reference points to strings
// that were seen already.
class Unmarshal {
 public:
  Unmarshal(std::string_view bytes, int minor, std::vector<std::string_view>& strings)
      : bytes_(bytes), minor_(minor), strings_(strings) {}

  bool Object(int depth) {
    if (depth > kMaxDepth || ++objects_ > kMaxObjects || at_ >= bytes_.size()) return false;
    const auto type = static_cast<char>(static_cast<unsigned char>(bytes_[at_++]) & 0x7fU);
    std::uint64_t count = 0;
    switch (type) {
      case '0':
      case 'N':
      case 'F':
      case 'T':
      case 'S':
      case '.':
        return true;
      case 'i':
      case 'r':
        return Skip(4);
      case 'I':
      case 'g':
        return Skip(8);
      case 'y':
        return Skip(16);
      case 'f':
        return Number(1, count) && Skip(count);
      case 'x':
        return Number(1, count) && Skip(count) && Number(1, count) && Skip(count);
      case 'l': {
        if (!Number(4, count)) return false;
        const auto digits = static_cast<std::int32_t>(count);
        return Skip(2 * static_cast<std::uint64_t>(digits < 0 ? -static_cast<std::int64_t>(digits) : digits));
      }
      case 's':
        // Bytes: also the code itself, line tables. Kept when they read as text.
        return Number(4, count) && Text(count, true);
      case 'u':
      case 't':
      case 'a':
      case 'A':
        return Number(4, count) && Text(count, false);
      case 'z':
      case 'Z':
        return Number(1, count) && Text(count, false);
      case '(':
      case '[':
      case '<':
      case '>':
        return Number(4, count) && Items(count, depth);
      case ')':
        return Number(1, count) && Items(count, depth);
      case ':':
        return Items(3, depth);
      case '{':
        for (;;) {
          if (at_ >= bytes_.size()) return false;
          if (bytes_[at_] == '0') return Skip(1);
          if (!Object(depth + 1) || !Object(depth + 1)) return false;
        }
      case 'c':
        // Counts, then code, constants, names and the rest as objects, the first line as a number among them.
        if (minor_ >= 11) return Skip(5 * 4) && Items(8, depth) && Skip(4) && Items(2, depth);
        return Skip(6 * 4) && Items(8, depth) && Skip(4) && Items(1, depth);
      default:
        return false;
    }
  }

 private:
  bool Skip(std::uint64_t count) {
    if (count > bytes_.size() - at_) return false;
    at_ += count;
    return true;
  }
  bool Number(std::size_t size, std::uint64_t& out) {
    if (size > bytes_.size() - at_) return false;
    out = 0;
    for (std::size_t i = 0; i < size; ++i) {
      out |= static_cast<std::uint64_t>(static_cast<unsigned char>(bytes_[at_ + i])) << (8 * i);
    }
    at_ += size;
    return true;
  }
  bool Text(std::uint64_t count, bool only_readable) {
    if (count > bytes_.size() - at_) return false;
    const std::string_view text = bytes_.substr(at_, count);
    at_ += count;
    const bool readable = !only_readable || std::all_of(text.begin(), text.end(), [](char c) {
      const auto u = static_cast<unsigned char>(c);
      return u >= 0x20 || c == '\n' || c == '\t' || c == '\r';
    });
    if (!text.empty() && readable && strings_.size() < kMaxStrings) strings_.push_back(text);
    return true;
  }
  bool Items(std::uint64_t count, int depth) {
    if (count > bytes_.size() - at_) return false;  // each takes a byte at least
    for (std::uint64_t i = 0; i < count; ++i) {
      if (!Object(depth + 1)) return false;
    }
    return true;
  }

  std::string_view bytes_;
  int minor_;
  std::vector<std::string_view>& strings_;
  std::size_t at_ = 0;
  std::size_t objects_ = 0;
};

// Names that matter when the source does not have them.
constexpr std::array<std::string_view, 34> kActs = {"subprocess",
                                                    "socket",
                                                    "urllib",
                                                    "urllib.request",
                                                    "urlopen",
                                                    "requests",
                                                    "http.client",
                                                    "ctypes",
                                                    "system",
                                                    "popen",
                                                    "Popen",
                                                    "exec",
                                                    "eval",
                                                    "compile",
                                                    "__import__",
                                                    "b64decode",
                                                    "marshal",
                                                    "zlib",
                                                    "decompress",
                                                    "pty",
                                                    "winreg",
                                                    "keyring",
                                                    "paramiko",
                                                    "smtplib",
                                                    "ftplib",
                                                    "check_output",
                                                    "os.system",
                                                    "urlretrieve",
                                                    "create_connection",
                                                    "getaddrinfo",
                                                    "execv",
                                                    "execve",
                                                    "spawn",
                                                    "fromhex"};

// The source that a compiled file was made from, by their names; "" for a name that is no compiled module's.
std::string SourcePathOf(std::string_view path, bool& in_cache) {
  const std::size_t slash = path.rfind('/');
  std::string folder(slash == std::string_view::npos ? std::string_view() : path.substr(0, slash + 1));
  std::string_view base = slash == std::string_view::npos ? path : path.substr(slash + 1);
  in_cache = folder.ends_with("__pycache__/");
  if (in_cache) folder.resize(folder.size() - std::strlen("__pycache__/"));
  base = base.substr(0, base.rfind('.'));
  if (in_cache) base = base.substr(0, base.find('.'));
  return folder + std::string(base) + ".py";
}

// Hosts that constants name.
std::vector<std::string> HostsIn(const Bytecode& code) {
  std::vector<std::string> hosts;
  for (const std::string_view text : code.strings) {
    for (std::size_t at = text.find("://"); at != std::string_view::npos; at = text.find("://", at + 3)) {
      std::size_t end = at + 3;
      while (end < text.size() && std::string_view("/ \"'?#:)").find(text[end]) == std::string_view::npos) ++end;
      const std::string_view host = text.substr(at + 3, end - at - 3);
      if (host.size() >= 4 && host.find('.') != std::string_view::npos &&
          host.find_first_of("{}%<$") == std::string_view::npos) {
        hosts.emplace_back(host);
      }
      if (hosts.size() >= 1000) return hosts;
    }
  }
  return hosts;
}

std::vector<std::string> ActsIn(const Bytecode& code) {
  std::unordered_set<std::string_view> seen(code.strings.begin(), code.strings.end());
  std::vector<std::string> acts;
  for (const std::string_view act : kActs) {
    if (seen.contains(act)) acts.emplace_back(act);
  }
  return acts;
}

std::string Listed(const std::vector<std::string>& words) {
  std::string out;
  for (std::size_t i = 0; i < std::min<std::size_t>(words.size(), 6); ++i) out += (i == 0 ? "" : ", ") + words[i];
  return base::Printable(out, 160);
}

}  // namespace

Bytecode ReadBytecode(std::string_view bytes) {
  Bytecode code;
  if (bytes.size() < kHeader || bytes[2] != '\r' || bytes[3] != '\n') return code;
  const auto number = [&](std::size_t at) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      value |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[at + i])) << (8 * i);
    }
    return value;
  };
  code.magic = static_cast<std::uint16_t>(number(0) & 0xffffU);
  code.minor = MinorOf(code.magic);
  const std::uint32_t flags = number(4);
  code.hash_based = (flags & 1U) != 0;
  code.checked = !code.hash_based || (flags & 2U) != 0;
  if (!code.hash_based) {
    code.source_mtime = number(8);
    code.source_size = number(12);
  }
  if (code.minor == 0) return code;
  code.complete = Unmarshal(bytes.substr(kHeader), code.minor, code.strings).Object(0);
  return code;
}

void AnalyzeBytecode(const core::PackageView& view, const std::vector<FileContext>& files,
                     std::vector<RawFinding>& out) {
  for (const FileContext& file : files) {
    if (file.type != FileType::kPyc) continue;
    bool in_cache = false;
    const std::string source_path = SourcePathOf(file.file->path, in_cache);
    const core::PackageFile* const source = view.Find(source_path);
    const Bytecode code = ReadBytecode(file.text());
    const std::vector<std::string> acts = ActsIn(code);
    RawFinding finding;
    finding.file = file.index;
    finding.subject = source_path;
    if (source == nullptr) {
      finding.rule = "SC-025";
      // From a cache folder Python loads nothing without its source; beside the modules it does.
      finding.scale = in_cache ? 0.5 : acts.empty() ? 0.8 : 1.0;
      finding.message = acts.empty() ? "bytecode without its source: nobody can read what it does"
                                     : fmt::format("bytecode without its source; it names {}", Listed(acts));
      finding.evidence = base::Printable(file.file->path, 200);
      out.push_back(std::move(finding));
      continue;
    }
    const std::string_view text = source->bytes;
    std::vector<std::string> extra;
    for (const std::string& act : acts) {
      if (text.find(act.substr(0, act.find('.'))) == std::string_view::npos) extra.push_back(act);
    }
    for (std::string& host : HostsIn(code)) {
      // Constants are folded: a host may stand in pieces in the source, its longest label does not.
      if (text.find(host) != std::string_view::npos ||
          text.find(host.substr(0, host.find('.'))) != std::string_view::npos)
        continue;
      if (std::find(extra.begin(), extra.end(), host) == extra.end()) extra.push_back(std::move(host));
    }
    if (extra.empty()) continue;
    finding.rule = "SC-026";
    // It runs where its source is imported: by what runs of the same folder, wherever that lies.
    const std::string_view folder = std::string_view(source_path).substr(0, source_path.rfind('/') + 1);
    for (const FileContext& beside : files) {
      const std::string_view path = beside.file->path;
      const bool module = beside.type == FileType::kPython && path.starts_with(folder) &&
                          path.find('/', folder.size()) == std::string_view::npos;
      if (module && beside.reach < (finding.has_reach ? finding.reach : file.reach)) {
        finding.has_reach = true;
        finding.reach = beside.reach;
      }
    }
    // What does not fit its source any more is compiled anew before it runs: old, not hidden.
    const bool stale = code.checked && !code.hash_based && code.source_size != (text.size() & 0xffffffffU);
    finding.scale = stale ? 0.5 : 1.0;
    finding.message = fmt::format("bytecode has what its source lacks: {}", Listed(extra));
    finding.evidence = Listed(extra);
    out.push_back(std::move(finding));
  }
}

}  // namespace interlock::scan
