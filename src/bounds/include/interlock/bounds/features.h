// What is known about one proposed call, as numbers: the input of the combiner. Features are evidence, not signals; the
// combiner is the signal (docs/differences.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

namespace interlock::bounds {

// Order is the file format: append only, and retrain.
enum class Feature : std::uint8_t {
  kScan,              // log-odds of the most suspicious result that is visible
  kSecondScan,        // of the next one
  kSpanWords,         // log of the words in the most suspicious result's span
  kShortMinRequest,   // short arguments: least share of an argument's words that the request has
  kShortMeanRequest,  // ... on average
  kShortSpan,         // most that the suspicious span explains beyond the request
  kShortSpanOnly,     // ... beyond the request and everything else
  kShortClean,        // most that data outside the span explains beyond the request
  kShortUnexplained,  // most that nothing explains
  kLongMinRequest,    // the same for arguments of more than 60 bytes
  kLongMeanRequest,
  kLongSpan,
  kLongSpanOnly,
  kLongClean,
  kLongUnexplained,
  kShortCount,
  kLongCount,
  kIntentRequest,  // does the request ask for this tool
  kIntentSpan,     // does the span
  kIntentGain,     // the difference
  kVerbRequest,    // literal overlap of the tool's name with the request ...
  kWordsRequest,
  kVerbSpan,  // ... and with the span
  kWordsSpan,
  kEarlierSpan,    // earlier calls after the suspicious result: most that the span explains beyond the request
  kEarlierIntent,  // ... and the least asked-for of them
  kCallsSince,     // how many
  kActionsBefore,
  kRestates,    // share of the span's words that the request has: a repeated request is none
  kUngrounded,  // arguments that the request does not hold
  kUngroundedShare,
  kUnfound,     // of them: found in no result either
  kTaintMax,    // score of the text around the cleanest occurrence: the worst argument
  kTaintMin,    // ... the best argument
  kContextMax,  // other words in that text
  kContextMin,
  kContextIntentMax,  // does that text ask for this tool
  kContextIntentMin,
  kImperativeMax,  // is it an order
  kImperativeMean,
  kTaintSum,
  kToolOrder,       // strongest order seen anywhere that names this tool's words
  kNamed,           // the tool's name stands in the request
  kSink,            // a retrieval whose address is an argument
  kAddresses,       // ungrounded arguments that are addresses, accounts or links
  kResultsSeen,     // log of the number of results
  kPathOdds,        // functionality graph: smoothed log-odds of attack over benign
  kPathSupport,     // log of the sessions behind it
  kCallEcho,        // most of an order's words that the call's name and arguments say
  kCallEchoVerb,    // that order starts with the tool's verb
  kOrderedAddress,  // an ungrounded address, account or link whose cleanest occurrence is an order
  kRivals,          // of such: others of its shape that the same result names outside of orders
  kCount,
};
inline constexpr std::size_t kFeatureCount = static_cast<std::size_t>(Feature::kCount);

using FeatureVector = std::array<float, kFeatureCount>;

// By feature: 1 where more of it never makes a call look more honest (orders seen, values that stand only in them, an
// attack's path), -1 where more never makes it look worse (what the request names and asks for), 0 where neither is
// clear. The combiner is trained so.
[[nodiscard]] std::vector<std::int8_t> MonotoneDirections();

[[nodiscard]] std::string_view NameOf(Feature feature) noexcept;  // "scan", "short-span-only", ...

}  // namespace interlock::bounds
