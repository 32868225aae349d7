#include "yaml_tree.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <streambuf>
#include <unordered_set>
#include <utility>

#include "interlock/base/decimal.h"
#include "interlock/base/text.h"

namespace interlock::policy {
namespace {

using base::Error;
using base::ErrorCode;

// yaml-cpp queues a token and a possible key for every opening bracket before it emits an event, so depth caps in the
// handler come too late for memory: their number is capped before it sees a byte.
constexpr std::size_t kMaxFlowOpenings = 100'000;

// Carries an Error out of yaml-cpp, which only knows exceptions. Never leaves this file.
struct Refusal {
  ErrorCode code;
  std::string message;
  YAML::Mark mark;
};

std::uint32_t FromZero(int n) { return n < 0 ? 0 : static_cast<std::uint32_t>(n) + 1; }

class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view file, const YamlLimits& limits) : file_(file), limits_(limits) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ > 1) throw Refusal{ErrorCode::kPolicySyntax, "only one document is read", mark};
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    RefuseAnchor(mark, anchor);
    Place(MakeNode(YamlNode::Kind::kNull, mark));
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override {
    throw Refusal{ErrorCode::kPolicySyntax, "aliases are not read: write the value out", mark};
  }
  void OnAnchor(const YAML::Mark& mark, const std::string& /*name*/) override { RefuseAnchor(mark, 1); }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    RefuseAnchor(mark, anchor);
    RefuseTag(mark, tag);
    YamlNode node = MakeNode(YamlNode::Kind::kScalar, mark);
    node.plain = tag != "!";
    node.text = value;
    Place(std::move(node));
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(YamlNode::Kind::kSequence, mark, tag, anchor);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(YamlNode::Kind::kMap, mark, tag, anchor);
  }
  void OnMapEnd() override { Close(); }

  [[nodiscard]] YamlDocument Take() { return std::move(document_); }

 private:
  // A collection that is still open.
  struct Frame {
    YamlNode node;
    YamlNode key;  // map: the key whose value comes next
    bool has_key = false;
    std::unordered_set<std::string> seen;
  };

  static void RefuseAnchor(const YAML::Mark& mark, YAML::anchor_t anchor) {
    if (anchor != 0) throw Refusal{ErrorCode::kPolicySyntax, "anchors are not read: write the value out", mark};
  }
  static void RefuseTag(const YAML::Mark& mark, const std::string& tag) {
    if (!tag.empty() && tag != "?" && tag != "!") throw Refusal{ErrorCode::kPolicySyntax, "tags are not read", mark};
  }

  YamlNode MakeNode(YamlNode::Kind kind, const YAML::Mark& mark) {
    if (++nodes_ > limits_.max_nodes) throw Refusal{ErrorCode::kPolicyLimit, "too many values", mark};
    YamlNode node;
    node.kind = kind;
    node.line = FromZero(mark.line);
    node.column = FromZero(mark.column);
    return node;
  }

  void Open(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor) {
    RefuseAnchor(mark, anchor);
    RefuseTag(mark, tag);
    if (!open_.empty() && open_.back().node.is_map() && !open_.back().has_key) {
      throw Refusal{ErrorCode::kPolicySyntax, "a key must be a scalar", mark};
    }
    // SAFETY: yaml-cpp descends one level for each of these events, so this also bounds its recursion.
    if (open_.size() >= limits_.max_depth) throw Refusal{ErrorCode::kPolicyLimit, "nested too deeply", mark};
    Frame frame;
    frame.node = MakeNode(kind, mark);
    open_.push_back(std::move(frame));
  }

  void Close() {
    YamlNode node = std::move(open_.back().node);
    open_.pop_back();
    Place(std::move(node));
  }

  void Place(YamlNode node) {
    if (open_.empty()) {
      document_.root = std::move(node);
      return;
    }
    Frame& frame = open_.back();
    if (!frame.node.is_map()) {
      frame.node.items.push_back(std::move(node));
      return;
    }
    if (frame.has_key) {
      frame.node.keys.push_back(std::move(frame.key));
      frame.node.items.push_back(std::move(node));
      frame.has_key = false;
      return;
    }
    if (node.is_null()) {
      // yaml-cpp keeps no text of a null, so `null:` could not be told from `~:`.
      throw Refusal{ErrorCode::kPolicySyntax, "a key must not be null: quote it", MarkOf(node)};
    }
    if (node.plain && node.text == "<<") {
      throw Refusal{ErrorCode::kPolicySyntax, "merge keys are not read: write the values out", MarkOf(node)};
    }
    if (!frame.seen.insert(node.text).second) {
      document_.duplicates.push_back(Error(ErrorCode::kPolicyDuplicateKey,
                                           "key `" + base::Printable(node.text, 80) + "` occurs twice",
                                           {.file = std::string(file_), .line = node.line, .column = node.column}));
    }
    frame.key = std::move(node);
    frame.has_key = true;
  }

  static YAML::Mark MarkOf(const YamlNode& node) {
    YAML::Mark mark;
    mark.line = static_cast<int>(node.line) - 1;
    mark.column = static_cast<int>(node.column) - 1;
    return mark;
  }

  std::string_view file_;
  const YamlLimits& limits_;
  YamlDocument document_;
  std::vector<Frame> open_;
  std::uint32_t nodes_ = 0;
  int documents_ = 0;
};

// Reads straight from the caller's bytes.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // streambuf's interface; never written through
    setg(begin, begin, begin + text.size());
  }
};

base::SourcePlace PlaceOf(std::string_view file, const YAML::Mark& mark) {
  return {.file = std::string(file), .line = FromZero(mark.line), .column = FromZero(mark.column)};
}

base::SourcePlace PlaceAt(std::string_view file, std::string_view text, std::size_t offset) {
  const std::string_view before = text.substr(0, offset);
  const std::size_t line_start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {.file = std::string(file),
          .line = static_cast<std::uint32_t>(std::ranges::count(before, '\n')) + 1,
          .column = static_cast<std::uint32_t>(offset - line_start) + 1,
          .offset = offset};
}

// yaml-cpp's parser would take NUL and other controls; no policy needs them.
std::size_t FindControl(std::string_view text) {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const auto c = static_cast<unsigned char>(text[i]);
    if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F) return i;
  }
  return std::string_view::npos;
}

std::string Lowered(const std::string& what) {
  std::string out = base::Printable(what, 160);
  if (!out.empty() && out[0] >= 'A' && out[0] <= 'Z') out[0] = static_cast<char>(out[0] - 'A' + 'a');
  return out;
}

bool IsOddNumber(std::string_view text) {
  const bool is_signed = text.starts_with('-') || text.starts_with('+');
  std::string_view body = is_signed ? text.substr(1) : text;
  if (body.empty()) return false;
  for (std::string_view name : {".inf", ".Inf", ".INF"}) {
    if (body == name) return true;
  }
  if (!is_signed && (body == ".nan" || body == ".NaN" || body == ".NAN")) return true;
  const auto all_of = [](std::string_view s, std::string_view set) {
    return !s.empty() && s.find_first_not_of(set) == std::string_view::npos;
  };
  if (body.starts_with("0x")) return all_of(body.substr(2), "0123456789abcdefABCDEF");
  if (body.starts_with("0o")) return all_of(body.substr(2), "01234567");
  // What is left of the core schema: digits with an optional fraction and exponent.
  std::size_t i = 0;
  std::size_t digits = 0;
  const auto skip_digits = [&] {
    while (i < body.size() && body[i] >= '0' && body[i] <= '9') ++i, ++digits;
  };
  skip_digits();
  if (i < body.size() && body[i] == '.') {
    ++i;
    skip_digits();
  }
  if (digits == 0) return false;
  if (i < body.size() && (body[i] == 'e' || body[i] == 'E')) {
    ++i;
    if (i < body.size() && (body[i] == '+' || body[i] == '-')) ++i;
    digits = 0;
    skip_digits();
    if (digits == 0) return false;
  }
  return i == body.size();
}

}  // namespace

const YamlNode* YamlNode::Find(std::string_view key) const noexcept {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (keys[i].text == key) return &items[i];
  }
  return nullptr;
}

base::Result<YamlDocument> ReadYaml(std::string_view text, std::string_view file, const YamlLimits& limits) {
  if (text.size() > limits.max_bytes) {
    return Error(
        ErrorCode::kPolicyLimit,
        "the text has " + std::to_string(text.size()) + " bytes, the limit is " + std::to_string(limits.max_bytes),
        {.file = std::string(file)});
  }
  if (!base::IsValidUtf8(text)) {
    return Error(ErrorCode::kPolicySyntax, "the text is not valid UTF-8", {.file = std::string(file)});
  }
  if (const std::size_t at = FindControl(text); at != std::string_view::npos) {
    return Error(ErrorCode::kPolicySyntax, "control character", PlaceAt(file, text, at));
  }
  if (static_cast<std::size_t>(std::ranges::count_if(text, [](char c) { return c == '[' || c == '{'; })) >
      kMaxFlowOpenings) {
    return Error(ErrorCode::kPolicyLimit, "too many brackets", {.file = std::string(file)});
  }
  TreeBuilder builder(file, limits);
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
  } catch (const Refusal& refusal) {
    return Error(refusal.code, refusal.message, PlaceOf(file, refusal.mark));
  } catch (const YAML::Exception& e) {
    return Error(ErrorCode::kPolicySyntax, Lowered(e.msg), PlaceOf(file, e.mark));
  } catch (const std::exception& e) {
    return Error(ErrorCode::kPolicySyntax, Lowered(e.what()), {.file = std::string(file)});
  }
  return builder.Take();
}

ScalarType TypeOfScalar(const YamlNode& scalar) noexcept {
  if (scalar.is_null()) return ScalarType::kNull;
  if (!scalar.plain) return ScalarType::kString;
  const std::string_view text = scalar.text;
  if (text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL") return ScalarType::kNull;
  if (text == "true" || text == "True" || text == "TRUE") return ScalarType::kTrue;
  if (text == "false" || text == "False" || text == "FALSE") return ScalarType::kFalse;
  if (base::IsJsonNumber(text)) return ScalarType::kNumber;
  return IsOddNumber(text) ? ScalarType::kOddNumber : ScalarType::kString;
}

}  // namespace interlock::policy
