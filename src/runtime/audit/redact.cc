#include "redact.h"

#include <algorithm>
#include <array>

#include "interlock/base/secret_text.h"

namespace interlock::runtime::audit {
namespace {

constexpr int kMaxDepth = 200;  // base::JsonLimits stops at 128 unless somebody raises it

}  // namespace

using base::FindSecret;
using base::IsSecretName;
using base::SecretFinder;
using base::SecretSpan;

void Redactor::Hash(std::string_view secret) {
  const std::array<char, 16> hash = hasher_.Text(secret);
  out_->append("{\"$hash\":\"").append(hash.data(), hash.size()).append("\",\"len\":");
  out_->append(std::to_string(secret.size())).append("}");
  found_ = true;
}

// Puts `text` with its secrets replaced into scratch_; false when it has none.
bool Redactor::Scratch(std::string_view text) {
  SecretFinder finder(text);
  SecretSpan span = finder.Next();
  if (span.begin == span.end) return false;
  scratch_.clear();
  std::size_t done = 0;
  for (; span.begin != span.end; span = finder.Next()) {
    scratch_.append(text.substr(done, span.begin - done));
    const std::string_view secret = text.substr(span.begin, span.end - span.begin);
    const std::array<char, 16> hash = hasher_.Text(secret);
    scratch_.append("[secret:").append(hash.data(), hash.size()).append(":");
    scratch_.append(std::to_string(secret.size())).append("]");
    done = span.end;
  }
  scratch_.append(text.substr(done));
  found_ = true;
  return true;
}

void Redactor::AppendKey(std::string_view key) {
  if (key.find("[secret:") != std::string_view::npos) {
    // Made to look like a replaced one: two keys must never become the same.
    const std::array<char, 16> hash = hasher_.Text(key);
    scratch_.assign("[secret:").append(hash.data(), hash.size()).append(":");
    scratch_.append(std::to_string(key.size())).append("]");
    found_ = true;
    key = scratch_;
  } else if (Scratch(key)) {
    key = scratch_;
  }
  base::AppendJsonString(*out_, key);
  out_->push_back(':');
}

bool Redactor::Value(base::JsonValue value, bool secret, int depth) {
  if (out_->size() > limit_ || depth > kMaxDepth) return false;
  secret = secret || (!marked_.empty() && std::ranges::find(marked_, value.raw().data()) != marked_.end());
  switch (value.type()) {
    case base::JsonType::kString: {
      const std::string_view text = value.string();
      if (secret && !text.empty()) {
        Hash(text);
      } else if (const SecretSpan span = FindSecret(text); span.begin == span.end) {
        out_->append(value.raw());
      } else if (span.begin == 0 && span.end == text.size()) {
        Hash(text);
      } else {
        (void)Scratch(text);
        base::AppendJsonString(*out_, scratch_);
      }
      return true;
    }
    case base::JsonType::kNumber:
      if (secret) {
        Hash(value.raw());
      } else {
        out_->append(value.raw());
      }
      return true;
    case base::JsonType::kArray:
    case base::JsonType::kObject: {
      const bool object = value.is_object();
      out_->push_back(object ? '{' : '[');
      bool first = true;
      for (auto it = value.begin(); it != value.end(); ++it) {
        if (!first) out_->push_back(',');
        first = false;
        bool inside = secret;
        if (object) {
          const std::string_view key = it.key();
          AppendKey(key);
          inside = secret || IsSecretName(key);
        }
        if (!Value(*it, inside, depth + 1)) return false;
      }
      out_->push_back(object ? '}' : ']');
      return out_->size() <= limit_;
    }
    case base::JsonType::kMissing:
    case base::JsonType::kNull:
      out_->append("null");
      return true;
    case base::JsonType::kBool:
      out_->append(value.raw());
      return true;
  }
  return false;
}

bool Redactor::AppendJson(base::JsonValue value, std::size_t max_bytes, std::string& out, bool& found,
                          std::span<const std::string> secrets) {
  marked_.clear();
  for (const std::string& pointer : secrets) {
    if (const base::JsonValue secret = value.FindPointer(pointer); secret.exists()) {
      marked_.push_back(secret.raw().data());
    }
  }
  out_ = &out;
  limit_ = out.size() + max_bytes;
  found_ = false;
  const bool whole = Value(value, false, 0) && out.size() <= limit_;
  // What was left out may hold secrets: its digest must not let anybody guess them.
  found = found || found_ || !whole;
  return whole;
}

void Redactor::AppendText(std::string_view text, std::size_t max_bytes, std::string& out, bool& found) {
  // Replaced first and cut then: half a secret would not be seen as one.
  if (text.size() > 2 * max_bytes + 4096) text = text.substr(0, 2 * max_bytes + 4096);
  found_ = false;
  if (Scratch(text)) text = scratch_;
  if (text.size() > max_bytes) {
    std::size_t cut = max_bytes;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xC0U) == 0x80U) --cut;
    text = text.substr(0, cut);
  }
  out.append(text);
  found = found || found_;
}

}  // namespace interlock::runtime::audit
