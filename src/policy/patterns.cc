#include "patterns.h"

#include <algorithm>

namespace interlock::policy {
namespace {

using base::Error;
using base::ErrorCode;
using base::Glob;
using base::Result;

constexpr std::string_view kSpecial = "*?[]{}\\,";

// `*` to `**` outside sets and escapes.
std::string AcrossSlashes(std::string_view pattern) {
  std::string out;
  bool in_set = false;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const char c = pattern[i];
    if (c == '\\' && i + 1 < pattern.size()) {
      out += c;
      out += pattern[++i];
    } else if (c == '*' && !in_set) {
      while (i + 1 < pattern.size() && pattern[i + 1] == '*') ++i;
      out += "**";
    } else {
      if (c == '[') in_set = true;
      if (c == ']') in_set = false;
      out += c;
    }
  }
  return out;
}

// Absolute, without empty, "." or ".." parts, and no '/' at the end: then it can be compared as it stands.
bool IsCanonicalAbsolute(std::string_view path) {
  if (!path.starts_with('/')) return false;
  if (path.size() == 1) return true;
  std::size_t part = 1;
  for (std::size_t i = 1; i <= path.size(); ++i) {
    if (i < path.size() && path[i] == '\0') return false;
    if (i < path.size() && path[i] != '/') continue;
    const std::string_view name = path.substr(part, i - part);
    if (name.empty() || name == "." || name == "..") return false;
    part = i + 1;
  }
  return true;
}

// "file:", "https:", "s3:" ...: a server may read it as a URL, so it must not pass for a relative path.
bool HasScheme(std::string_view text) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos || colon < 2) return false;
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  if (!is_letter(text[0])) return false;
  return std::ranges::all_of(
             text.substr(0, colon),
             [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; }) &&
         colon + 1 < text.size() && text[colon + 1] == '/';
}

// Removes empty and "." parts of a glob and resolves ".." after a literal part. The pattern is absolute.
Result<std::string> CanonicalGlob(std::string_view pattern) {
  std::vector<std::string_view> parts;
  std::size_t begin = 1;
  for (std::size_t i = 1; i <= pattern.size(); ++i) {
    if (i < pattern.size() && pattern[i] != '/') continue;
    const std::string_view part = pattern.substr(begin, i - begin);
    begin = i + 1;
    if (part.empty() || part == ".") continue;
    if (part == "..") {
      if (!parts.empty() && parts.back().find_first_of("*?[]{},") != std::string_view::npos) {
        return Error(ErrorCode::kInvalidArgument, "`..` after a wildcard has no one meaning");
      }
      if (!parts.empty()) parts.pop_back();
      continue;
    }
    parts.push_back(part);
  }
  std::string out;
  for (std::string_view part : parts) {
    out += '/';
    out += part;
  }
  return out.empty() ? std::string("/") : out;
}

std::string Unescape(std::string_view pattern) {
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\' && i + 1 < pattern.size()) ++i;
    out += pattern[i];
  }
  return out;
}

bool HasWildcard(std::string_view pattern) {
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] == '\\') {
      ++i;
    } else if (pattern[i] == '*' || pattern[i] == '?' || pattern[i] == '[' || pattern[i] == '{') {
      return true;
    }
  }
  return false;
}

}  // namespace

Result<NamePattern> NamePattern::Compile(std::string_view pattern) {
  NamePattern out;
  if (pattern.empty()) return Error(ErrorCode::kInvalidArgument, "a name must not be empty");
  Result<Glob> glob = Glob::Compile(AcrossSlashes(pattern));
  if (!glob.ok()) return glob.error();
  if (glob.value().is_literal()) {
    out.kind_ = Kind::kExact;
    out.prefix_ = glob.value().literal();
    return out;
  }
  const std::size_t special = pattern.find_first_of("*?[{\\");
  out.prefix_ = std::string(pattern.substr(0, special));
  if (pattern.find_first_not_of('*', special) == std::string_view::npos) {
    out.kind_ = out.prefix_.empty() ? Kind::kAny : Kind::kPrefix;
    return out;
  }
  out.kind_ = Kind::kGlob;
  out.glob_ = std::move(glob.value());
  return out;
}

bool NamePattern::Matches(std::string_view name) const noexcept {
  switch (kind_) {
    case Kind::kExact:
      return name == prefix_;
    case Kind::kPrefix:
      return name.starts_with(prefix_);
    case Kind::kAny:
      return true;
    case Kind::kGlob:
      return name.starts_with(prefix_) && glob_->Matches(name);
  }
  return false;
}

Result<PathPattern> PathPattern::Compile(std::string_view pattern, const PathBase& base) {
  std::string absolute;
  if (pattern == "~" || pattern.starts_with("~/")) {
    if (base.home.empty()) return Error(ErrorCode::kInvalidArgument, "the home directory is not known");
    absolute = EscapeGlob(base.home) + std::string(pattern.substr(1));
  } else if (pattern.starts_with('/')) {
    absolute = std::string(pattern);
  } else if (pattern.starts_with("**")) {
    absolute = "/" + std::string(pattern);
  } else {
    if (pattern.empty()) return Error(ErrorCode::kInvalidArgument, "a path must not be empty");
    if (base.cwd.empty()) return Error(ErrorCode::kInvalidArgument, "a relative path needs the variable `cwd`");
    absolute = EscapeGlob(base.cwd) + "/" + std::string(pattern);
  }
  if (!absolute.starts_with('/')) return Error(ErrorCode::kInvalidArgument, "the path is not absolute");
  Result<std::string> canonical = CanonicalGlob(absolute);
  if (!canonical.ok()) return canonical.error();
  const std::string& text = canonical.value();
  PathPattern out;
  Result<Glob> glob = Glob::Compile(text);
  if (!glob.ok()) return glob.error();
  out.shown_ = text;
  out.glob_ = std::move(glob.value());
  if (text.ends_with("/**")) {
    const std::string root = text.size() == 3 ? "/" : text.substr(0, text.size() - 3);
    if (!HasWildcard(root)) {
      out.is_tree_ = true;
      out.tree_ = root == "/" ? "" : Unescape(root);
    } else {
      // A brace cut in two does not compile alone; then the pattern simply has no root of its own.
      Result<Glob> alone = Glob::Compile(root);
      if (alone.ok()) out.root_ = std::move(alone.value());
    }
  }
  return out;
}

bool PathPattern::Matches(std::string_view canonical) const noexcept {
  if (is_tree_) {
    return canonical.starts_with(tree_) && (canonical.size() == tree_.size() || canonical[tree_.size()] == '/');
  }
  return glob_->Matches(canonical) || (root_.has_value() && root_->Matches(canonical));
}

ResolvedPath ResolvePath(std::string_view text, const PathBase& base, std::string& storage) {
  using State = ResolvedPath::State;
  if (IsCanonicalAbsolute(text)) return {State::kResolved, text};
  if (text.empty() || text.find('\0') != std::string_view::npos || HasScheme(text)) return {State::kNotAPath, {}};
  if (text == "~" || text.starts_with("~/")) {
    if (base.home.empty()) return {State::kUnknown, {}};
    storage = base.home;
    storage += text.substr(1);
  } else if (text.starts_with('~')) {
    return {State::kNotAPath, {}};
  } else if (text.starts_with('/')) {
    storage = text;
  } else {
    if (base.cwd.empty()) return {State::kUnknown, {}};
    storage = base.cwd;
    storage += '/';
    storage += text;
  }
  Result<std::string> canonical = base::CanonicalPath(storage);
  if (!canonical.ok()) return {State::kNotAPath, {}};
  storage = std::move(canonical.value());
  return {State::kResolved, storage};
}

std::string EscapeGlob(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (kSpecial.find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

}  // namespace interlock::policy
