// Does this text ask for this tool? The user's request against a proposed call; a suspicious span against it, too.
//
//   IntentModel::Text request = PrepareIntentText(words of the user);
//   IntentModel::Tool tool = PrepareIntentTool("send_money");
//   float log_odds = model.Score(request, tool);
//
// A linear model over pairs (word of the text, word of the tool's name), so that what was learned of one tool carries
// to another with the same words. Words are hashed stems; no text is kept. Only trusted text should be asked about
// intent; asking it of a suspicious span tells what the span wants.
//
// Source: Agent-Sentry, section 4.5 (intent on trusted input only); the model is ours.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "interlock/base/result.h"

namespace interlock::bounds {

struct IntentText {
  std::vector<std::uint32_t> stems;  // hashes, sorted, without repetition
};
struct IntentTool {
  std::string name;
  std::vector<std::uint32_t> stems;  // of the words of the name, in order
  std::uint32_t whole = 0;           // of the whole name
};
// At most 4,096 words of the text count.
[[nodiscard]] IntentText PrepareIntentText(std::string_view text);
[[nodiscard]] IntentTool PrepareIntentTool(std::string_view name);
// What stands literally: the first word of the tool's name, and the share of its words, that the text has.
struct IntentOverlap {
  float verb = 0.0F;
  float words = 0.0F;
  float objects = 0.0F;  // of the words after the first; 0.5 when there are none
};
[[nodiscard]] IntentOverlap OverlapOf(std::span<const std::uint32_t> stems, const IntentTool& tool) noexcept;
[[nodiscard]] inline IntentOverlap OverlapOf(const IntentText& text, const IntentTool& tool) noexcept {
  return OverlapOf(text.stems, tool);
}

class IntentModel {
 public:
  static constexpr std::size_t kBuckets = std::size_t{1} << 15;
  // `named`: the tool's whole name stands in the text.
  [[nodiscard]] float Score(const IntentText& text, const IntentTool& tool, bool named) const noexcept {
    return Score(text.stems, tool, named);
  }
  // Of a text's stems: sorted, without repetition.
  [[nodiscard]] float Score(std::span<const std::uint32_t> stems, const IntentTool& tool, bool named) const noexcept;

  void Serialize(std::string& out) const;
  [[nodiscard]] static base::Result<IntentModel> Parse(std::string_view& bytes);

  struct Sample {
    std::string text;
    std::vector<std::string> used;       // tools that the text asked for
    std::vector<std::string> available;  // all tools it could have asked for
  };
  struct TrainOptions {
    int epochs = 10;
    double rate = 0.25;
    double l2 = 2e-5;
    std::uint64_t seed = 1;
  };
  [[nodiscard]] static IntentModel Train(const std::vector<Sample>& samples, const TrainOptions& options);

 private:
  static constexpr std::size_t kExtra = 5;  // bias, verb, words, objects, named
  float scale_ = 1.0F;
  std::vector<std::int8_t> weights_ = std::vector<std::int8_t>(kBuckets, 0);
  float extra_[kExtra] = {};
};

// The request hands its content to a document: "do what the file says", "all tasks on my list at ...". What it names
// stands in `text`; nothing when it does not delegate.
[[nodiscard]] bool DelegatesTo(std::string_view request) noexcept;

}  // namespace interlock::bounds
