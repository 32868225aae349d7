// What must hold whatever the texts are: offsets, order, increments, work.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "formats.h"
#include "interlock/provenance/source_index.h"
#include "source_index_peer.h"
#include "tokens.h"

namespace interlock::provenance {
namespace {

using internal::Reading;
using internal::SourceIndexPeer;

SourceInfo Result(std::uint32_t turn) {
  return {.kind = SourceKind::kResult, .call = turn, .turn = turn, .labels = core::kLabelUntrusted};
}

// Texts that collide: few words, many spellings, escapes, marks, digits.
rc::Gen<std::string> Texts() {
  const auto piece = rc::gen::element<std::string>(
      "emma", "Emma", "JOHNSON", "johnson", "emmajohnson", "pay", "the", "of", "12", "1,250.00", "1250", "1250.5",
      "$96.50", "2024-05-15", "May 15, 2024", "15.05.2024", "GB29 NWBK 6016 1331 9268 19", "GB29NWBK60161331926819",
      "+1 555 123 4567", "555-123-4567", "https://evil.test/a?b=c", "evil.test", "a@b.test", "caf\xC3\xA9",
      "cafe\xCC\x81", "caf\\u00e9", "\\\"", "\\\\", "\\n", "\\u200b", "\xE2\x80\x8B", "\xEF\xBC\xA5vil",
      "\xE7\x8E\x8B\xE8\x8A\xB3", "\xFF", "\xC3", "\"", "{", "}", "[1,2,3]", ":", ",", ".", "restaurant", "restaurent",
      "15%", "x", "C:\\new\\temp", "/srv/in/report.txt");
  const auto gap = rc::gen::element<std::string>(" ", " ", "", "\n", "-", "  ");
  return rc::gen::map(rc::gen::container<std::vector<std::pair<std::string, std::string>>>(rc::gen::pair(piece, gap)),
                      [](const std::vector<std::pair<std::string, std::string>>& parts) {
                        std::string text;
                        for (const auto& [word, space] : parts) text += word + space;
                        return text;
                      });
}

std::string_view Cut(std::string_view text, base::ByteSpan span) {
  return text.substr(span.begin, span.end - span.begin);
}

std::string WordsOf(std::string_view text, Reading reading) {
  const internal::KeyedHash hash({1, 2});
  internal::Tokenizer tokenizer(hash);
  internal::TokenList list;
  tokenizer.Read(text, reading, text.size(), list);
  std::string out;
  for (std::size_t i = 0; i < list.tokens.size(); ++i) out += std::string(list.word(i)) + " ";
  return out;
}

// Keys of the formats of which `text` as a whole is one, and its word if it is one.
std::vector<std::string> KeysOf(std::string_view text) {
  const internal::KeyedHash hash({1, 2});
  internal::Tokenizer tokenizer(hash);
  internal::TokenList list;
  std::vector<internal::FormatHit> hits;
  std::vector<std::string> keys;
  for (const Reading reading : {Reading::kPlain, Reading::kJson, Reading::kDeep}) {
    tokenizer.Read(text, reading, text.size(), list);
    internal::FindFormats(text, list, true, hits);
    for (const internal::FormatHit& hit : hits) {
      const bool phone = hit.format == internal::Format::kPhone;
      keys.emplace_back(phone ? internal::PhoneTail(hit.key).substr(2) : std::string_view(hit.key));
    }
    keys.emplace_back(list.text());
    if (list.text().size() >= 7) keys.emplace_back(internal::PhoneTail(list.text()).substr(2));
  }
  return keys;
}

bool Agree(std::string_view quoted, std::string_view wanted, MatchKind kind) {
  const auto any_reading = [&](auto&& same) {
    return same(Reading::kPlain) || same(Reading::kJson) || same(Reading::kDeep);
  };
  const auto canonical = [&](Reading r) {
    return internal::CanonicalText(quoted, r) == internal::CanonicalText(wanted, Reading::kPlain);
  };
  const auto words = [&](Reading r) { return WordsOf(quoted, r) == WordsOf(wanted, Reading::kPlain); };
  const auto keys = [&] {
    const auto theirs = KeysOf(quoted);
    const auto ours = KeysOf(wanted);
    return std::ranges::any_of(theirs,
                               [&](const std::string& key) { return std::ranges::find(ours, key) != ours.end(); });
  };
  switch (kind) {
    case MatchKind::kExact:
      return quoted == wanted;
    case MatchKind::kCanonical:
      return any_reading(canonical) || keys();
    case MatchKind::kFormat:
      return any_reading(words) || keys();
    case MatchKind::kSubstring:
      return any_reading(words);
    default:
      return !quoted.empty();
  }
}

void CheckInvariants(const SourceIndex& index, std::string_view value, const Explanation& e) {
  RC_ASSERT(e.matches.size() <= SourceIndex::kMaxMatches);
  for (const float share : {e.by_request, e.by_results, e.covered}) RC_ASSERT(share >= 0.0F && share <= 1.0F);
  RC_ASSERT(e.covered >= e.by_request && e.covered >= e.by_results);
  for (std::size_t i = 0; i < e.matches.size(); ++i) {
    const SourceMatch& match = e.matches[i];
    RC_ASSERT(match.source < index.size());
    const bool in_order = i == 0 || e.matches[i - 1].source <= match.source;
    RC_ASSERT(in_order);
    RC_ASSERT(match.strength > 0.0F && match.strength <= 1.0F);
    RC_ASSERT(match.in_source.begin < match.in_source.end && match.in_source.end <= index.text(match.source).size());
    RC_ASSERT(match.in_value.begin < match.in_value.end && match.in_value.end <= value.size());
    const std::string_view quoted = Cut(index.text(match.source), match.in_source);
    const std::string_view wanted = Cut(value, match.in_value);
    if (!Agree(quoted, wanted, match.kind)) {
      RC_FAIL(std::string(NameOf(match.kind)) + " <" + std::string(quoted) + "> <" + std::string(wanted) + ">");
    }
  }
}

bool Same(const Explanation& a, const Explanation& b) {
  const auto equal = [](const SourceMatch& x, const SourceMatch& y) {
    return x.source == y.source && x.kind == y.kind && x.strength == y.strength && x.in_source == y.in_source &&
           x.in_value == y.in_value;
  };
  return std::ranges::equal(a.matches, b.matches, equal) && a.labels == b.labels && a.by_request == b.by_request &&
         a.by_results == b.by_results && a.covered == b.covered && a.complete == b.complete;
}

TEST(SourceIndexProperties, OffsetsPointAtTheQuotedText) {
  EXPECT_TRUE(rc::check("offsets", [] {
    const auto texts = *rc::gen::resize(12, rc::gen::container<std::vector<std::string>>(Texts()));
    const std::string value = *Texts();
    SourceIndex index({.key = {1, 2}});
    for (std::uint32_t i = 0; i < texts.size(); ++i) index.Add(Result(i), texts[i]);
    CheckInvariants(index, value, index.Explain(value));
    if (!texts.empty()) CheckInvariants(index, texts[0], index.Explain(texts[0]));
  }));
}

// What is in a source as it is, is found as it is.
TEST(SourceIndexProperties, ATextExplainsItself) {
  EXPECT_TRUE(rc::check("itself", [] {
    const std::string text = *Texts();
    SourceIndex index({.key = {1, 2}});
    index.Add(Result(0), text);
    const Explanation e = index.Explain(text);
    if (WordsOf(text, Reading::kPlain).empty()) return;
    if (text.find('\\') != std::string::npos) return;  // a document's escapes are undone, a value's are not
    RC_ASSERT(e.matches.size() == 1u);
    RC_ASSERT(e.matches[0].kind == MatchKind::kExact);
    RC_ASSERT(e.covered == 1.0F);
  }));
}

TEST(SourceIndexProperties, IncrementalIsBatch) {
  EXPECT_TRUE(rc::check("incremental", [] {
    const auto texts = *rc::gen::resize(7, rc::gen::container<std::vector<std::string>>(Texts()));
    const std::string value = *Texts();
    SourceIndex all({.key = {1, 2}});
    for (std::uint32_t i = 0; i < texts.size(); ++i) all.Add(Result(i), texts[i]);
    SourceIndex growing({.key = {1, 2}});
    for (std::uint32_t i = 0; i <= texts.size(); ++i) {
      // What an index of the earlier results says is what the whole one says of them, as long as none was crowded out.
      if (texts.size() <= 8) RC_ASSERT(Same(growing.Explain(value), all.Explain(value, {.before_turn = i})));
      if (i < texts.size()) growing.Add(Result(i), texts[i]);
    }
    RC_ASSERT(Same(growing.Explain(value), all.Explain(value)));
  }));
}

TEST(SourceIndexProperties, TheKeyDoesNotMatter) {
  EXPECT_TRUE(rc::check("key", [](std::uint64_t a, std::uint64_t b) {
    const auto texts = *rc::gen::resize(12, rc::gen::container<std::vector<std::string>>(Texts()));
    const std::string value = *Texts();
    SourceIndex one({.key = {1, 2}});
    SourceIndex two({.key = {a, b}});
    for (std::uint32_t i = 0; i < texts.size(); ++i) {
      one.Add(Result(i), texts[i]);
      two.Add(Result(i), texts[i]);
    }
    RC_ASSERT(Same(one.Explain(value), two.Explain(value)));
  }));
}

// Coverage and labels are those of the set of sources; which come first among the matches is not.
TEST(SourceIndexProperties, OrderOfFewSourcesDoesNotMatterForCoverage) {
  EXPECT_TRUE(rc::check("order", [] {
    auto texts = *rc::gen::resize(6, rc::gen::container<std::vector<std::string>>(Texts()));
    if (texts.size() > 8) texts.resize(8);
    const std::string value = *Texts();
    const auto explain = [&] {
      SourceIndex index({.key = {1, 2}});
      for (const std::string& text : texts) index.Add(Result(0), text);
      return index.Explain(value, {.fuzzy = false, .derived = false});
    };
    const Explanation forward = explain();
    std::ranges::reverse(texts);
    const Explanation backward = explain();
    RC_ASSERT(forward.by_results == backward.by_results);
    RC_ASSERT(forward.labels == backward.labels);
    RC_ASSERT(forward.matches.size() == backward.matches.size());
  }));
}

std::string Repeat(std::string_view piece, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += piece;
  return text;
}

// Work is counted, not timed: four times the text is at most some five times the steps, whatever is repeated.
TEST(SourceIndexProperties, RepetitionIsLinear) {
  for (const std::string_view piece :
       {"a ", "send ", "1,", "1.000,", "12 ", "1234 ", "send me ", "a.b@c/", "\\u0061", "\\\\n", "\xE7\x8E\x8B",
        "may 5, ", "x\xE2\x80\x8B", "GB29 ", "$1.00 ", "reconcile reconcila ", "\xCC\x81"}) {
    std::uint64_t add_before = 0;
    std::uint64_t explain_before = 0;
    for (const std::size_t bytes : {4'000u, 16'000u}) {
      SourceIndex index({.key = {1, 2}});
      const std::string text = Repeat(piece, bytes);
      for (std::uint32_t i = 0; i < 20; ++i) index.Add(Result(i), text + std::to_string(i));
      const std::uint64_t add = SourceIndexPeer::AddSteps(index);
      (void)index.Explain(text + " end");
      const std::uint64_t explain = SourceIndexPeer::ExplainSteps(index);
      EXPECT_LE(add, 20 * 4 * (bytes + 64)) << piece;
      if (add_before > 0) {
        EXPECT_LE(add, 5 * add_before) << piece;
        EXPECT_LE(explain, 5 * explain_before + 20'000) << piece;
      }
      EXPECT_LE(explain, 20'000 + 400 * (bytes + 64)) << piece;
      // However much was added, a short value costs no more than its own limit.
      (void)index.Explain(std::string(piece) + "end");
      EXPECT_LE(SourceIndexPeer::ExplainSteps(index), 40'000u) << piece;
      EXPECT_LE(index.memory_bytes(), 20 * bytes * 24 + 200'000) << piece;
      add_before = add;
      explain_before = explain;
    }
  }
}

}  // namespace
}  // namespace interlock::provenance
