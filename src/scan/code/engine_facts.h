// What the engine (engine.h) keeps of findings, deeds, conditions, functions and files. Private to src/scan/code.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "code/catalogue.h"
#include "code/flow.h"
#include "code/taint.h"
#include "code/world.h"

namespace interlock::scan::code {

inline constexpr std::size_t kMaxTrail = 400'000;  // steps kept
struct Step {
  std::uint32_t before = 0;  // index + 1
  std::uint32_t module = 0;
  std::uint32_t offset = 0;
  std::string text;
};

// Of a fetched program that is run after somebody has been asked.
inline constexpr double kConfirmed = 0.45;

// Functions or classes that may be meant: module; function or class of it.
using Targets = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
using TargetSpan = std::span<const std::pair<std::uint32_t, std::uint32_t>>;

// What an emitter of events, a stream or a log tells, and who listens: by name of the event.
struct Channel {
  std::vector<std::pair<std::string, Value>> listeners;
  std::unordered_map<std::string, Taint> told;
};

// A finding before its reach is known.
struct Hit {
  RawFinding finding;
  std::uint32_t module = 0;
  FuncId function = kModuleBody;
};
struct UseAt {
  CapabilityUse use;
  std::uint32_t module = 0;
  FuncId function = kModuleBody;
  Role role = Role::kUnlisted;
  bool chosen = false;  // what is run comes from an argument of a tool
  bool shell = false;   // by a shell
};

// Kinds of things that a function does, for findings that need several of them.
using Deeds = std::uint32_t;
inline constexpr Deeds kDidConnect = 1U << 0U;
inline constexpr Deeds kDidDuplicate = 1U << 1U;
inline constexpr Deeds kDidTerminal = 1U << 2U;
inline constexpr Deeds kDidRunShell = 1U << 3U;  // sh, bash, cmd by name
inline constexpr Deeds kDidExecutable = 1U << 4U;
inline constexpr Deeds kDidRawMemory = 1U << 5U;
inline constexpr Deeds kDidPathCheck = 1U << 6U;
inline constexpr Deeds kDidSend = 1U << 7U;
inline constexpr Deeds kDidPipeTwice = 1U << 8U;
inline constexpr Deeds kDidPipe = 1U << 9U;
inline constexpr Deeds kDidProcessList = 1U << 10U;
inline constexpr Deeds kDidPrompt = 1U << 11U;
inline constexpr Deeds kDidFeed = 1U << 12U;   // pipes something into a program
inline constexpr Deeds kDidDrain = 1U << 13U;  // ... and what the program says into something

enum class Trigger : std::uint8_t { kAlways, kText, kTime, kIdentity };
struct Condition {
  std::uint16_t depth = 0;
  Trigger trigger = Trigger::kAlways;
  Loc loc;
  Loc test;             // what is asked; nothing where nobody can see it
  bool dated = false;   // a day that stands in the code
  bool guards = false;  // its body leaves the function: what follows is done only where it does not hold
  bool chance = false;  // what a number drawn at random says
  bool amount = false;  // compares with a number of several digits
};

// A parameter that is sent to a host that stands in the code.
struct SentParam {
  std::uint32_t param = 0;
  std::string host;
  Labels cut = 0;      // what of it is not sent
  bool aside = false;  // nobody waits for the answer, and a failure is hushed up
};

// A parameter that is called, and what it is given there.
struct HandedParam {
  std::uint32_t param = 0;
  Taint given;
};

// A parameter for which callers give a function of a library: its name, "" where they differ.
struct LentParam {
  std::uint32_t param = 0;
  std::string callee;
};

// What callers give as a parameter.
struct GivenText {
  using Fields = std::vector<std::pair<std::string, std::string>>;
  enum class State : std::uint8_t { kNobody, kKnown, kUnknown };
  State state = State::kNobody;  // kUnknown: callers differ, or one of them gives what is not known
  std::string text;              // where all of them say the same
  std::string place;             // where something runs again by itself, if any caller gives such a path
  // Of the one table that all callers give: its texts.
  std::uint64_t table = 0;  // module and expression; 0: none yet
  Fields fields;
};

// A part of a table that is written out (sinks_rows.cc).
struct Cell {
  ExprId expr = kNone;
  FuncId scope = kModuleBody;
  std::string_view text;  // of a key, which is no expression
};

// What the texts of a function are, for all that it writes; each asked once.
struct Held {
  std::optional<bool> runner;     // a command that fetches and runs
  std::optional<bool> harm;       // ... that does harm wherever it stands
  std::optional<bool> fetched;    // ... into a file that some program runs
  std::optional<bool> open_mode;  // a mode of an agent in which nothing is asked
  std::optional<double> emptied;  // its guards are emptied; how sure that is
};

// What of a file packs commands for PowerShell, and texts in it that fetch and run.
struct Packing {
  std::vector<std::string> packers;     // calls of them: "pack("
  std::vector<std::uint32_t> fetchers;  // where their texts begin; ascending
};

// Of a table that callers write out for a parameter, which of its fields carry what (kFieldLabels).
struct GivenFields {
  std::vector<std::pair<std::string, Labels>> fields;
  Labels unknown = 0;  // what any field may carry: some caller gives a table that nobody can see into, or it is changed
  bool looked = false;  // whether the function does more with it than read its parts: then all of it is unknown
};

struct FunctionFacts {
  std::vector<SentParam> sends;
  std::vector<LentParam> lent;
  std::uint32_t spawns = 0;  // parameters that are a whole command line of a program
  std::uint32_t mails = 0;   // ... that are who a mail goes to
  std::vector<HandedParam> handed;
  std::uint32_t computes = 0;       // parameters whose characters a text is computed from
  std::string runner;               // program and words before those that callers give: "git "
  std::uint32_t fetches_to = 0;     // parameters that are paths of files with a stranger's answer in them
  std::uint32_t asks = 0;           // ... that are the address of what it fetches
  std::uint32_t keeps_at = 0;       // ... that are paths of files with an answer of such an address
  std::vector<Taint> in;            // of parameters, from callers
  std::vector<GivenText> texts;     // ... once somebody calls it
  std::vector<GivenFields> fields;  // by parameter; empty: nothing was written out
  Taint out;
  std::vector<std::uint64_t> calls;  // module << 32 | function
  Deeds deeds = 0;
  std::string host;  // last connected to
  Loc connect;       // first places of deeds
  Loc execute;
  std::uint8_t pass = 0;  // last pass that read it
  bool running = false;

  // A parameter is given this, and nobody says by which of its fields.
  void TakeWhole(std::size_t param, const Taint& given) {
    in[param].Join(given);
    if (!given.Has(kFieldLabels)) return;
    if (fields.empty()) fields.resize(in.size());
    fields[param].unknown |= given.labels & kFieldLabels;
  }
};

// Keys of a state that a graph of agents hands on: who writes them, and who reads them.
struct StateWrite {
  std::string key;
  std::uint32_t module = 0;
  FuncId function = kModuleBody;
  Taint taint;
  Labels because = 0;
  std::vector<std::string> sources;  // keys that the value was taken from
  Loc loc;
};
struct StateRead {
  std::string key;
  std::uint32_t module = 0;
  FuncId function = kModuleBody;
};

// One file's state while it is read.
struct ModuleState {
  const ModuleView* view = nullptr;
  std::vector<Taint> slots;
  std::unordered_map<std::uint32_t, Taint> outside;  // what functions put into variables around them
  std::unordered_map<std::uint32_t, Taint> added;    // what the module's body adds to what its variables hold
  std::vector<std::uint16_t> entries;                // of callees and members, by expression; into entries_
  std::vector<std::uint8_t> listed;  // kinds of paths that items of lists are, by expression; once asked
  std::uint64_t steps_left = 0;      // of this pass: one file's tangle costs no other file anything
  bool unfinished = false;
  std::uint32_t programs = 0;      // texts that were judged as the programs that they are
  std::optional<bool> interprets;  // runs texts among the variables of other functions; once asked
  std::optional<bool> frames;      // looks at variables of frames; once asked
  std::optional<bool> wallets;     // holds addresses at which money arrives; once asked
  std::optional<Packing> packing;
  std::optional<std::vector<std::uint32_t>> schemas;  // where its text says ": z."; once asked
};

}  // namespace interlock::scan::code
