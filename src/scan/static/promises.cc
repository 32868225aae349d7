#include "static/promises.h"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>

#include "static/classify.h"
#include "static/literals.h"
#include "static/shell_judge.h"

namespace interlock::scan {
namespace {

using core::Permission;
using core::Reach;

constexpr std::size_t kMostRead = std::size_t{64} << 10;  // of one document
constexpr std::size_t kShown = 100;

// Each says that nothing leaves.
constexpr auto kPromises = std::to_array<std::string_view>({"no network access",
                                                            "no network calls",
                                                            "no network requests",
                                                            "no network connection",
                                                            "no network traffic",
                                                            "no network activity",
                                                            "no internet access",
                                                            "no internet connection",
                                                            "no external calls",
                                                            "no external requests",
                                                            "no external network",
                                                            "no outbound",
                                                            "no http requests",
                                                            "no data leaves",
                                                            "nothing leaves your",
                                                            "nothing leaves the",
                                                            "never leaves your",
                                                            "never leaves the",
                                                            "never leave your",
                                                            "never leave the",
                                                            "nothing is sent",
                                                            "nothing is uploaded",
                                                            "nothing is transmitted",
                                                            "no data is sent",
                                                            "no data is uploaded",
                                                            "no data is transmitted",
                                                            "does not access the network",
                                                            "does not use the network",
                                                            "not make network",
                                                            "not make any network",
                                                            "makes no network",
                                                            "makes no external",
                                                            "not connect to the internet",
                                                            "not send any data",
                                                            "not require network",
                                                            "not need network",
                                                            "without network access",
                                                            "without internet access",
                                                            "without any network",
                                                            "fully offline",
                                                            "entirely offline",
                                                            "completely offline",
                                                            "100% offline",
                                                            "entirely local",
                                                            "fully local",
                                                            "purely local",
                                                            "100% local",
                                                            "stays on your machine",
                                                            "stay on your machine",
                                                            "stays on your device",
                                                            "stays on this machine",
                                                            "offline-only"});
// ... but for something that the sentence names.
constexpr auto kBut = std::to_array<std::string_view>(
    {"except", "unless", "other than", "apart from", "besides", "optional", "by default", "only when", "only if",
     "if you", "after the first", "once ", "mode", "beyond", "until", "download"});

struct Promise {
  std::string_view words;
  std::size_t at = std::string_view::npos;
};

// A promise in the text, without anything that takes part of it back.
Promise PromiseIn(std::string_view text) {
  std::string folded = LowerCase(text.substr(0, kMostRead));
  std::ranges::replace_if(folded, [](char c) { return c == '\n' || c == '\t' || c == '\r'; }, ' ');
  for (const std::string_view words : kPromises) {
    for (std::size_t at = folded.find(words); at != std::string::npos; at = folded.find(words, at + 1)) {
      const std::size_t before = at == 0 ? std::string::npos : folded.find_last_of(".!?|#", at - 1);
      const std::size_t begin = before == std::string::npos ? 0 : before + 1;
      const std::size_t end = std::min(folded.find_first_of(".!?|#", at), folded.size());
      const std::string_view sentence = std::string_view(folded).substr(begin, end - begin);
      const auto says = [&](std::string_view but) { return sentence.find(but) != std::string_view::npos; };
      if (std::ranges::none_of(kBut, says)) return {words, at};
    }
  }
  return {};
}

// A host that is named, outside, and not the reader's own.
bool IsFarHost(const std::string& detail) {
  const HostKind kind = KindOfHost(detail);
  const std::string host = HostOf(detail);
  const std::string& named = host.empty() ? detail : host;
  return kind != HostKind::kLocal && named.find('.') != std::string::npos && detail.find('*') != 0 &&
         detail.find(' ') == std::string::npos && detail.find("…") != 0;
}

}  // namespace

void JudgePromises(const std::vector<FileContext>& files, const code::CodeFacts& facts, std::vector<RawFinding>& out) {
  std::vector<const code::CapabilityUse*> far;
  for (const code::CapabilityUse& use : facts.uses) {
    if (use.permission != Permission::kNetworkEgress || use.file >= files.size()) continue;
    if (files[use.file].reach <= Reach::kRuntime && IsFarHost(use.detail)) far.push_back(&use);
  }
  if (far.empty()) return;
  // What a skill says of itself, and the scripts that it has the agent run.
  for (const FileContext& file : files) {
    if (file.type != FileType::kMarkdown || file.reach != Reach::kAgent) continue;
    if (!IsInstructionFile(file.file->path)) continue;
    const auto by_agent = [&](const code::CapabilityUse* one) { return files[one->file].reach <= Reach::kAgent; };
    const auto use = std::ranges::find_if(far, by_agent);
    if (use == far.end()) return;
    const Promise promise = PromiseIn(file.text());
    if (promise.words.empty()) continue;
    RawFinding finding;
    finding.rule = "DECL-001";
    finding.file = (*use)->file;
    finding.bytes = {(*use)->loc.begin, (*use)->loc.end};
    finding.message = "talks to " + (*use)->detail.substr(0, kShown) + ", and its instructions promise: ";
    finding.message += promise.words;
    finding.flow.push_back(
        {file.index, static_cast<std::uint32_t>(promise.at), "promises that nothing leaves the machine"});
    out.push_back(std::move(finding));
    return;
  }
}

}  // namespace interlock::scan
