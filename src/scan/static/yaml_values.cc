#include "static/yaml_values.h"

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <istream>
#include <map>
#include <streambuf>
#include <utility>

#include "fmt/format.h"

namespace interlock::scan {
namespace {

constexpr std::size_t kMostBytes = std::size_t{512} << 10U;
constexpr std::size_t kMostValues = 20'000;
constexpr std::size_t kDeepest = 32;
constexpr std::size_t kLongestKey = 200;
constexpr std::size_t kMostOfPaths = std::size_t{4} << 20U;      // bytes, of all values together
constexpr std::size_t kMostOfAliases = std::size_t{256} << 10U;  // bytes that aliases stand for, all together
// yaml-cpp queues a token and a possible key for every opening bracket before it tells of the first.
constexpr std::size_t kMostBrackets = 100'000;

// Ends the reading from inside of yaml-cpp, which only knows exceptions. Never leaves this file.
struct Stop {
  std::string_view why;
  int line;
};

class Collector final : public YAML::EventHandler {
 public:
  // `skipped`: bytes before the first that yaml-cpp counts.
  Collector(std::string_view text, std::size_t skipped) : text_(text), skipped_(skipped) {}

  void OnDocumentStart(const YAML::Mark& mark) override {
    // Before a token that begins no document yaml-cpp sees one empty document after another, without an end.
    if (mark.pos <= document_) throw Stop{"no document begins there", mark.line};
    document_ = mark.pos;
    frames_.clear();
    anchors_.clear();
  }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t /*anchor*/) override { Place(mark, {}); }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto known = anchors_.find(anchor);
    std::string text = known == anchors_.end() ? std::string() : known->second;
    aliased_ += text.size();
    if (aliased_ > kMostOfAliases) throw Stop{"too much by aliases", mark.line};
    Place(mark, std::move(text));
  }
  void OnScalar(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t anchor,
                const std::string& value) override {
    if (anchor != 0) anchors_.insert_or_assign(anchor, value);
    Place(mark, value);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                       YAML::EmitterStyle::value /*style*/) override {
    Open(mark, false);
  }
  void OnSequenceEnd() override { Close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& /*tag*/, YAML::anchor_t /*anchor*/,
                  YAML::EmitterStyle::value /*style*/) override {
    Open(mark, true);
  }
  void OnMapEnd() override { Close(); }

  [[nodiscard]] std::vector<YamlValue> Take() {
    EndLast(text_.size());
    return std::move(values_);
  }

 private:
  // A collection that is still open.
  struct Frame {
    bool map = false;
    bool has_key = false;
    std::size_t index = 0;
    std::string key;
  };

  void Open(const YAML::Mark& mark, bool map) {
    // SAFETY: yaml-cpp descends one level for each of these events, so this also bounds its recursion.
    if (frames_.size() >= kDeepest) throw Stop{"nested too deeply", mark.line};
    EndLast(OffsetOf(mark));
    frames_.push_back({.map = map, .has_key = false, .index = 0, .key = {}});
  }

  void Close() {
    frames_.pop_back();
    Advance({});
  }

  void Place(const YAML::Mark& mark, std::string text) {
    EndLast(OffsetOf(mark));
    const bool is_key = !frames_.empty() && frames_.back().map && !frames_.back().has_key;
    if (is_key) {
      if (text.size() > kLongestKey) text.resize(kLongestKey);
      Advance(std::move(text));
      return;
    }
    if (!text.empty()) {
      if (values_.size() >= kMostValues) throw Stop{"too many values", mark.line};
      YamlValue value{.path = Path(mark), .text = std::move(text), .bytes = {OffsetOf(mark), 0}};
      values_.push_back(std::move(value));
      open_end_ = true;
    }
    Advance({});
  }

  // Behind a node: a key's value comes next, or the next element or key. A list or map as a key has no name.
  void Advance(std::string key) {
    if (frames_.empty()) return;
    Frame& frame = frames_.back();
    ++frame.index;
    frame.has_key = frame.map && !frame.has_key;
    frame.key = std::move(key);
  }

  [[nodiscard]] std::vector<std::string> Path(const YAML::Mark& mark) {
    std::vector<std::string> path;
    path.reserve(frames_.size());
    for (const Frame& frame : frames_) {
      path.push_back(frame.map ? frame.key : std::to_string(frame.index));
      paths_ += path.back().size();
    }
    if (paths_ > kMostOfPaths) throw Stop{"keys too long", mark.line};
    return path;
  }

  [[nodiscard]] std::size_t OffsetOf(const YAML::Mark& mark) const {
    return std::min(text_.size(), skipped_ + static_cast<std::size_t>(std::max(mark.pos, 0)));
  }

  // Of a value only the begin is known: its text is there word for word, or it ends before `next`, at a line's end
  // when `next` stands in another line.
  void EndLast(std::size_t next) {
    if (!open_end_) return;
    open_end_ = false;
    YamlValue& last = values_.back();
    const std::size_t begin = last.bytes.begin;
    const std::string_view there = text_.substr(begin);
    if (there.starts_with(last.text)) {
      last.bytes.end = begin + last.text.size();
      return;
    }
    if (there.size() > last.text.size() + 1 && (there[0] == '"' || there[0] == '\'') &&
        there.substr(1).starts_with(last.text) && there[last.text.size() + 1] == there[0]) {
      last.bytes.end = begin + last.text.size() + 2;
      return;
    }
    std::string_view rest = text_.substr(begin, std::max(next, begin) - begin);
    if (const std::size_t line = rest.rfind('\n'); line != std::string_view::npos) rest = rest.substr(0, line);
    last.bytes.end = begin + std::min(rest.find_last_not_of(" \t\r\n") + 1, rest.size());
  }

  std::string_view text_;
  std::size_t skipped_;
  std::vector<Frame> frames_;
  std::map<YAML::anchor_t, std::string> anchors_;
  std::vector<YamlValue> values_;
  std::size_t paths_ = 0;
  std::size_t aliased_ = 0;
  int document_ = -1;      // where the last one began
  bool open_end_ = false;  // the last value's
};

// Reads straight from the caller's bytes.
class ViewBuffer final : public std::streambuf {
 public:
  explicit ViewBuffer(std::string_view text) {
    char* begin = const_cast<char*>(text.data());  // streambuf's interface; never written through
    setg(begin, begin, begin + text.size());
  }
};

// Bytes from the front that yaml-cpp may see: it takes control characters, which are no YAML, for its own marks.
std::size_t Readable(std::string_view text, std::string_view& why) {
  std::size_t brackets = 0;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]);
    if ((c < 0x20 && c != '\n' && c != '\r' && c != '\t') || c == 0x7F) {
      why = "control character";
      return at;
    }
    if ((c == '[' || c == '{') && ++brackets > kMostBrackets) {
      why = "too many brackets";
      return at;
    }
  }
  return text.size();
}

}  // namespace

YamlReading ReadYaml(std::string_view text) {
  YamlReading reading;
  const auto stop = [&](std::string_view why, std::ptrdiff_t line) {
    if (reading.stop.empty()) reading.stop = fmt::format("no YAML from line {} on ({})", line + 1, why);
  };
  const std::string_view all = text;
  if (text.size() > kMostBytes) text = text.substr(0, text.rfind('\n', kMostBytes) + 1);
  std::string_view why = "over half a MiB";
  text = text.substr(0, Readable(text, why));
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  Collector collector(text, text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  try {
    ViewBuffer buffer(text);
    std::istream stream(&buffer);
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(collector)) {
    }
  } catch (const Stop& told) {
    stop(told.why, told.line);
  } catch (const YAML::Exception& refused) {
    stop(refused.msg, refused.mark.line);
  } catch (const std::exception& failed) {
    stop(failed.what(), 0);
  }
  if (text.size() < all.size()) stop(why, std::ranges::count(text, '\n'));
  reading.values = collector.Take();
  return reading;
}

}  // namespace interlock::scan
