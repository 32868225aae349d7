#include "interlock/eval/agent_sentry/stress.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "interlock/eval/splice.h"
#include "splice_text.h"
#include "stress_words.h"

namespace interlock::eval::agent_sentry {

using base::ByteSpan;

namespace {

constexpr std::array<std::pair<StressKind, std::string_view>, 21> kKinds = {{
    {StressKind::kParaphrased, "paraphrased"},
    {StressKind::kPadded4, "padded-4"},
    {StressKind::kPadded2, "padded-2"},
    {StressKind::kBase64, "base64"},
    {StressKind::kHex, "hex"},
    {StressKind::kUrlEncoded, "url-encoded"},
    {StressKind::kHtmlEntities, "html-entities"},
    {StressKind::kHomoglyph, "homoglyph"},
    {StressKind::kZeroWidth, "zero-width"},
    {StressKind::kSpacedLetters, "spaced-letters"},
    {StressKind::kSplitFields, "split-fields"},
    {StressKind::kJsonEmbedded, "json-embedded"},
    {StressKind::kGerman, "multilingual-de"},
    {StressKind::kFrench, "multilingual-fr"},
    {StressKind::kSpanish, "multilingual-es"},
    {StressKind::kChinese, "multilingual-zh"},
    {StressKind::kPreambleFree, "preamble-free"},
    {StressKind::kOtherPreamble, "other-preamble"},
    {StressKind::kUpperCase, "upper-case"},
    {StressKind::kLowerCase, "lower-case"},
    {StressKind::kQuotedMail, "quoted-mail"},
}};

// How the text around a span wants newlines and quotes written.
enum class Around : std::uint8_t { kPlain, kJsonString, kEscapedLines };

std::string ReplaceAll(std::string text, std::string_view from, std::string_view to) {
  std::string out;
  std::size_t done = 0;
  for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, done)) {
    out.append(text, done, at - done).append(to);
    done = at + from.size();
  }
  return out.append(text, done);
}

// YAML folds long double-quoted lines: backslash, newline, indent, and a backslash before a space that counts.
std::string Unfolded(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\\' || i + 1 >= text.size() || text[i + 1] != '\n') {
      out += text[i];
      continue;
    }
    ++i;
    while (i + 1 < text.size() && text[i + 1] == ' ') ++i;
    if (i + 1 < text.size() && text[i + 1] == '\\') ++i;
  }
  return out;
}

std::string Plain(std::string_view output, ByteSpan span, Around& around) {
  const std::string_view raw = output.substr(span.begin, span.end - span.begin);
  around = Around::kPlain;
  if (ByteSpan document; FindJson(output, document) && span.begin >= document.begin && span.end <= document.end) {
    if (auto text = JsonUnescaped(raw)) {
      around = Around::kJsonString;
      return std::move(*text);
    }
  }
  if (raw.find("\\n") != std::string_view::npos) {
    around = Around::kEscapedLines;
    return ReplaceAll(Unfolded(raw), "\\n", "\n");
  }
  return std::string(raw);
}

std::string Written(std::string text, Around around) {
  switch (around) {
    case Around::kJsonString:
      return JsonEscaped(text);
    case Around::kEscapedLines:
      return ReplaceAll(std::move(text), "\n", "\\n");
    case Around::kPlain:
      break;
  }
  return text;
}

std::string Labelled(const std::vector<std::string>& labels, Dice& dice, std::string_view text) {
  return dice.Pick(labels) + std::string(text);
}

// Kinds that leave the text where it is.
std::string InPlace(std::string_view text, StressKind kind, Dice& dice) {
  const StressWords& words = EmbeddedStressWords();
  switch (kind) {
    case StressKind::kParaphrased:
      return Paraphrase(text, words, dice);
    case StressKind::kPadded4:
      return Pad(text, 4, words, dice);
    case StressKind::kPadded2:
      return Pad(text, 2, words, dice);
    case StressKind::kBase64:
      return Labelled(words.base64_labels, dice, Base64(text));
    case StressKind::kHex:
      return Labelled(words.hex_labels, dice, Hex(text));
    case StressKind::kUrlEncoded:
      return Labelled(words.url_labels, dice, UrlEncoded(text));
    case StressKind::kHtmlEntities:
      return Labelled(words.html_labels, dice, HtmlEntities(text, dice));
    case StressKind::kHomoglyph:
      return Homoglyphs(text, words, dice);
    case StressKind::kZeroWidth:
      return ZeroWidth(text, words, dice);
    case StressKind::kSpacedLetters:
      return SpacedLetters(text);
    case StressKind::kGerman:
      return Translate(text, 0, words);
    case StressKind::kFrench:
      return Translate(text, 1, words);
    case StressKind::kSpanish:
      return Translate(text, 2, words);
    case StressKind::kChinese:
      return Translate(text, 3, words);
    case StressKind::kUpperCase:
      return UpperAscii(text);
    case StressKind::kLowerCase:
      return LowerAscii(text);
    case StressKind::kQuotedMail:
      return QuotedMail(text, words, dice);
    case StressKind::kOtherPreamble: {
      const std::vector<Preamble>& all = DefaultPreambles();
      const Preamble& preamble = all[1 + dice.Below(all.size() - 1)];  // the first is "none"
      return preamble.text + std::string(text) + preamble.after;
    }
    case StressKind::kSplitFields:
    case StressKind::kJsonEmbedded:
    case StressKind::kPreambleFree:
      break;
  }
  return std::string(text);
}

bool Moves(StressKind kind) { return kind == StressKind::kSplitFields || kind == StressKind::kJsonEmbedded; }

void Embed(SpanText& output, std::string_view text, Dice& dice) {
  const std::vector<Spot> spots = SpotsOf(output.text());
  // The middle third, where nobody looks first.
  const Spot& spot = spots[std::min(spots.size() - 1, spots.size() / 3 + dice.Below(spots.size() / 3 + 1))];
  const Piece piece = FieldAt(spot, FreeKey(spot, EmbeddedStressWords().fields, dice), text);
  output.InsertMarked(spot.at, piece.text, piece.value);
}

void Split(SpanText& output, std::string_view text, Dice& dice) {
  const std::vector<Spot> spots = SpotsOf(output.text());
  const std::vector<std::string> pieces = Pieces(text, dice);
  // Consecutive places, as far as there are; what is left goes to the last one.
  const std::size_t room = spots.size() > pieces.size() ? spots.size() - pieces.size() : 0;
  const std::size_t start = dice.Below(room + 1);
  const std::string stem = dice.Pick(EmbeddedStressWords().split_fields);
  for (std::size_t i = pieces.size(); i-- > 0;) {
    const Spot& spot = spots[std::min(start + i, spots.size() - 1)];
    const bool rows = spot.form == SpotForm::kLine;
    const std::string key = rows ? std::string() : FreeKey(spot, {fmt::format("{}_{}", stem, i + 1)}, dice);
    const Piece piece = FieldAt(spot, key, rows ? "- " + pieces[i] : pieces[i]);
    output.InsertMarked(spot.at, piece.text, piece.value);
  }
}

// Clamped, on character borders, sorted, apart from each other, none empty.
std::vector<ByteSpan> Tidy(std::vector<ByteSpan> spans, std::string_view text) {
  for (ByteSpan& span : spans) span = {OnBorder(text, span.begin), OnBorder(text, span.end)};
  std::erase_if(spans, [](const ByteSpan& span) { return span.begin >= span.end; });
  std::sort(spans.begin(), spans.end());
  std::vector<ByteSpan> apart;
  for (const ByteSpan& span : spans) {
    if (!apart.empty() && span.begin < apart.back().end) {
      apart.back().end = std::max(apart.back().end, span.end);
    } else {
      apart.push_back(span);
    }
  }
  return apart;
}

}  // namespace

std::string_view NameOf(StressKind kind) noexcept {
  for (const auto& [known, name] : kKinds) {
    if (known == kind) return name;
  }
  return "?";
}

std::span<const StressKind> AllStressKinds() noexcept {
  static const auto kAll = [] {
    std::array<StressKind, kKinds.size()> all{};
    for (std::size_t i = 0; i < kKinds.size(); ++i) all[i] = kKinds[i].first;
    return all;
  }();
  return kAll;
}

Trace Stress(const Trace& trace, StressKind kind, std::uint64_t seed) {
  Trace out = trace;
  if (out.injected.empty()) return out;
  // Records come from files: what points nowhere is dropped, here and in Tidy.
  std::erase_if(out.injected, [&](const InjectedSpan& span) {
    return span.call >= out.calls.size() || span.bytes.end > out.calls[span.call].output.size() ||
           span.bytes.begin >= span.bytes.end;
  });
  if (kind == StressKind::kPreambleFree || kind == StressKind::kOtherPreamble) StripPreamble(out);
  if (kind == StressKind::kPreambleFree) return out;
  std::map<std::uint32_t, std::vector<ByteSpan>> by_call;
  for (const InjectedSpan& span : out.injected) {
    by_call[span.call].push_back(span.bytes);
  }
  out.injected.clear();
  for (auto& [call, found] : by_call) {
    TraceCall& target = out.calls[call];
    const std::vector<ByteSpan> spans = Tidy(std::move(found), target.output);
    std::vector<std::string> texts;
    SpanText edited(target.output);
    // From the back, so that the spans in front stay where they are.
    for (auto span = spans.rbegin(); span != spans.rend(); ++span) {
      Around around = Around::kPlain;
      std::string text = Plain(target.output, *span, around);
      // One text reads the same wherever it stands in a trace.
      Dice dice(seed, fmt::format("{}\n{}\n{}", NameOf(kind), trace.id, text));
      if (Moves(kind)) {
        edited.Erase(*span);
        texts.push_back(std::move(text));
      } else {
        const std::string changed = Written(InPlace(text, kind, dice), around);
        edited.Replace(*span, changed, {0, changed.size()});
      }
    }
    for (auto text = texts.rbegin(); text != texts.rend(); ++text) {
      Dice dice(seed, fmt::format("{}\n{}\n{}\n{}", NameOf(kind), trace.id, call, *text));
      kind == StressKind::kSplitFields ? Split(edited, *text, dice) : Embed(edited, *text, dice);
    }
    for (const ByteSpan& span : Tidy(edited.spans(), edited.text())) out.injected.push_back({call, span});
    target.output = edited.TakeText();
  }
  return out;
}

}  // namespace interlock::eval::agent_sentry
