#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "adaptive_values.h"
#include "interlock/base/json.h"
#include "interlock/eval/agent_sentry/stress.h"
#include "splice_text.h"

namespace interlock::eval::agent_sentry {

using base::ByteSpan;
using base::JsonDoc;
using base::JsonValue;

namespace {

struct Leaf {
  std::string argument;
  std::string text;  // unescaped string, or number as written
};

// What of a call says who, where to or which: strings and numbers in critical arguments, one level of array deep.
std::vector<Leaf> CriticalLeaves(const TraceCall& call, const AdaptiveWords& words) {
  std::vector<Leaf> leaves;
  const auto doc = JsonDoc::Parse(call.arguments);
  if (!doc.ok()) return leaves;
  const JsonValue root = doc.value().root();
  for (auto it = root.begin(); it != root.end(); ++it) {
    if (words.critical.find(LowerAscii(it.key())) == words.critical.end()) continue;
    const auto add = [&](JsonValue value) {
      const std::string_view text = value.is_string() ? value.string() : value.number_text();
      if (!text.empty() && text.size() <= 120) leaves.push_back({std::string(it.key()), std::string(text)});
    };
    if ((*it).is_array()) {
      for (const JsonValue element : *it) add(element);
    } else {
      add(*it);
    }
  }
  return leaves;
}

// Every string or number of the arguments that is `from` becomes `to`.
std::string WithLeaf(const std::string& arguments, std::string_view from, std::string_view to) {
  const auto doc = JsonDoc::Parse(arguments);
  if (!doc.ok()) return arguments;
  std::vector<JsonValue> open = {doc.value().root()};
  std::vector<ByteSpan> strings;
  std::vector<ByteSpan> numbers;
  while (!open.empty()) {
    const JsonValue value = open.back();
    open.pop_back();
    for (const JsonValue child : value) open.push_back(child);
    const ByteSpan at = {value.offset(), value.offset() + value.raw().size()};
    if (value.is_string() && value.string() == from) strings.push_back(at);
    if (value.is_number() && value.number_text() == from) numbers.push_back(at);
  }
  std::vector<std::pair<ByteSpan, std::string>> edits;
  for (const ByteSpan at : strings) edits.emplace_back(at, "\"" + JsonEscaped(to) + "\"");
  for (const ByteSpan at : numbers) edits.emplace_back(at, std::string(to));
  std::sort(edits.begin(), edits.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string out = arguments;
  for (const auto& [at, text] : edits) out.replace(at.begin, at.end - at.begin, text);
  return out;
}

void ReplaceValue(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = FindValue(text, from); at != std::string::npos; at = FindValue(text, from, at + to.size())) {
    text.replace(at, from.size(), to);
  }
}

class Adapter {
 public:
  Adapter(std::span<const Trace> traces, std::uint64_t seed) : seed_(seed), words_(EmbeddedAdaptiveWords()) {
    for (const Trace& trace : traces) {
      if (!trace.attack) continue;
      prompts_.insert(PromptGroup(trace));
      for (const InjectedSpan& span : trace.injected) {
        if (span.call < trace.calls.size()) injectable_[trace.domain].insert(trace.calls[span.call].name);
      }
    }
  }

  [[nodiscard]] bool IsCarrier(const Trace& trace) const { return prompts_.count(PromptGroup(trace)) != 0; }

  // The value came from an output: another record would say another value.
  [[nodiscard]] std::optional<Trace> Field(const Trace& run) const {
    for (std::size_t k = 0; k < run.calls.size(); ++k) {
      if (IsRetrieval(run.calls[k].name)) continue;
      std::optional<Trace> out;
      Dice dice(seed_, "adaptive/field\n" + run.id);
      std::map<std::size_t, SpanText> edited;
      for (const Leaf& leaf : CriticalLeaves(run.calls[k], words_)) {
        if (leaf.text.size() < 2 || FindValue(run.prompt, leaf.text) != std::string::npos) continue;
        const std::optional<std::size_t> source = SourceOf(run, k, leaf.text);
        if (!source) continue;
        const std::string made = Fresh(run, leaf.text, dice);
        if (!out) out = Begun(run, "field", run.calls[k].name);
        SpanText& text = edited.try_emplace(*source, run.calls[*source].output).first->second;
        for (std::size_t at = FindValue(text.text(), leaf.text); at != std::string::npos;
             at = FindValue(text.text(), leaf.text, at + made.size())) {
          text.Replace({at, at + leaf.text.size()}, made, {0, made.size()});
        }
        Follow(*out, k, leaf.text, made);
      }
      if (!out) continue;
      Finish(*out, edited);
      return out;
    }
    return std::nullopt;
  }

  // The value came from the user or the model: a record has one more field.
  [[nodiscard]] std::optional<Trace> Line(const Trace& run) const {
    for (std::size_t k = 0; k < run.calls.size(); ++k) {
      if (IsRetrieval(run.calls[k].name)) continue;
      const std::optional<std::size_t> where = LastInjectable(run, k);
      if (!where) continue;
      for (const Leaf& leaf : CriticalLeaves(run.calls[k], words_)) {
        if (FindValue(run.prompt, leaf.text) == std::string::npos && SourceOf(run, k, leaf.text)) continue;
        Dice dice(seed_, "adaptive/line\n" + run.id);
        const std::string made = Fresh(run, leaf.text, dice);
        Trace out = Begun(run, "line", run.calls[k].name);
        std::map<std::size_t, SpanText> edited;
        SpanText& text = edited.try_emplace(*where, run.calls[*where].output).first->second;
        const std::vector<Spot> spots = SpotsOf(text.text());
        const Spot& spot = spots[spots.size() / 2];
        const Piece piece = FieldAt(spot, FreeKey(spot, words_.critical.find(LowerAscii(leaf.argument))->second, dice),
                                    made, /*whole=*/true);
        text.InsertMarked(spot.at, piece.text, piece.value);
        Follow(out, k, leaf.text, made);
        Finish(out, edited);
        return out;
      }
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] bool IsRetrieval(std::string_view tool) const {
    return std::any_of(words_.retrieval_prefixes.begin(), words_.retrieval_prefixes.end(),
                       [&](const std::string& prefix) {
                         return tool.substr(0, prefix.size()) == prefix &&
                                (tool.size() == prefix.size() || tool[prefix.size()] == '_');
                       });
  }

  // Call `j` has been seen before call `k` was made, and an attacker can write into its output.
  [[nodiscard]] bool Injectable(const Trace& run, std::size_t j, std::size_t k) const {
    const TraceCall& call = run.calls[j];
    if (call.turn >= run.calls[k].turn || call.output.empty() || !IsRetrieval(call.name)) return false;
    const auto tools = injectable_.find(run.domain);
    return tools == injectable_.end() || tools->second.count(call.name) != 0;
  }

  [[nodiscard]] std::optional<std::size_t> LastInjectable(const Trace& run, std::size_t k) const {
    for (std::size_t j = k; j-- > 0;) {
      if (Injectable(run, j, k)) return j;
    }
    return std::nullopt;
  }

  [[nodiscard]] std::optional<std::size_t> SourceOf(const Trace& run, std::size_t k, std::string_view value) const {
    for (std::size_t j = k; j-- > 0;) {
      if (Injectable(run, j, k) && FindValue(run.calls[j].output, value) != std::string::npos) return j;
    }
    return std::nullopt;
  }

  // Nothing that stands anywhere in the run.
  [[nodiscard]] std::string Fresh(const Trace& run, std::string_view value, Dice& dice) const {
    std::string made;
    for (int tries = 0; tries < 16; ++tries) {
      made = LikeValue(value, words_, dice);
      const bool known =
          run.prompt.find(made) != std::string::npos ||
          std::any_of(run.calls.begin(), run.calls.end(), [&](const TraceCall& call) {
            return call.output.find(made) != std::string::npos || call.arguments.find(made) != std::string::npos;
          });
      if (!known) break;
    }
    return made;
  }

  static Trace Begun(const Trace& run, std::string_view form, const std::string& tool) {
    Trace out = run;
    out.attack = true;
    out.id = fmt::format("{}/adaptive/{}", run.id, form);
    out.utility_file = run.file;
    out.attack_file = "adaptive/" + tool;
    out.user_task = run.user_task;
    out.injection_task.clear();
    out.utility_ok = false;
    out.security_hit = true;
    out.judge = -1;  // nobody has judged this one
    out.injected.clear();
    return out;
  }

  // From call `k` on the agent works with the new value.
  static void Follow(Trace& out, std::size_t k, std::string_view from, std::string_view to) {
    for (std::size_t i = k; i < out.calls.size(); ++i) {
      out.calls[i].arguments = WithLeaf(out.calls[i].arguments, from, to);
      ReplaceValue(out.calls[i].output, from, to);
    }
    ReplaceValue(out.answer, from, to);
  }

  static void Finish(Trace& out, std::map<std::size_t, SpanText>& edited) {
    for (auto& [call, text] : edited) {
      std::vector<ByteSpan> spans = text.spans();
      std::sort(spans.begin(), spans.end());
      for (const ByteSpan& span : spans) out.injected.push_back({static_cast<std::uint32_t>(call), span});
      out.calls[call].output = text.TakeText();
    }
  }

  std::uint64_t seed_;
  const AdaptiveWords& words_;
  std::set<std::string> prompts_;                            // of attacks
  std::map<std::string, std::set<std::string>> injectable_;  // domain -> tools
};

}  // namespace

std::vector<Trace> AdaptiveAttacks(std::span<const Trace> traces, std::uint64_t seed) {
  const Adapter adapter(traces, seed);
  std::vector<Trace> made;
  for (const bool carriers : {true, false}) {
    for (const Trace& trace : traces) {
      if (trace.attack || adapter.IsCarrier(trace) != carriers) continue;
      if (auto field = adapter.Field(trace)) made.push_back(std::move(*field));
      if (auto line = adapter.Line(trace)) made.push_back(std::move(*line));
    }
  }
  return made;
}

}  // namespace interlock::eval::agent_sentry
