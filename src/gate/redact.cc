#include "redact.h"

#include <algorithm>

#include "interlock/base/secret_text.h"

namespace interlock::gate {
namespace {

using base::JsonValue;
using base::SecretFinder;

constexpr int kMaxDepth = 200;
constexpr std::size_t kShortest = 4;  // of a whole value under a name that says secret

std::size_t Replace(std::string_view text, std::string& out) {
  std::size_t count = 0;
  std::size_t done = 0;
  SecretFinder finder(text, SecretFinder::Looks::kKnownForms);
  for (base::SecretSpan span = finder.Next(); span.begin != span.end; span = finder.Next()) {
    out.append(text.substr(done, span.begin - done)).append(kSecretNotice);
    done = span.end;
    ++count;
  }
  if (count > 0) out.append(text.substr(done));
  return count;
}

// What a string of this name is: nothing of it is looked at, a secret as a whole, or a text that may hold some.
enum class What : std::uint8_t { kBinary, kSecret, kText };
What WhatIs(std::string_view text, std::string_view key, bool binary) {
  if (key == "blob" || (binary && key == "data")) return What::kBinary;
  return text.size() >= kShortest && text != kSecretNotice && base::IsSecretName(key) ? What::kSecret : What::kText;
}

bool HoldsBinary(JsonValue object) {
  const std::string_view type = object.Find("type").string();
  return type == "image" || type == "audio";
}

// Whether the Walker would find something, were nothing exempt: most values hold no secret, and need not be written.
bool MayHoldSecret(JsonValue value, std::string_view key, bool binary, int depth) {
  if (value.is_string()) {
    const std::string_view text = value.string();
    const What what = WhatIs(text, key, binary);
    if (what != What::kText) return what == What::kSecret;
    const base::SecretSpan span = SecretFinder(text, SecretFinder::Looks::kKnownForms).Next();
    return span.begin != span.end;
  }
  const bool object = value.is_object();
  if ((!object && !value.is_array()) || depth > kMaxDepth) return false;
  const bool is_binary = object && HoldsBinary(value);
  for (auto it = value.begin(), end = value.end(); it != end; ++it) {
    if (MayHoldSecret(*it, object ? it.key() : key, is_binary, depth + 1)) return true;
  }
  return false;
}

class Walker {
 public:
  explicit Walker(std::span<const std::string> exempt) : exempt_(exempt) {}

  void Value(JsonValue value, std::string_view key, bool binary, int depth) {
    if (!value.is_object() && !value.is_array()) {
      out_.json += value.is_string() ? String(value, key, binary) : std::string(value.raw());
      return;
    }
    if (depth > kMaxDepth) {
      out_.json += value.raw();
      return;
    }
    const bool object = value.is_object();
    const bool is_binary = object && HoldsBinary(value);
    out_.json += object ? '{' : '[';
    std::size_t index = 0;
    for (auto it = value.begin(); it != value.end(); ++it, ++index) {
      if (index > 0) out_.json += ',';
      const std::size_t size = pointer_.size();
      pointer_ += '/';
      if (object) {
        base::AppendJsonString(out_.json, it.key());
        out_.json += ':';
        AddStep(it.key());
      } else {
        pointer_ += std::to_string(index);
      }
      if (std::find(exempt_.begin(), exempt_.end(), pointer_) != exempt_.end()) {
        out_.json += (*it).raw();
      } else {
        Value(*it, object ? it.key() : key, is_binary, depth + 1);
      }
      pointer_.resize(size);
    }
    out_.json += object ? '}' : ']';
  }
  [[nodiscard]] Redaction Take() && { return std::move(out_); }

 private:
  void AddStep(std::string_view key) {
    for (const char c : key) {
      if (c == '~') {
        pointer_ += "~0";
      } else if (c == '/') {
        pointer_ += "~1";
      } else {
        pointer_ += c;
      }
    }
  }
  std::string String(JsonValue value, std::string_view key, bool binary) {
    const std::string_view text = value.string();
    std::string replaced;
    std::size_t count = 0;
    switch (WhatIs(text, key, binary)) {
      case What::kBinary:
        break;
      case What::kSecret:
        replaced = kSecretNotice;
        count = 1;
        break;
      case What::kText:
        count = Replace(text, replaced);
        break;
    }
    if (count == 0) return std::string(value.raw());
    if (out_.count == 0) out_.pointer = pointer_;
    out_.count += count;
    std::string quoted;
    base::AppendJsonString(quoted, replaced);
    return quoted;
  }

  std::span<const std::string> exempt_;
  Redaction out_;
  std::string pointer_;
};

}  // namespace

Redaction RedactSecrets(JsonValue value, std::span<const std::string> exempt) {
  if (!value.exists() || !MayHoldSecret(value, {}, false, 0)) return {};
  Walker walker(exempt);
  walker.Value(value, {}, false, 0);
  Redaction out = std::move(walker).Take();
  if (out.count == 0) out.json.clear();
  return out;
}

Redaction RedactText(std::string_view text) {
  Redaction out;
  out.count = Replace(text, out.json);
  return out;
}

}  // namespace interlock::gate
