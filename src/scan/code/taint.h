// What may have reached a value: labels, and by which way. Private to src/scan/code.
//
// A value carries two sets: `labels`, everything that may have reached it from anywhere (what a sink judges), and
// `fresh`, what does not come through the parameters of the function being read (what its callers get back). Parameters
// are tracked as bits, so that a helper used for a secret here does not taint its harmless use there.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "code/vendors.h"

namespace interlock::scan::code {

using Labels = std::uint64_t;
inline constexpr Labels kToolArgument = 1U << 0U;
inline constexpr Labels kEnvSecret = 1U << 1U;
inline constexpr Labels kEnvAll = 1U << 2U;
inline constexpr Labels kEnvPlain = 1U << 3U;
inline constexpr Labels kSecretFile = 1U << 4U;
inline constexpr Labels kWeakSecretFile = 1U << 5U;
inline constexpr Labels kFileContent = 1U << 6U;
inline constexpr Labels kNet = 1U << 7U;       // an answer from the network
inline constexpr Labels kNetFixed = 1U << 8U;  // and the address is written in the code
inline constexpr Labels kSocketData = 1U << 9U;
inline constexpr Labels kDecoded = 1U << 10U;  // a constant, decoded
inline constexpr Labels kStore = 1U << 11U;    // key chain, browser store
inline constexpr Labels kClipboard = 1U << 12U;
inline constexpr Labels kHostFacts = 1U << 13U;
inline constexpr Labels kState = 1U << 14U;  // state of a graph of agents
inline constexpr Labels kArguments = 1U << 15U;
inline constexpr Labels kInput = 1U << 16U;
inline constexpr Labels kModelAnswer = 1U << 17U;
inline constexpr Labels kMemory = 1U << 18U;
inline constexpr Labels kCommandOutput = 1U << 19U;
inline constexpr Labels kDeserialized = 1U << 20U;
inline constexpr Labels kUnchecked = 1U << 21U;    // an argument of a tool that no check has seen
inline constexpr Labels kNetStranger = 1U << 22U;  // an answer of a host that publishes no software
inline constexpr Labels kNetFile = 1U << 23U;      // path of a file that such an answer was written to
// A word of a list that names a place of secrets; a file read below it is one.
inline constexpr Labels kSecretName = 1U << 24U;
inline constexpr Labels kWeakSecretName = 1U << 25U;
inline constexpr Labels kHomeEntry = 1U << 26U;  // found by listing the user's folder
inline constexpr Labels kEnvName = 1U << 27U;    // a word of a list that names variables with credentials
inline constexpr Labels kRequest = 1U << 28U;    // of somebody who connects to this program
// An argument between written words, of a program or of an SQL statement: what a callee that only sees the whole has to
// know, since several callers give it different texts.
inline constexpr Labels kPieced = 1U << 29U;
inline constexpr Labels kQueried = 1U << 30U;
inline constexpr Labels kTapped = 1ULL << 32U;      // passes through a function that stands in another's place
inline constexpr Labels kUnpacked = 1ULL << 33U;    // path of a file whose bytes were unpacked from a text
inline constexpr Labels kKeys = 1ULL << 34U;        // keys that are pressed
inline constexpr Labels kBelow = 1ULL << 35U;       // a caller's name under a folder that he does not choose
inline constexpr Labels kEntryName = 1ULL << 36U;   // what an archive calls its members
inline constexpr Labels kDataFile = 1ULL << 37U;    // content of a file whose name says that it is no text
inline constexpr Labels kCodedFile = 1ULL << 38U;   // content of a file, decoded, or of one that no code lies in
inline constexpr Labels kMarshalled = 1ULL << 39U;  // code objects made of bytes
inline constexpr Labels kQuoted = 1ULL << 40U;      // between quotes of a statement
inline constexpr Labels kEncoded = 1ULL << 41U;     // packed into letters that say nothing: base64, hex, compressed
inline constexpr Labels kListed = 1ULL << 42U;      // a name that listing a folder gave
inline constexpr Labels kComputed = 1ULL << 43U;    // letters that are computed from numbers, whatever numbers
inline constexpr Labels kKept = 1ULL << 44U;        // the user's own folders and conversations; recordings
inline constexpr Labels kAgentName = 1ULL << 45U;   // a word of a list that names a file which agents obey
inline constexpr Labels kToolAnswer = 1ULL << 46U;  // what a tool answers a model, in a loop that runs tools
inline constexpr Labels kEvent = 1ULL << 47U;       // what an agent tells its hook, whole
inline constexpr Labels kSaid = 1ULL << 48U;        // a field of it that holds what was said, read or answered
inline constexpr Labels kRows = 1ULL << 49U;        // what a data base has answered
inline constexpr Labels kTextFile = 1ULL << 50U;    // content of a file that is called a text: .txt, .md, .log
inline constexpr Labels kNetBare = 1ULL << 51U;     // answer of a bare address, that is nobody's
// Whoever connects is a caller whom nobody has let in.
inline constexpr Labels kCaller = kRequest | kToolArgument | kUnchecked;
inline constexpr Labels kEnvLabels = kEnvSecret | kEnvAll | kEnvPlain;
inline constexpr Labels kSecretLabels = kEnvSecret | kEnvAll | kSecretFile | kStore;
// Put into what is thrown, and caught by a caller: not what every failure may hold.
inline constexpr Labels kThrown = kSecretLabels | kWeakSecretFile | kEnvAll | kKept | kClipboard;
// What a field of a table that is written out is told apart by.
inline constexpr Labels kFieldLabels =
    kSecretLabels | kWeakSecretFile | kTapped | kToolArgument | kFileContent | kRows | kCommandOutput;
inline constexpr Labels kOfUser = kSecretLabels | kWeakSecretFile | kFileContent | kKept | kClipboard | kKeys | kTapped;
// What is no setting of a client: whatever is filled with it holds it, and a client that is set up with it shows it at
// every request; its own key is none of it.
inline constexpr Labels kHeldByAnything = kSecretFile | kStore | kWeakSecretFile | kKept | kEnvAll | kClipboard | kKeys;
inline constexpr Labels kForeign = kNet | kNetFixed | kSocketData | (1U << 22U) | (1U << 23U);

// The first step of what a model has written for a tool.
inline constexpr std::string_view kGivenByModel = "takes what a model gives a tool";

// Which of a value's histories is shown for a label.
enum class Trail : std::uint8_t { kPrivate, kOutside, kGiven, kLocal, kCode };
inline constexpr std::size_t kTrails = 5;
[[nodiscard]] Trail TrailOf(Labels label);
[[nodiscard]] Labels LabelsOf(Trail trail);

// Parameters of which is known what a function takes off them before it gives them back: `clean(text)`.
inline constexpr std::size_t kCutParams = 6;

struct Taint {
  Labels labels = 0;
  Labels fresh = 0;
  std::uint32_t params = 0;
  std::array<Labels, kCutParams> cut = {};        // what of each parameter does not come along; 0 for those beyond
  Vendors vendors;                                // whose credentials
  std::array<std::uint32_t, kTrails> trail = {};  // 0: none; else index + 1 of a step
  void Join(const Taint& other);
  [[nodiscard]] bool Has(Labels mask) const { return (labels & mask) != 0; }
  [[nodiscard]] Taint Without(Labels mask) const;
  [[nodiscard]] Taint Only(Labels mask) const { return Without(~mask); }
  // What of parameter `param` is in this, where the caller has given `given` for it.
  [[nodiscard]] Taint Through(std::size_t param, const Taint& given) const;
  [[nodiscard]] Labels CutOf(std::size_t param) const { return param < kCutParams ? cut[param] : 0; }
  // Of a variable that belongs to no function: as it is for whoever reads it.
  [[nodiscard]] Taint SeenFromOutside() const;
  void Add(Labels mask) {
    labels |= mask;
    fresh |= mask;
  }
};

inline void Taint::Join(const Taint& other) {
  labels |= other.labels;
  fresh |= other.fresh;
  if (other.params != 0) {
    for (std::size_t p = 0; p < kCutParams; ++p) {
      // One of two ways that leaves it in is enough.
      if ((other.params >> p & 1U) != 0) cut[p] = (params >> p & 1U) != 0 ? cut[p] & other.cut[p] : other.cut[p];
    }
    params |= other.params;
  }
  vendors |= other.vendors;
  for (std::size_t i = 0; i < kTrails; ++i) trail[i] = trail[i] != 0 ? trail[i] : other.trail[i];
}

// One variable of the whole environment (kEnvAll) that is picked by its name; with what `.env` adds to it.
[[nodiscard]] Taint OneOfAll(const Taint& all, std::string_view key);
// What an agent tells its hooks: the user's words, the tool's, the answers.
[[nodiscard]] bool TellsHook(std::string_view key, const Taint& from);
// Of what an agent tells its hook (kEvent): event.prompt holds what was said, event.cwd and its like are names.
[[nodiscard]] Taint PartOfEvent(std::string_view key, const Taint& event);
// A name that a caller chooses, under a folder that he does not choose.
[[nodiscard]] inline bool ChosenBelow(const Taint& folder, const Taint& name) {
  return name.Has(kUnchecked) && !folder.Has(kToolArgument);
}

}  // namespace interlock::scan::code
