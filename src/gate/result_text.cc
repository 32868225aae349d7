#include "result_text.h"

#include <algorithm>
#include <utility>

#include "interlock/base/digest.h"

namespace interlock::gate {
namespace {

using base::JsonValue;

constexpr int kMaxDepth = 16;  // deeper subtrees are read as the JSON they are
constexpr std::size_t kMaxProtocolWord = 64;

// No place to hide a sentence in: short, and one word.
bool IsProtocolWord(std::string_view key, std::string_view value) {
  if (key != "type" && key != "mimeType" && key != "role" && key != "resultType") return false;
  return value.size() <= kMaxProtocolWord && value.find_first_of(" \t\r\n_") == std::string_view::npos;
}

// A resource's own short address: whoever asked knows the answer by it. It is read like any text, and left in place
// when a span of the text beside it reaches over it; the masked form is read again.
bool IsAddress(std::string_view key, std::string_view value) {
  return key == "uri" && value.size() <= kMaxProtocolWord &&
         value.find_first_of(" \t\r\n_-+%,;") == std::string_view::npos;
}

bool SaysTheSame(std::string_view text, const std::string& canonical) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || (text[first] != '{' && text[first] != '[')) return false;
  const auto doc = base::JsonDoc::Parse(text);
  return doc.ok() && base::CanonicalJson(doc.value().root()) == canonical;
}

// JSON on one line: line ends stand outside of its strings only.
std::string OnOneLine(std::string json) {
  std::replace_if(json.begin(), json.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return json;
}

}  // namespace

ResultText::ResultText(const core::ToolResult& result) : payload_(result.payload) {
  if (!payload_.exists()) {
    recorded_ = result.text.value_or(std::string_view());
    return;
  }
  if (payload_.is_object()) {
    const JsonValue structured = payload_.Find("structuredContent");
    for (auto it = payload_.begin(); it != payload_.end(); ++it) {
      if (it.key() != "structuredContent" || structured.is_string()) Collect(*it, it.key(), false, 1);
    }
    if (structured.is_object() || structured.is_array()) {
      const std::string canonical = base::CanonicalJson(structured);
      const auto twin = std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& piece) {
        return piece.value.is_string() && SaysTheSame(piece.value.string(), canonical);
      });
      if (twin == pieces_.end()) {
        Add(structured, structured.raw());
      } else {
        structured_ = structured;
        twin_ = static_cast<std::size_t>(twin - pieces_.begin());
      }
    }
  } else {
    Collect(payload_, {}, false, 0);
  }
}

void ResultText::Add(JsonValue value, std::string_view words) {
  if (words.empty()) return;
  if (!joined_.empty()) joined_ += '\n';
  const std::size_t begin = joined_.size();
  joined_ += words;
  pieces_.push_back({begin, joined_.size(), value});
}

void ResultText::Collect(JsonValue value, std::string_view key, bool binary, int depth) {
  if (value.is_string()) {
    if (key == "blob" || (binary && key == "data") || IsProtocolWord(key, value.string())) return;
    const std::size_t before = pieces_.size();
    Add(value, value.string());
    if (pieces_.size() > before) pieces_.back().address = IsAddress(key, value.string());
  } else if (depth >= kMaxDepth) {
    if (value.is_object() || value.is_array()) Add(value, value.raw());
  } else if (value.is_array()) {
    for (const JsonValue item : value) Collect(item, key, binary, depth + 1);
  } else if (value.is_object()) {
    const std::string_view type = value.Find("type").string();
    const bool is_binary = type == "image" || type == "audio";
    for (auto it = value.begin(); it != value.end(); ++it) Collect(*it, it.key(), is_binary, depth + 1);
  }
}

std::string ResultText::Masked(const std::vector<injection::Span>& spans) const {
  if (!payload_.exists()) return injection::MaskSpans(recorded_, spans);
  struct Edit {
    std::size_t offset;  // in the document
    std::size_t size;
    std::string json;
  };
  std::vector<Edit> edits;
  for (std::size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    std::vector<injection::Span> inside;
    for (const injection::Span& span : spans) {
      if (span.bytes.begin >= piece.end || span.bytes.end <= piece.begin) continue;
      injection::Span part = span;
      part.bytes = {std::max(span.bytes.begin, piece.begin) - piece.begin,
                    std::min(span.bytes.end, piece.end) - piece.begin};
      inside.push_back(std::move(part));
    }
    if (inside.empty() || piece.address) continue;
    std::string masked =
        injection::MaskSpans(std::string_view(joined_).substr(piece.begin, piece.end - piece.begin), inside);
    if (structured_.exists() && twin_ == i) {
      edits.push_back({structured_.offset(), structured_.raw().size(), OnOneLine(masked)});
    }
    if (piece.value.is_string()) {
      std::string quoted;
      base::AppendJsonString(quoted, masked);
      masked = std::move(quoted);
    } else {
      masked = OnOneLine(std::move(masked));
    }
    edits.push_back({piece.value.offset(), piece.value.raw().size(), std::move(masked)});
  }
  std::sort(edits.begin(), edits.end(), [](const Edit& a, const Edit& b) { return a.offset < b.offset; });
  const std::string_view raw = payload_.raw();
  std::string out;
  out.reserve(raw.size());
  std::size_t at = 0;
  for (const Edit& edit : edits) {
    const std::size_t begin = edit.offset - payload_.offset();
    out.append(raw.substr(at, begin - at)).append(edit.json);
    at = begin + edit.size;
  }
  out.append(raw.substr(at));
  return out;
}

}  // namespace interlock::gate
