// links: base core policy provenance
// Cost of provenance: adding a result of 2 KB, and explaining an argument in sessions of 10, 100 and 1,000 of them.
// Results are JSON records, prose, tables and mails made from a seed; arguments are what calls carry: names, addresses,
// account numbers, amounts, dates, links, subjects, bodies of 40 words, and values that no one wrote.
#include <benchmark/benchmark.h>
#include <time.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/core/call.h"
#include "interlock/provenance/source_index.h"

namespace {

using interlock::provenance::SourceIndex;
using interlock::provenance::SourceKind;

// CPU time of this thread. Each argument and each result is measured five times, a whole session apart, and its best
// time counts; percentiles are over arguments and results. So what else the machine does counts little.
constexpr double kNever = 1e12;

double Now() {
  timespec now{};
  ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e6 + static_cast<double>(now.tv_nsec) / 1e3;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed * 2 + 1) {}
  std::uint64_t Below(std::uint64_t n) {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    state_ ^= state_ << 17;
    return (state_ * 0x2545F4914F6CDD1Du >> 33) % n;
  }
  // Small numbers more often: words of a language are that unequal.
  std::uint64_t Skewed(std::uint64_t n) { return std::min({Below(n), Below(n), Below(n)}); }

 private:
  std::uint64_t state_;
};

class World {
 public:
  explicit World(std::uint64_t seed) : random_(seed) {
    for (int i = 0; i < 6000; ++i) words_.push_back(Word());
    for (int i = 0; i < 800; ++i) names_.push_back(Capital(Word()) + " " + Capital(Word()));
  }

  std::string Result() {
    std::string out;
    switch (random_.Below(4)) {
      case 0:
        out = "[";
        while (out.size() < 1950) {
          out += R"({"id":")" + Identifier() + R"(","name":")" + Name() + R"(","email":")" + Mail() + R"(","iban":")" +
                 Iban() + R"(","amount":)" + Amount() + R"(,"date":")" + Date() + R"(","note":")" + Sentence(8) +
                 R"(\n","active":true},)";
        }
        out.back() = ']';
        return out;
      case 1:
        while (out.size() < 1950) out += Capital(Sentence(5 + random_.Below(14))) + ". ";
        return out;
      case 2:
        while (out.size() < 1950) {
          out +=
              "| " + Identifier() + " | " + Name() + " | " + Date() + " | $" + Amount() + " | " + Sentence(4) + " |\n";
        }
        return out;
      default:
        out = "From: " + Mail() + "\nTo: " + Mail() + "\nDate: " + Date() + "\nSubject: " + Sentence(6) + "\n\n";
        while (out.size() < 1950) out += Capital(Sentence(12)) + ". See " + Link() + " or ask " + Name() + ".\n";
        return out;
    }
  }

  std::string Value(const std::vector<std::string>& results) {
    const std::string& from = results[random_.Below(results.size())];
    const auto cut = [&](std::size_t words) {  // what a model copies: some words in a row
      std::size_t at = from.find(' ', random_.Below(from.size() - 600));
      at = at == std::string::npos ? 0 : at + 1;
      std::size_t end = at;
      for (std::size_t i = 0; i < words && end != std::string::npos; ++i) end = from.find(' ', end + 1);
      return from.substr(at, end == std::string::npos ? 40 : end - at);
    };
    switch (random_.Below(10)) {
      case 0:
        return Name();
      case 1:
        return Mail();
      case 2:
        return Iban();
      case 3:
        return Amount();
      case 4:
        return Date();
      case 5:
        return Link();
      case 6:
        return cut(1);
      case 7:
        return cut(3);
      case 8:
        return Sentence(6);
      default:
        return random_.Below(4) == 0 ? Sentence(20) + " " + cut(20) : Identifier();
    }
  }

 private:
  std::string Word() {
    static constexpr std::array<std::string_view, 24> kParts{"ba", "con", "der", "el",  "fi",  "gor", "ha",  "in",
                                                             "jo", "ka",  "lem", "mor", "ne",  "ou",  "pra", "qui",
                                                             "re", "sta", "ti",  "ur",  "ver", "wi",  "xa",  "zo"};
    std::string word;
    for (std::uint64_t n = 1 + random_.Below(4); n > 0; --n) word += kParts[random_.Below(kParts.size())];
    return word;
  }
  static std::string Capital(std::string text) {
    text[0] = static_cast<char>(text[0] - 32);
    return text;
  }
  std::string Digits(std::size_t n) {
    std::string out;
    while (n-- > 0) out += static_cast<char>('0' + random_.Below(10));
    return out;
  }
  const std::string& Name() { return names_[random_.Below(names_.size())]; }
  std::string Sentence(std::uint64_t words) {
    static constexpr std::array<std::string_view, 12> kSmall{"the", "of",  "to",   "and", "in", "for",
                                                             "is",  "you", "that", "on",  "we", "with"};
    std::string out;
    for (; words > 0; --words) {
      if (!out.empty()) out += ' ';
      out += random_.Below(3) == 0 ? std::string(kSmall[random_.Below(kSmall.size())])
                                   : words_[random_.Skewed(words_.size())];
    }
    return out;
  }
  std::string Identifier() { return "INV-" + Digits(6); }
  std::string Mail() {
    std::string name = Name();
    std::ranges::replace(name, ' ', '.');
    return name + "@" + words_[random_.Below(40)] + ".test";
  }
  std::string Iban() { return "GB" + Digits(2) + "NWBK" + Digits(14); }
  std::string Amount() { return std::to_string(1 + random_.Below(5000)) + "." + Digits(2); }
  std::string Date() {
    return "202" + Digits(1) + "-0" + std::to_string(1 + random_.Below(9)) + "-" +
           std::to_string(10 + random_.Below(19));
  }
  std::string Link() {
    return "https://" + words_[random_.Below(300)] + ".test/" + words_[random_.Below(words_.size())] + "/" + Digits(5);
  }

  Random random_;
  std::vector<std::string> words_;
  std::vector<std::string> names_;
};

struct Session {
  explicit Session(std::size_t results) : world(7), index({.key = {3, 5}}) {
    index.Add({.kind = SourceKind::kRequest, .labels = interlock::core::kLabelRequest},
              "Please pay the invoice in bill-december.txt and tell Emma Johnson about the dinner on Friday.");
    for (std::size_t i = 0; i < results; ++i) {
      texts.push_back(world.Result());
      bytes += texts.back().size();
    }
  }
  void AddAll() {
    std::uint32_t turn = 0;
    for (const std::string& text : texts) {
      index.Add({.kind = SourceKind::kResult, .call = turn, .turn = turn, .labels = interlock::core::kLabelUntrusted},
                text);
      ++turn;
    }
  }
  World world;
  SourceIndex index;
  std::vector<std::string> texts;
  std::size_t bytes = 0;
};

double Percentile(std::vector<double>& times, double share) {
  const auto at = times.begin() + static_cast<std::ptrdiff_t>(share * static_cast<double>(times.size() - 1));
  std::nth_element(times.begin(), at, times.end());
  return *at;
}

void Explain(benchmark::State& state) {
  Session session(static_cast<std::size_t>(state.range(0)));
  session.AddAll();
  std::vector<std::string> values;
  for (int i = 0; i < 4000; ++i) values.push_back(session.world.Value(session.texts));
  std::vector<double> times(values.size(), kNever);
  std::size_t at = 0;
  for (auto _ : state) {
    const double begin = Now();
    benchmark::DoNotOptimize(session.index.Explain(values[at]));
    times[at] = std::min(times[at], Now() - begin);
    at = (at + 1) % values.size();
  }
  state.counters["p50_us"] = Percentile(times, 0.5);
  state.counters["p99_us"] = Percentile(times, 0.99);
  state.counters["memory_per_text"] =
      static_cast<double>(session.index.memory_bytes()) / static_cast<double>(session.bytes);
}
BENCHMARK(Explain)->Arg(10)->Arg(100)->Arg(1000)->Iterations(20'000)->Unit(benchmark::kMicrosecond);

void Add(benchmark::State& state) {
  std::vector<double> times(static_cast<std::size_t>(state.range(0)), kNever);
  for (auto _ : state) {
    Session session(times.size());
    for (std::size_t i = 0; i < times.size(); ++i) {
      const double begin = Now();
      session.index.Add({.kind = SourceKind::kResult, .labels = interlock::core::kLabelUntrusted}, session.texts[i]);
      times[i] = std::min(times[i], Now() - begin);
    }
  }
  state.counters["p50_us"] = Percentile(times, 0.5);
  state.counters["p99_us"] = Percentile(times, 0.99);
}
BENCHMARK(Add)->Arg(10)->Arg(100)->Arg(1000)->Iterations(5)->Unit(benchmark::kMillisecond);

// One result that repeats one word, and a value that does: the worst for a method that compares every pair of places.
void Hostile(benchmark::State& state) {
  std::string text;
  for (std::int64_t i = 0; i < state.range(0); ++i) text += "send ";
  SourceIndex index({.key = {3, 5}});
  for (int i = 0; i < 20; ++i) index.Add({.kind = SourceKind::kResult}, text + std::to_string(i));
  const std::string value = text.substr(0, 5000);
  for (auto _ : state) benchmark::DoNotOptimize(index.Explain(value + "now"));
}
BENCHMARK(Hostile)->Arg(1000)->Arg(4000)->Arg(16'000)->Unit(benchmark::kMicrosecond);

}  // namespace
