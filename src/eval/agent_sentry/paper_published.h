// What the paper prints (AGENT-SENTRY: Bounding LLM Agents via Execution Provenance), by table. Private to the module.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace interlock::eval::agent_sentry {

// Rows: banking, slack, travel, workspace, overall.
using FiveRows = std::array<double, 5>;

inline constexpr std::array<std::array<double, 3>, 5> kPublishedComposition{
    {{206, 1367, 1573}, {293, 1007, 1300}, {517, 1087, 1604}, {439, 1817, 2256}, {1455, 5278, 6733}}};

struct PublishedRates {
  std::string_view table;
  int tenths;  // of the functionality graph's coverage
  FiveRows utility;
  FiveRows asr;
};
inline constexpr FiveRows kAsr100{13.16, 18.60, 2.33, 3.76, 9.46};
inline constexpr FiveRows kAsr50{9.08, 15.09, 1.66, 3.08, 7.49};
inline constexpr FiveRows kAsr90{12.09, 18.04, 1.87, 3.47, 8.87};
inline constexpr std::array<PublishedRates, 3> kPublishedRates{{
    {"2", 10, {96.12, 92.49, 96.58, 93.24, 94.61}, kAsr100},
    {"3", 5, {77.99, 83.50, 81.17, 73.50, 79.55}, kAsr50},
    {"4", 9, {93.20, 91.24, 94.00, 90.02, 92.11}, kAsr90},
}};

struct PublishedFlowClasses {
  std::size_t domain;
  int tenths;
  double ambiguity;
  double misclassified;
};
inline constexpr std::array<PublishedFlowClasses, 12> kPublishedFlowClasses{{
    {0, 5, 48.48, 1.23},
    {0, 9, 58.78, 0.16},
    {0, 10, 61.56, 0.00},
    {1, 5, 62.95, 1.23},
    {1, 9, 69.19, 0.12},
    {1, 10, 70.07, 0.00},
    {2, 5, 20.72, 1.06},
    {2, 9, 26.26, 0.11},
    {2, 10, 26.88, 0.00},
    {3, 5, 18.66, 0.75},
    {3, 9, 22.29, 0.09},
    {3, 10, 22.64, 0.00},
}};

inline constexpr PublishedRates kPublishedJudge{
    "6", 10, {93.69, 89.76, 92.46, 87.93, 90.96}, {26.96, 28.20, 8.00, 12.82, 19.00}};

struct PublishedDefence {
  std::string_view name;
  double utility;
  double asr;
  double seconds;
};
inline constexpr std::array<PublishedDefence, 4> kPublishedDefences{{
    {"paper", 76.30, 3.70, 7.89},
    {"camel", 37.11, 0.00, 26.60},
    {"progent", 73.20, 5.41, 4.26},
    {"none", 77.32, 47.69, 4.03},
}};
// What the artifact multiplies with. Utility: (73 + 74 + 78) of 3 x 97 tasks solved. ASR: 300 of 629, which is the
// AgentDojo leaderboard's and not that of the recorded runs.
inline constexpr double kBaselineUtility = 100.0 * 225 / 291;
inline constexpr double kBaselineAsr = 100.0 * 300 / 629;

struct PublishedSetting {
  std::string_view table;
  int tenths;
  std::size_t ratio;  // benign traces for each attack
  bool mean_differs;  // the printed overall is not the mean of the printed rows
  PublishedRates rates;
};
inline constexpr std::array<PublishedSetting, 6> kPublishedSettings{{
    {"8", 10, 1, false, {"8", 10, {95.85, 91.46, 96.35, 93.62, 94.32}, kAsr100}},
    {"9", 10, 9, false, {"9", 10, {96.20, 92.34, 96.51, 93.01, 94.52}, kAsr100}},
    {"10", 5, 1, false, {"10", 5, {77.09, 83.61, 80.56, 73.33, 78.65}, kAsr50}},
    {"11", 5, 9, true, {"11", 5, {77.86, 83.45, 80.86, 73.27, 78.36}, kAsr50}},
    {"12", 9, 1, true, {"12", 9, {92.84, 90.33, 94.33, 90.02, 91.38}, kAsr90}},
    {"13", 9, 9, true, {"13", 9, {93.30, 91.11, 94.10, 89.47, 91.75}, kAsr90}},
}};

}  // namespace interlock::eval::agent_sentry
