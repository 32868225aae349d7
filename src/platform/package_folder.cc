#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <deque>
#include <memory>
#include <system_error>

#include "interlock/platform/fd.h"
#include "package_builder.h"

namespace interlock::platform::internal {

namespace {

using core::SkipReason;

constexpr std::uint32_t kNone = UINT32_MAX;
constexpr std::size_t kMaxLinkText = 512;
// Reading one folder keeps at most this many names more than there is room for.
constexpr std::size_t kNameSlack = 4096;

struct DirCloser {
  void operator()(DIR* dir) const noexcept { ::closedir(dir); }
};

// Other people's code, installed or copied in: read after the package's own.
bool IsVendored(std::string_view name) {
  return name == "node_modules" || name == "site-packages" || name == ".venv" || name == "venv" || name == "vendor" ||
         name == "third_party" || name == "__pycache__";
}

// What says what a package is and what its agent is told goes first.
int PriorityOf(std::string_view name) {
  static constexpr std::array kFirst = {
      std::string_view("SKILL.md"),      std::string_view("CLAUDE.md"),  std::string_view("AGENTS.md"),
      std::string_view("package.json"),  std::string_view("setup.py"),   std::string_view("pyproject.toml"),
      std::string_view("manifest.json"), std::string_view("README.md"),  std::string_view(".mcp.json"),
      std::string_view("server.json"),   std::string_view("plugin.json")};
  return std::find(kFirst.begin(), kFirst.end(), name) != kFirst.end() ? 0 : 1;
}

std::string Words(int err) { return std::generic_category().message(err); }

int OpenBeneath(int root, const std::string& path, std::uint64_t flags) {
  open_how how{};
  how.flags = flags | O_CLOEXEC;
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV;
  return static_cast<int>(::syscall(SYS_openat2, root, path.c_str(), &how, sizeof how));
}

class Walker {
 public:
  Walker(int root, PackageBuilder& builder) : root_(root), builder_(builder) {}

  void Run() {
    struct stat info{};
    if (::fstat(root_, &info) != 0) return builder_.Skip("./", SkipReason::kUnreadable, 0, Words(errno));
    device_ = info.st_dev;
    folders_.push_back({});
    List(0);
    while (!own_.empty() || !vendored_.empty()) {
      std::deque<std::uint32_t>& queue = own_.empty() ? vendored_ : own_;
      const std::uint32_t next = queue.front();
      queue.pop_front();
      List(next);
    }
  }

 private:
  // A tree of names: full paths of a million folders would not be bounded.
  struct Folder {
    std::uint32_t parent = kNone;
    std::uint16_t depth = 0;
    bool vendored = false;
    std::string name = {};
  };
  enum class Type : std::uint8_t { kFile, kFolder, kLink, kOther };
  struct Entry {
    std::string name;
    Type type = Type::kOther;
    int priority = 1;
    bool operator<(const Entry& other) const {
      return priority != other.priority ? priority < other.priority : name < other.name;
    }
  };

  [[nodiscard]] std::string PathOf(std::uint32_t folder) const {
    std::vector<std::string_view> names;
    for (; folder != kNone && folders_[folder].parent != kNone; folder = folders_[folder].parent)
      names.push_back(folders_[folder].name);
    std::string path;
    for (auto it = names.rbegin(); it != names.rend(); ++it) path.append(*it) += '/';
    return path;
  }

  // Step by step, so that no part of the path is a link, whatever is exchanged meanwhile.
  [[nodiscard]] UniqueFd Open(std::uint32_t folder) const {
    std::vector<const std::string*> names;
    for (; folders_[folder].parent != kNone; folder = folders_[folder].parent) names.push_back(&folders_[folder].name);
    UniqueFd fd(::openat(root_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    for (auto it = names.rbegin(); it != names.rend() && fd.valid(); ++it)
      fd.Reset(::openat(fd.get(), (*it)->c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
    return fd;
  }

  void List(std::uint32_t folder) {
    const std::string path = PathOf(folder);
    const std::string shown = path.empty() ? "./" : path;
    UniqueFd fd = Open(folder);
    struct stat info{};
    if (!fd.valid() || ::fstat(fd.get(), &info) != 0)
      return builder_.Skip(shown, SkipReason::kUnreadable, 0, Words(errno));
    if (info.st_dev != device_) return builder_.Skip(shown, SkipReason::kSpecial, 0, "another file system");
    const std::unique_ptr<DIR, DirCloser> dir(::fdopendir(::fcntl(fd.get(), F_DUPFD_CLOEXEC, 0)));
    if (dir == nullptr) return builder_.Skip(shown, SkipReason::kUnreadable, 0, Words(errno));
    for (const Entry& entry : ReadNames(dir.get(), fd.get(), path)) Handle(folder, path, fd.get(), entry);
  }

  // The names in the order in which they are read, no more than there is room for.
  [[nodiscard]] std::vector<Entry> ReadNames(DIR* dir, int fd, const std::string& path) {
    const std::size_t most = static_cast<std::size_t>(builder_.files_left()) + FoldersLeft() + kNameSlack;
    std::vector<Entry> entries;
    std::uint64_t dropped = 0;
    const auto cut = [&] {
      const auto end = entries.begin() + static_cast<std::ptrdiff_t>(most);
      std::nth_element(entries.begin(), end, entries.end());
      dropped += entries.size() - most;
      entries.erase(end, entries.end());
    };
    for (;;) {
      errno = 0;
      const dirent* found = ::readdir(dir);
      if (found == nullptr) {
        if (errno != 0) builder_.Skip(path + "./", SkipReason::kUnreadable, 0, Words(errno));
        break;
      }
      const std::string_view name = found->d_name;
      if (name == "." || name == "..") continue;
      if (!builder_.CountEntry(path)) {
        builder_.Skip(path.empty() ? "./" : path, SkipReason::kBudget, 0, "too many entries: not listed to the end");
        break;
      }
      entries.push_back({.name = std::string(name), .type = TypeOf(fd, *found), .priority = PriorityOf(name)});
      if (entries.size() >= 2 * most) cut();
    }
    if (entries.size() > most) cut();
    std::sort(entries.begin(), entries.end());
    builder_.skips().AddMany(path, SkipReason::kBudget, dropped, 0);
    return entries;
  }

  [[nodiscard]] static Type TypeOf(int fd, const dirent& found) {
    switch (found.d_type) {
      case DT_REG:
        return Type::kFile;
      case DT_DIR:
        return Type::kFolder;
      case DT_LNK:
        return Type::kLink;
      case DT_UNKNOWN:
        break;
      default:
        return Type::kOther;
    }
    struct stat info{};
    if (::fstatat(fd, found.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return Type::kOther;
    if (S_ISREG(info.st_mode)) return Type::kFile;
    if (S_ISDIR(info.st_mode)) return Type::kFolder;
    return S_ISLNK(info.st_mode) ? Type::kLink : Type::kOther;
  }

  void Handle(std::uint32_t folder, const std::string& path, int fd, const Entry& entry) {
    std::string full = path + entry.name;
    if (IsVersionControl(entry.name))
      return builder_.Skip(full + (entry.type == Type::kFolder ? "/" : ""), SkipReason::kIgnored);
    switch (entry.type) {
      case Type::kFolder:
        return Enter(folder, std::move(full), entry.name);
      case Type::kLink:
        return FollowLink(fd, std::move(full), entry.name);
      case Type::kOther:
        return builder_.Skip(std::move(full), SkipReason::kSpecial);
      case Type::kFile:
        break;
    }
    if (!builder_.HasRoomForFile() || builder_.bytes_left() == 0) {
      struct stat info{};
      const bool known = ::fstatat(fd, entry.name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0 && info.st_size > 0;
      return builder_.Skip(std::move(full), SkipReason::kBudget, known ? static_cast<std::uint64_t>(info.st_size) : 0);
    }
    // O_NONBLOCK: what was a file when it was listed may be a FIFO now.
    const UniqueFd file(::openat(fd, entry.name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file.valid()) return builder_.Skip(std::move(full), SkipReason::kUnreadable, 0, Words(errno));
    Read(file.get(), std::move(full));
  }

  void Enter(std::uint32_t parent, std::string full, const std::string& name) {
    const auto depth = static_cast<std::uint16_t>(folders_[parent].depth + 1);
    full += '/';
    if (depth > builder_.limits().max_depth || full.size() >= PATH_MAX)
      return builder_.Skip(std::move(full), SkipReason::kTooDeep);
    if (FoldersLeft() == 0) return builder_.Skip(std::move(full), SkipReason::kBudget, 0, "too many folders");
    const bool vendored = folders_[parent].vendored || IsVendored(name);
    folders_.push_back({.parent = parent, .depth = depth, .vendored = vendored, .name = name});
    (vendored ? vendored_ : own_).push_back(static_cast<std::uint32_t>(folders_.size() - 1));
  }

  void FollowLink(int fd, std::string full, const std::string& name) {
    std::array<char, kMaxLinkText> text;
    const ssize_t length = ::readlinkat(fd, name.c_str(), text.data(), text.size());
    const std::string target =
        "-> " + std::string(text.data(), length > 0 ? static_cast<std::size_t>(length) : std::size_t{0});
    // The kernel resolves it and refuses whatever would leave the package. O_PATH opens nothing yet.
    const UniqueFd look(OpenBeneath(root_, full, O_PATH));
    struct stat info{};
    if (!look.valid() || ::fstat(look.get(), &info) != 0 || !S_ISREG(info.st_mode))
      return builder_.Skip(std::move(full), SkipReason::kLink, 0, target);
    if (!builder_.HasRoomForFile()) return builder_.Skip(std::move(full), SkipReason::kBudget, 0, target);
    const UniqueFd file(OpenBeneath(root_, full, O_RDONLY | O_NONBLOCK | O_NOCTTY));
    if (!file.valid()) return builder_.Skip(std::move(full), SkipReason::kUnreadable, 0, target);
    Read(file.get(), std::move(full));
  }

  void Read(int fd, std::string full) {
    struct stat info{};
    if (::fstat(fd, &info) != 0) return builder_.Skip(std::move(full), SkipReason::kUnreadable, 0, Words(errno));
    if (!S_ISREG(info.st_mode)) return builder_.Skip(std::move(full), SkipReason::kSpecial);
    const auto size = info.st_size > 0 ? static_cast<std::uint64_t>(info.st_size) : 0;
    const std::uint64_t most = std::min(builder_.limits().max_file_bytes, builder_.bytes_left());
    const SkipReason over = most == builder_.limits().max_file_bytes ? SkipReason::kTooLarge : SkipReason::kBudget;
    if (size > most) {
      std::array<char, kProgramHead> head{};
      const base::Result<Transfer> moved = ReadSome(fd, std::span(head));
      const std::size_t used = moved.ok() ? moved.value().bytes : 0;
      std::string detail(IsProgramHead({head.data(), used}) ? core::kCompiledProgram : std::string_view());
      return builder_.Skip(std::move(full), over, size, std::move(detail));
    }
    // One byte more than stated, so that the end is seen in the first read; a file may grow while it is read.
    std::string bytes(static_cast<std::size_t>(size) + 1, '\0');
    std::size_t used = 0;
    for (;;) {
      if (used == bytes.size()) bytes.resize(bytes.size() * 2);
      const base::Result<Transfer> moved = ReadSome(fd, std::span(bytes).subspan(used));
      if (!moved.ok() || moved.value().state == Transfer::State::kWouldBlock)
        return builder_.Skip(std::move(full), SkipReason::kUnreadable, size);
      if (moved.value().state == Transfer::State::kClosed) break;
      used += moved.value().bytes;
      if (used > most) return builder_.Skip(std::move(full), over, used);
    }
    bytes.resize(used);
    builder_.Keep(std::move(full), std::move(bytes), (info.st_mode & 0111) != 0);
  }

  [[nodiscard]] std::size_t FoldersLeft() const {
    const std::size_t entered = folders_.size() - 1;
    return builder_.limits().max_folders > entered ? builder_.limits().max_folders - entered : 0;
  }

  int root_;
  PackageBuilder& builder_;
  dev_t device_ = 0;
  std::vector<Folder> folders_;
  std::deque<std::uint32_t> own_;
  std::deque<std::uint32_t> vendored_;
};

}  // namespace

void WalkFolder(int root, PackageBuilder& builder) { Walker(root, builder).Run(); }

}  // namespace interlock::platform::internal
