#include "interlock/bounds/features.h"

namespace interlock::bounds {

std::vector<std::int8_t> MonotoneDirections() {
  std::vector<std::int8_t> directions(kFeatureCount, 0);
  for (const Feature feature : {Feature::kScan,
                                Feature::kSecondScan,
                                Feature::kShortSpan,
                                Feature::kShortSpanOnly,
                                Feature::kLongSpan,
                                Feature::kLongSpanOnly,
                                Feature::kIntentSpan,
                                Feature::kVerbSpan,
                                Feature::kWordsSpan,
                                Feature::kEarlierSpan,
                                Feature::kTaintMax,
                                Feature::kTaintMin,
                                Feature::kContextIntentMax,
                                Feature::kContextIntentMin,
                                Feature::kImperativeMax,
                                Feature::kImperativeMean,
                                Feature::kToolOrder,
                                Feature::kPathOdds,
                                Feature::kCallEcho,
                                Feature::kCallEchoVerb,
                                Feature::kOrderedAddress,
                                Feature::kRivals}) {
    directions[static_cast<std::size_t>(feature)] = 1;
  }
  for (const Feature feature : {Feature::kShortMinRequest, Feature::kShortMeanRequest, Feature::kLongMinRequest,
                                Feature::kLongMeanRequest, Feature::kIntentRequest, Feature::kVerbRequest,
                                Feature::kWordsRequest, Feature::kEarlierIntent, Feature::kNamed}) {
    directions[static_cast<std::size_t>(feature)] = -1;
  }
  return directions;
}

std::string_view NameOf(Feature feature) noexcept {
  static constexpr std::string_view kNames[] = {
      "scan",
      "second-scan",
      "span-words",
      "short-min-request",
      "short-mean-request",
      "short-span",
      "short-span-only",
      "short-clean",
      "short-unexplained",
      "long-min-request",
      "long-mean-request",
      "long-span",
      "long-span-only",
      "long-clean",
      "long-unexplained",
      "short-count",
      "long-count",
      "intent-request",
      "intent-span",
      "intent-gain",
      "verb-request",
      "words-request",
      "verb-span",
      "words-span",
      "earlier-span",
      "earlier-intent",
      "calls-since",
      "actions-before",
      "restates",
      "ungrounded",
      "ungrounded-share",
      "unfound",
      "taint-max",
      "taint-min",
      "context-max",
      "context-min",
      "context-intent-max",
      "context-intent-min",
      "imperative-max",
      "imperative-mean",
      "taint-sum",
      "tool-order",
      "named",
      "sink",
      "addresses",
      "results-seen",
      "path-odds",
      "path-support",
      "call-echo",
      "call-echo-verb",
      "ordered-address",
      "rivals",
  };
  static_assert(sizeof(kNames) / sizeof(kNames[0]) == kFeatureCount);
  return kNames[static_cast<std::size_t>(feature)];
}

}  // namespace interlock::bounds
