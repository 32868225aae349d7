// Compiled names and paths that conditions compare against. Matching allocates nothing on the usual path.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/glob.h"
#include "interlock/base/result.h"

namespace interlock::policy {

// A tool or server name: exact, or a glob in which `*` stands for any characters, '/' included. (A tool may call itself
// "a/b"; a rule about `*` must not be escaped by a slash in a name.)
class NamePattern {
 public:
  [[nodiscard]] static base::Result<NamePattern> Compile(std::string_view pattern);
  [[nodiscard]] bool Matches(std::string_view name) const noexcept;
  [[nodiscard]] bool is_exact() const noexcept { return kind_ == Kind::kExact; }
  // Exact: the name itself. Else the characters before the first special one.
  [[nodiscard]] const std::string& prefix() const noexcept { return prefix_; }

 private:
  enum class Kind : unsigned char { kExact, kPrefix, kAny, kGlob };
  Kind kind_ = Kind::kExact;
  std::string prefix_;
  std::optional<base::Glob> glob_;
};

// What relative paths and `~` mean. Empty: not known.
struct PathBase {
  std::string cwd;
  std::string home;
};

// A glob over canonical absolute paths. `/a/**` also covers `/a` itself.
class PathPattern {
 public:
  // `pattern` has its variables filled in (their special characters escaped). kInvalidArgument for a pattern that does
  // not compile, steps out of its root, or is relative while the working directory is not known.
  [[nodiscard]] static base::Result<PathPattern> Compile(std::string_view pattern, const PathBase& base);
  [[nodiscard]] bool Matches(std::string_view canonical) const noexcept;
  [[nodiscard]] const std::string& shown() const noexcept { return shown_; }

 private:
  std::string shown_;
  std::string tree_;  // literal root of "tree_/**"; only if is_tree_
  bool is_tree_ = false;
  std::optional<base::Glob> glob_;
  std::optional<base::Glob> root_;  // the pattern without a trailing "/**"
};

// An argument's text as an absolute canonical path.
struct ResolvedPath {
  enum class State : unsigned char {
    kResolved,
    kNotAPath,  // a URL, another user's home, NUL: no path that could be inside anything
    kUnknown,   // relative, and the working directory (or home) is not known
  };
  State state = State::kNotAPath;
  std::string_view path;  // into the argument, or into `storage`
};
[[nodiscard]] ResolvedPath ResolvePath(std::string_view text, const PathBase& base, std::string& storage);

// `text` with every character that a glob treats specially escaped.
[[nodiscard]] std::string EscapeGlob(std::string_view text);

}  // namespace interlock::policy
