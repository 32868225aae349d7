// Pictures and links whose address carries what the user said or is.
#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

#include "static/shell_judge.h"
#include "static/text_orders.h"

namespace interlock::scan {
namespace {

constexpr std::uint32_t kAround = 4;        // passages
constexpr std::size_t kMostAddresses = 64;  // of a file: each is looked for in the whole text
constexpr std::size_t kLongestUrl = 400;
constexpr std::size_t kSentenceAfter = 400;  // bytes behind the address that may say what fills it
constexpr double kFilled = 0.8;

constexpr std::array kSaid =
    std::to_array<std::string_view>({"conversation", "summary", "message", "question", "prompt", "secret", "history",
                                     "chat", "context", "answer", "base64", "transcript", "encoded"});
// What is the user's, each kind once.
constexpr std::array kTheirs = std::to_array<std::string_view>(
    {"passport", "birth",    "credit",   "e-mail",    "email",      "phone",    "diagnosis",    "account",
     "password", "address",  "name",     "user",      "user's",     "customer", "conversation", "talk",
     "chat",     "messages", "question", "discussed", "transcript", "summary",  "secrets",      "history"});
// What maps, badges and tiles are asked for.
constexpr std::array kPlain = std::to_array<std::string_view>(
    {"lat", "lon", "zoom", "width", "height", "branch", "version", "page", "size", "style", "q={query}"});

bool Contains(std::string_view text, const auto& list) {
  return std::ranges::any_of(list, [&](std::string_view part) { return text.find(part) != std::string_view::npos; });
}

// The paragraphs around say that it is filled with two things of the user's.
bool FilledWithTheUser(const TextCanvas& canvas, std::uint32_t here) {
  std::uint64_t found = 0;
  const std::uint32_t section = canvas.passages[here].section;
  const auto last = static_cast<std::uint32_t>(std::min<std::size_t>(here + kAround, canvas.passages.size() - 1));
  for (std::uint32_t p = here > kAround ? here - kAround : 0; p <= last; ++p) {
    const TextPassage& passage = canvas.passages[p];
    if (passage.section != section || passage.shape == TextShape::kCode) continue;
    for (std::uint32_t s = passage.first; s < passage.last; ++s) {
      const TextSentence& sentence = canvas.sentences[s];
      // "Put no name into the address."
      if (sentence.last > sentence.first && (canvas.tokens[sentence.first].set & Bit(kWNot)) != 0) continue;
      for (std::uint32_t t = sentence.first; t < sentence.last; ++t) {
        const auto at = std::ranges::find(kTheirs, canvas.Of(canvas.tokens[t]));
        if (at != kTheirs.end()) found |= std::uint64_t{1} << (at - kTheirs.begin());
        if (canvas.Of(canvas.tokens[t]) == "without" || canvas.Of(canvas.tokens[t]) == "never") return false;
      }
    }
  }
  return std::popcount(found) > 1;
}

}  // namespace

bool IsUnrelated(const TextCanvas& canvas, std::string_view host) {
  if (host.empty()) return false;
  const bool local = host.starts_with("localhost") || host.starts_with("127.") || host.starts_with("0.0.0.0") ||
                     host.starts_with("192.168.") || host.starts_with("10.") || host == "example.com" ||
                     host == "www.example.com" || host == "api.example.com" || host == "your-domain.com";
  if (local) return false;
  // The name of the host, without what every host has.
  std::size_t dots = 0;
  std::string_view main = host;
  for (const char c : host) dots += c == '.' ? 1 : 0;
  if (const std::size_t last = host.rfind('.'); last != std::string_view::npos && dots >= 1) {
    const std::size_t before = host.rfind('.', last - 1);
    main = before == std::string_view::npos ? host.substr(0, last) : host.substr(before + 1, last - before - 1);
  }
  if (main.size() < 2) return true;
  std::size_t seen = 0;
  for (std::size_t p = canvas.text.find(main); p != std::string::npos && seen < 4; p = canvas.text.find(main, p + 1))
    ++seen;
  return seen <= 2;
}

void FindFilledAddresses(const TextCanvas& canvas, std::vector<FrameHit>& out) {
  // Few texts have an address with an open place; one with many is judged by the first of them.
  std::size_t looked = 0;
  for (std::size_t p = canvas.text.find("://"); p != std::string::npos; p = canvas.text.find("://", p + 3)) {
    const std::size_t begin = p >= 5 && canvas.text[p - 1] == 's' ? p - 5 : p >= 4 ? p - 4 : p;
    if (canvas.text.compare(begin, 4, "http") != 0) continue;
    const std::string_view ahead = std::string_view(canvas.text).substr(begin, kLongestUrl);
    const std::string_view url = ahead.substr(0, ahead.find_first_of(" )\n\"'`"));
    const std::size_t end = begin + url.size();
    const std::size_t query = url.find('?');
    if (query == std::string_view::npos) continue;
    const std::string_view rest = url.substr(query);
    const bool open =
        rest.find_first_of("{<[$") != std::string_view::npos || rest.ends_with("=") || rest.ends_with("=>");
    if (!open || Contains(rest, kPlain)) continue;
    const std::uint32_t index = canvas.SentenceAt(static_cast<std::uint32_t>(begin));
    const TextSentence& sentence = canvas.sentences[index];
    const TextPassage& passage = canvas.passages[sentence.passage];
    if (passage.shape == TextShape::kCode || begin < passage.begin || end > passage.end) continue;
    const std::string_view text = canvas.Of(sentence);
    // Rendered, the address stands in angle brackets behind its words.
    const bool shown = text.find("![") != std::string_view::npos || (begin > 0 && canvas.text[begin - 1] == '<') ||
                       Contains(text, std::array<std::string_view, 7>{"image", "markdown", "pixel", "badge", "render",
                                                                      "picture", "link"});
    if (!shown) continue;
    const std::string_view about =
        std::string_view(canvas.text)
            .substr(begin, std::min<std::size_t>(sentence.end > begin ? sentence.end - begin : 0, kSentenceAfter));
    if (++looked > kMostAddresses) return;
    if (!Contains(about, kSaid) && !FilledWithTheUser(canvas, sentence.passage)) continue;
    if (!IsUnrelated(canvas, HostOf(url))) continue;
    FrameHit hit;
    hit.rule = "PI-027";
    hit.passage = sentence.passage;
    hit.sentence = index;
    hit.begin = static_cast<std::uint32_t>(begin);
    hit.end = static_cast<std::uint32_t>(end);
    hit.score = kFilled;
    // Around an address backticks are its notation.
    hit.described = Described(canvas, index, hit.begin, hit.end, false);
    hit.host = HostOf(url);
    out.push_back(std::move(hit));
  }
}

}  // namespace interlock::scan
