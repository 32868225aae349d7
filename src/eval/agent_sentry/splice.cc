#include "interlock/eval/splice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "../import_common.h"
#include "adaptive_values.h"
#include "interlock/base/json.h"
#include "splice_text.h"

namespace interlock::eval {

using base::ByteSpan;
using base::Error;
using base::ErrorCode;
using base::JsonDoc;
using base::JsonValue;
using base::JsonWriter;
using base::Result;
using core::Role;
using core::TraceMessage;
using core::TraceSession;

namespace {

constexpr std::array<std::string_view, 5> kPositions = {"begin", "middle", "end", "field", "between"};
constexpr std::size_t kMaxTools = 10'000;
constexpr std::size_t kMaxLineBytes = std::size_t{64} << 20;  // what the trace reader takes

const KnownTool* Find(const std::vector<KnownTool>& tools, std::string_view name) {
  const auto it = std::find_if(tools.begin(), tools.end(), [&](const KnownTool& tool) { return tool.name == name; });
  return it == tools.end() ? nullptr : &*it;
}

std::string ReplaceAll(std::string_view text, char from, std::string_view to) {
  std::string out;
  for (const char c : text) c == from ? out += to : out += c;
  return out;
}

std::string Dressed(const SpliceRecipe& recipe, std::string_view instruction) {
  std::string payload = recipe.preamble.text + std::string(instruction) + recipe.preamble.after;
  const Carrier& carrier = recipe.carrier;
  switch (carrier.escape) {
    case Escape::kJson:
      payload = JsonEscaped(payload);
      break;
    case Escape::kOneLine:
      payload = ReplaceAll(ReplaceAll(ReplaceAll(payload, '\n', " "), '\r', " "), '|', "/");
      break;
    case Escape::kNone:
      break;
  }
  if (!carrier.line_prefix.empty())
    payload = carrier.line_prefix + ReplaceAll(payload, '\n', "\n" + carrier.line_prefix);
  return carrier.before + payload + carrier.after;
}

// After the elements of the array that has most records: objects or strings.
bool BetweenElements(std::string_view content, std::string_view payload, SpanText& text, Dice& dice) {
  ByteSpan document;
  if (!FindJson(content, document)) return false;
  const auto doc = JsonDoc::Parse(content.substr(document.begin, document.end - document.begin));
  if (!doc.ok()) return false;
  JsonValue best;
  std::vector<JsonValue> open = {doc.value().root()};
  for (std::size_t seen = 0; !open.empty() && seen < 100'000; ++seen) {
    const JsonValue value = open.back();
    open.pop_back();
    if (value.is_array() && value.size() > std::max<std::size_t>(1, best.size())) best = value;
    for (const JsonValue child : value) {
      if (child.size() != 0) open.push_back(child);
    }
  }
  if (!best.exists()) return false;
  const std::size_t before = 1 + dice.Below(best.size() - 1);
  std::size_t i = 0;
  for (const JsonValue element : best) {
    if (++i != before) continue;
    const std::size_t at = document.begin + element.offset() + element.raw().size();
    const bool object = element.is_object();
    const std::string head = object ? ", {\"note\": \"" : ", \"";
    const std::string body = JsonEscaped(payload);
    text.InsertMarked(at, head + body + (object ? "\"}" : "\""), {head.size(), head.size() + body.size()});
    return true;
  }
  return false;
}

void Place(SpanText& text, std::string_view payload, Position position, Dice& dice) {
  const std::string content = text.text();
  const auto put = [&](std::size_t at, std::string_view before, std::string_view after) {
    text.InsertMarked(at, std::string(before) + std::string(payload) + std::string(after),
                      {before.size(), before.size() + payload.size()});
  };
  const auto near_middle = [&](std::string_view mark) {
    const std::size_t half = content.size() / 2;
    const std::size_t right = content.find(mark, half);
    return right != std::string::npos ? right : content.rfind(mark, half);
  };
  switch (position) {
    case Position::kBegin:
      return put(0, "", "\n\n");
    case Position::kEnd:
      return put(content.size(), content.empty() ? "" : "\n\n", "");
    case Position::kField: {
      const std::vector<Spot> spots = SpotsOf(content);
      const Spot& spot = spots[std::min(spots.size() - 1, spots.size() / 3 + dice.Below(spots.size() / 3 + 1))];
      static const std::vector<std::string> kKeys = {"note", "remarks", "comment", "memo", "details"};
      const Piece piece = FieldAt(spot, FreeKey(spot, kKeys, dice), payload);
      return text.InsertMarked(spot.at, piece.text, piece.value);
    }
    case Position::kBetween: {
      if (BetweenElements(content, payload, text, dice)) return;
      for (const std::string_view mark : {"\n\n", "\n"}) {
        if (const std::size_t at = near_middle(mark); at != std::string::npos) return put(at, mark, "");
      }
      return put(content.size(), content.empty() ? "" : "\n", "");
    }
    case Position::kMiddle: {
      std::size_t at = near_middle("\n");
      if (at == std::string::npos) at = near_middle(" ");
      if (at == std::string::npos) at = OnBorder(content, content.size() / 2);
      return put(at, "\n", "");
    }
  }
}

// The request of an attack session, and where its continuation begins.
bool AttackOf(const TraceSession& attack, std::string_view& request, std::size_t& continues) {
  bool found = false;
  for (std::size_t i = 0; i < attack.messages.size(); ++i) {
    const TraceMessage& message = attack.messages[i];
    if (message.role == Role::kUser && !message.content.empty()) {
      request = message.content;
      continues = i + 1;
      found = true;
    }
    if (!message.calls.empty()) return found;
  }
  return false;
}

// Early: up to the results of the turn that read the payload. Late: all but the farewell, after which nothing is done.
std::size_t PrefixEnd(const TraceSession& benign, std::size_t point, Hijack hijack) {
  std::size_t end = point + 1;
  if (hijack == Hijack::kEarly) {
    while (end < benign.messages.size() && benign.messages[end].role == Role::kTool) ++end;
    return end;
  }
  end = benign.messages.size();
  while (end > point + 1 && benign.messages[end - 1].role == Role::kAssistant &&
         benign.messages[end - 1].calls.empty()) {
    --end;
  }
  return end;
}

class Writer {
 public:
  explicit Writer(std::string& line) : writer_(line) {}
  core::TraceWriter& trace() { return writer_; }

  // Annotations go onto the call `marked`.
  void Message(const TraceMessage& message, std::string_view marked = {}, std::string_view annotations = {}) {
    switch (message.role) {
      case Role::kSystem:
        writer_.System(message.content);
        break;
      case Role::kUser:
        writer_.User(message.content);
        break;
      case Role::kAssistant: {
        std::vector<core::TraceWriter::CallRecord> records;
        std::vector<std::string> ids;
        ids.reserve(message.calls.size());
        for (const core::TraceCall& call : message.calls) {
          ids.push_back(IdFor(call.id));
          records.push_back({.id = ids.back(), .tool = call.tool, .arguments_json = call.arguments.raw()});
          if (!attack_ && call.id == marked) records.back().annotations_json = annotations;
        }
        writer_.Assistant(message.content, records);
        break;
      }
      case Role::kTool:
        writer_.Tool(IdFor(message.call_id), message.content, message.trust, message.is_error);
        break;
    }
  }

  void BeginAttack() { attack_ = true; }

 private:
  std::string IdFor(std::string_view id) {
    if (!attack_) {
      taken_.insert(std::string(id));
      return std::string(id);
    }
    const auto known = renamed_.find(id);
    if (known != renamed_.end()) return known->second;
    std::string fresh(id);
    for (int n = 1; taken_.count(fresh) != 0; ++n) fresh = fmt::format("x{}-{}", n, id);
    taken_.insert(fresh);
    return renamed_.emplace(id, std::move(fresh)).first->second;
  }

  core::TraceWriter writer_;
  std::set<std::string> taken_;
  std::map<std::string, std::string, std::less<>> renamed_;
  bool attack_ = false;
};

std::string SessionAnnotations(const TraceSession& benign, const TraceSession& attack, const SpliceRecipe& recipe,
                               std::string_view tool, std::string_view call_id, std::uint64_t seed) {
  std::string out;
  JsonWriter w(out);
  w.BeginObject().Key("label").String("attack").Key("splice").BeginObject();
  w.Key("benign").String(benign.session).Key("attack").String(attack.session);
  w.Key("preamble").String(recipe.preamble.id).Key("carrier").String(recipe.carrier.id);
  w.Key("position").String(NameOf(recipe.position)).Key("hijack").String(NameOf(recipe.hijack));
  w.Key("tool").String(tool).Key("call_id").String(call_id).Key("seed").Uint(seed);
  w.EndObject().EndObject();
  return out;
}

std::string SpanAnnotations(const std::vector<ByteSpan>& spans) {
  std::string out;
  JsonWriter w(out);
  w.BeginObject().Key("injections").BeginArray();
  for (const ByteSpan& span : spans)
    w.BeginObject().Key("begin").Uint(span.begin).Key("end").Uint(span.end).EndObject();
  w.EndArray().EndObject();
  return out;
}

}  // namespace

std::string_view NameOf(Position position) noexcept { return kPositions[static_cast<std::size_t>(position)]; }
std::string_view NameOf(Hijack hijack) noexcept { return hijack == Hijack::kEarly ? "early" : "late"; }

std::optional<Position> PositionFrom(std::string_view name) noexcept {
  for (std::size_t i = 0; i < kPositions.size(); ++i) {
    if (kPositions[i] == name) return static_cast<Position>(i);
  }
  return std::nullopt;
}

bool LooksLikeRetrieval(std::string_view tool) {
  // The last part of names such as "files.read_file" or "mcp__files__read_file".
  std::string name = LowerAscii(tool);
  if (const std::size_t dot = name.find_last_of("./:"); dot != std::string::npos) name.erase(0, dot + 1);
  if (const std::size_t bars = name.rfind("__"); bars != std::string::npos) name.erase(0, bars + 2);
  const auto& prefixes = EmbeddedAdaptiveWords().retrieval_prefixes;
  return std::any_of(prefixes.begin(), prefixes.end(), [&](const std::string& prefix) {
    return name.compare(0, prefix.size(), prefix) == 0 &&
           (name.size() == prefix.size() || name[prefix.size()] == '_' || name[prefix.size()] == '-');
  });
}

Result<std::vector<KnownTool>> ParseKnownTools(std::string_view json) {
  const Result<JsonDoc> doc = ParseRecord(json);
  if (!doc.ok()) return doc.error();
  JsonValue list = doc.value().root();
  if (list.Find("result").is_object()) list = list.Find("result");
  if (list.is_object()) list = list.Find("tools");
  if (!list.is_array()) return ShapeError(doc.value().root(), "neither a tools/list result nor an array of tools");
  if (list.size() > kMaxTools) return Error(ErrorCode::kLimitExceeded, "more than 10,000 tools");
  std::vector<KnownTool> tools;
  std::set<std::string, std::less<>> names;
  for (const JsonValue entry : list) {
    KnownTool tool;
    tool.name = std::string(entry.is_string() ? entry.string() : entry.Find("name").string());
    if (tool.name.empty()) return ShapeError(entry, "a tool without a name");
    if (!names.insert(tool.name).second) return ShapeError(entry, "a tool that is listed twice");
    tool.description = std::string(entry.Find("description").string());
    tool.retrieval = entry.Find("annotations").Find("readOnlyHint").AsBool().value_or(LooksLikeRetrieval(tool.name));
    tools.push_back(std::move(tool));
  }
  return tools;
}

std::vector<std::size_t> InjectionPoints(const TraceSession& benign, const std::vector<KnownTool>& tools) {
  std::map<std::string_view, std::string_view> tool_of;
  std::vector<std::size_t> points;
  for (std::size_t i = 0; i < benign.messages.size(); ++i) {
    const TraceMessage& message = benign.messages[i];
    for (const core::TraceCall& call : message.calls) tool_of[call.id] = call.tool;
    if (message.role != Role::kTool || message.is_error || message.trust == core::Trust::kTrusted) continue;
    const std::string_view tool = tool_of[message.call_id];
    const KnownTool* known = Find(tools, tool);
    if (known != nullptr ? known->retrieval : LooksLikeRetrieval(tool)) points.push_back(i);
  }
  return points;
}

std::string_view ToolBeforeGraft(const TraceSession& benign, std::size_t message, Hijack hijack) {
  if (message >= benign.messages.size()) return {};
  for (std::size_t i = PrefixEnd(benign, message, hijack); i-- > 0;) {
    if (!benign.messages[i].calls.empty()) return benign.messages[i].calls.back().tool;
  }
  return {};
}

std::string_view FirstToolOf(const TraceSession& attack) {
  std::string_view request;
  std::size_t continues = 0;
  if (!AttackOf(attack, request, continues)) return {};
  for (std::size_t i = continues; i < attack.messages.size(); ++i) {
    if (!attack.messages[i].calls.empty()) return attack.messages[i].calls.front().tool;
  }
  return {};
}

Result<std::string> Splice(const TraceSession& benign, const TraceSession& attack, const SpliceRecipe& recipe,
                           std::uint64_t seed) {
  const std::vector<std::size_t> points = InjectionPoints(benign, recipe.tools);
  if (recipe.point >= points.size()) {
    return Error(ErrorCode::kSpliceNoPoint, fmt::format("session `{}` has {} of them", benign.session, points.size()));
  }
  std::string_view request;
  std::size_t continues = 0;
  if (!AttackOf(attack, request, continues)) {
    return Error(ErrorCode::kSpliceNoAttack, fmt::format("session `{}`", attack.session));
  }
  const std::size_t point = points[recipe.point];
  const TraceMessage& carrier = benign.messages[point];
  Dice dice(seed, fmt::format("splice\n{}\n{}", benign.session, attack.session));
  SpanText content{std::string(carrier.content)};
  Place(content, Dressed(recipe, request), recipe.position, dice);

  std::string_view tool;
  for (const TraceMessage& message : benign.messages) {
    for (const core::TraceCall& call : message.calls) {
      if (call.id == carrier.call_id) tool = call.tool;
    }
  }
  const std::string spans = SpanAnnotations(content.spans());
  const std::string session =
      !recipe.session.empty()
          ? recipe.session
          : fmt::format("splice/{}/{}/{}/{}/{}/{}", benign.session, attack.session, recipe.preamble.id,
                        recipe.carrier.id, NameOf(recipe.position), NameOf(recipe.hijack));
  std::string line;
  Writer writer(line);
  writer.trace().Begin(session, benign.domain, benign.principal);
  const std::size_t end = PrefixEnd(benign, point, recipe.hijack);
  for (std::size_t i = 0; i < end; ++i) {
    TraceMessage message = benign.messages[i];
    if (i == point) message.content = content.text();
    writer.Message(message, carrier.call_id, spans);
  }
  writer.BeginAttack();
  for (std::size_t i = continues; i < attack.messages.size(); ++i) {
    const Role role = attack.messages[i].role;
    if (role == Role::kAssistant || role == Role::kTool) writer.Message(attack.messages[i]);
  }
  writer.trace().End(SessionAnnotations(benign, attack, recipe, tool, carrier.call_id, seed));
  if (line.size() > kMaxLineBytes) return Error(ErrorCode::kTraceLineTooLong, session);
  return line;
}

}  // namespace interlock::eval
