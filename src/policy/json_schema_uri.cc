#include "json_schema_uri.h"

#include "interlock/base/digits.h"

namespace interlock::policy::schema {
namespace {

struct Parts {
  std::string_view scheme;     // with ':'
  std::string_view authority;  // with "//"
  std::string_view path;
  std::string_view query;  // with '?'
};

constexpr bool IsAlpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
constexpr bool IsSchemeChar(char c) { return IsAlpha(c) || (c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.'; }

Parts Parse(std::string_view uri) {
  Parts out;
  std::size_t end = 0;
  while (end < uri.size() && IsSchemeChar(uri[end])) ++end;
  if (end > 0 && end < uri.size() && uri[end] == ':' && IsAlpha(uri.front())) {
    out.scheme = uri.substr(0, end + 1);
    uri.remove_prefix(end + 1);
  }
  if (uri.starts_with("//")) {
    out.authority = uri.substr(0, uri.find_first_of("/?", 2));
    uri.remove_prefix(out.authority.size());
  }
  out.path = uri.substr(0, uri.find('?'));
  out.query = uri.substr(out.path.size());
  return out;
}

// Section 5.2.4.
std::string RemoveDotSegments(std::string_view path) {
  std::string out;
  const auto drop_last = [&out] {
    const std::size_t slash = out.rfind('/');
    out.resize(slash == std::string::npos ? 0 : slash);
  };
  while (!path.empty()) {
    if (path.starts_with("../")) {
      path.remove_prefix(3);
    } else if (path.starts_with("./") || path.starts_with("/./")) {
      path.remove_prefix(2);
    } else if (path == "/.") {
      path = "/";
    } else if (path.starts_with("/../")) {
      path.remove_prefix(3);
      drop_last();
    } else if (path == "/..") {
      path = "/";
      drop_last();
    } else if (path == "." || path == "..") {
      break;
    } else {
      const std::size_t next = path.find('/', 1);
      out += path.substr(0, next);
      path.remove_prefix(next == std::string_view::npos ? path.size() : next);
    }
  }
  return out;
}

using base::HexValue;

}  // namespace

SplitUri SplitFragment(std::string_view uri) noexcept {
  const std::size_t hash = uri.find('#');
  if (hash == std::string_view::npos) return {uri, std::nullopt};
  return {uri.substr(0, hash), uri.substr(hash + 1)};
}

std::string ResolveUri(std::string_view base, std::string_view reference) {
  if (reference.empty()) return std::string(base);
  const Parts r = Parse(reference);
  const Parts b = Parse(base);
  std::string path;
  std::string_view authority = b.authority;
  std::string_view query = r.query;
  if (!r.scheme.empty() || !r.authority.empty()) {
    authority = r.authority;
    path = RemoveDotSegments(r.path);
  } else if (r.path.empty()) {
    path = b.path;
    if (query.empty()) query = b.query;
  } else if (r.path.starts_with('/')) {
    path = RemoveDotSegments(r.path);
  } else {
    std::string merged;
    if (!b.authority.empty() && b.path.empty()) {
      merged = "/";
    } else if (const std::size_t slash = b.path.rfind('/'); slash != std::string_view::npos) {
      merged = b.path.substr(0, slash + 1);
    }
    merged += r.path;
    path = RemoveDotSegments(merged);
  }
  std::string out(r.scheme.empty() ? b.scheme : r.scheme);
  out += authority;
  out += path;
  out += query;
  return out;
}

std::optional<std::string> PercentDecode(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      out.push_back(text[i]);
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const int high = HexValue(text[i + 1]);
    const int low = HexValue(text[i + 2]);
    if (high < 0 || low < 0) return std::nullopt;
    out.push_back(static_cast<char>(high * 16 + low));
    i += 2;
  }
  return out;
}

}  // namespace interlock::policy::schema
