// What the server's tools are, as its lists say, held against the pins. Private to the module; sans-IO.
//
// A list is taken page by page, from the client's own listing or from ours. A tool is held back when its definition is
// not the pinned one or not the passport's, when the scanner's first look says so, when the same list defines it twice
// differently, or when the policy hides it.
//
// A person's word about the passport and the scanner is kept beside the pins, under the server's name with
// kAcceptedSuffix: a pin of first use says only that a definition was there, not that somebody agreed to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "first_use.h"
#include "interlock/base/json.h"
#include "interlock/policy/catalogue.h"
#include "interlock/policy/pins.h"
#include "interlock/policy/snapshot.h"
#include "interlock/runtime/mcp/ports.h"
#include "interlock/runtime/mcp/proxy_core.h"

namespace interlock::runtime::mcp {

inline constexpr std::string_view kAcceptedSuffix = "@accepted";

class ToolBook {
 public:
  // `pins` and `scan` may be null.
  ToolBook(std::string server, PinsPort* pins, std::size_t max_tools, ScanPort* scan = nullptr,
           std::shared_ptr<const PassportTools> passport = nullptr);

  struct Event {
    enum class Kind : std::uint8_t {
      kChanged,
      kTwice,
      kMalformed,
      kTooMany,
      kPinsUnusable,
      kPassport,   // not the passport's definition, or one that it does not know
      kScanHeld,   // `text`: rule and evidence
      kScanNoted,  // looked at, passes
    } kind;
    std::string tool;  // or "prompts/NAME" "resources/URI" "instructions"
    base::Digest definition;
    std::string text;
  };

  // From now on; what was looked at stays looked at.
  void SetFirstUse(FirstUseScan mode);

  // One page of a tools/list result (`tools` is its array). `cursor` is the one it was asked with, `next` the one it
  // names (both empty when there is none), `epoch` that of the time of asking.
  struct Page {
    std::vector<bool> keep;  // by position in `tools`
    bool left_out = false;
    std::vector<Event> events;
  };
  [[nodiscard]] Page TakePage(base::JsonValue tools, std::string_view cursor, std::string_view next,
                              std::uint64_t epoch, const policy::PolicySnapshot& policy);

  // The same for an answer to prompts/list, resources/list or resources/templates/list, which has no order to keep.
  [[nodiscard]] Page TakeEntries(ListPart part, base::JsonValue entries);
  // The prompt (by name) or resource (by URI) was held back when it was last listed, and nobody has accepted it.
  [[nodiscard]] bool Withholds(ListPart part, std::string_view name) const;
  // Why a tool is held back, without a word of the server's. Empty: the pins.
  [[nodiscard]] std::string WhyHeld(std::string_view tool) const;

  // The server says that its list has changed.
  void MarkStale() noexcept { ++epoch_; }
  [[nodiscard]] std::uint64_t epoch() const noexcept { return epoch_; }
  // A list was seen and nothing says that it is out of date.
  [[nodiscard]] bool fresh() const noexcept { return seen_ && taken_epoch_ == epoch_; }
  [[nodiscard]] bool complete() const noexcept { return complete_; }
  [[nodiscard]] bool Knows(std::string_view tool) const { return index_.contains(std::string(tool)); }

  // Null until a list was seen. Built when something has changed since the last time.
  [[nodiscard]] std::shared_ptr<const policy::ToolCatalogue> Catalogue(
      const std::shared_ptr<const policy::PolicySnapshot>& policy);

  // Holds the instructions (a JSON string, or nothing) against the pins, pinning them on first use, and has them looked
  // at. True when they are held back.
  [[nodiscard]] bool TakeInstructions(base::JsonValue instructions, std::vector<Event>& events);
  // They differ from the pinned ones: more than their text may have changed.
  [[nodiscard]] bool instructions_changed() const noexcept { return instructions_changed_; }

  // Reads the pins again. True when what is held back has changed.
  [[nodiscard]] bool ReloadPins(std::vector<Event>& events);
  // Reads the pins for the first time, or does nothing.
  void LoadPins(std::vector<Event>& events);

 private:
  struct Entry {
    core::ToolSpec spec;
    base::Digest whole = {};  // with its `_meta`: what the passport has and a person accepts
    bool in_passport = true;
    Look look = {};
    bool twice = false;
  };
  struct Withheld {
    base::Digest whole;
    Look look;
  };
  enum class Hold : std::uint8_t { kNone, kTwice, kPins, kPassport, kScan };
  [[nodiscard]] Hold HoldOf(const Entry& entry) const;
  [[nodiscard]] bool Accepted(std::string_view name, const base::Digest& whole) const;
  [[nodiscard]] bool Holds(const Look& look) const noexcept;
  [[nodiscard]] bool InPassport(std::string_view tool, const base::Digest& whole) const;
  [[nodiscard]] bool InstructionsHeld() const;
  void Note(const FirstUse::Seen& seen, std::string_view name, const base::Digest& whole, std::vector<Event>& events);
  [[nodiscard]] policy::PinState StateOf(const Entry& entry) const;
  void AddPins(const policy::Pins& additions, std::vector<Event>& events);
  void ReportHeld();

  std::string server_;
  std::string accepted_;  // the name that people's acceptances stand under
  PinsPort* port_;
  FirstUse first_use_;
  FirstUseScan mode_ = FirstUseScan::kOn;
  std::shared_ptr<const PassportTools> passport_;
  std::unordered_map<std::string, Withheld> withheld_;  // "prompts/NAME"
  Look instructions_look_;
  std::size_t max_tools_;
  policy::Pins pins_;
  bool pins_loaded_ = false;
  bool pins_unusable_ = false;  // the file cannot be read: everything counts as changed
  std::vector<Entry> entries_;
  std::unordered_map<std::string, std::size_t> index_;
  std::string next_cursor_;  // that continues the list
  bool seen_ = false;
  bool complete_ = false;
  std::uint64_t epoch_ = 0;
  std::uint64_t taken_epoch_ = 0;
  std::optional<base::Digest> instructions_;
  bool instructions_changed_ = false;
  bool dirty_ = false;
  bool held_reported_ = false;
  std::string reported_;  // what was held at the last report
  std::shared_ptr<const policy::ToolCatalogue> catalogue_;
};

// DigestOf a listed tool, its `_meta` left out: servers put changing things there.
[[nodiscard]] base::Digest ToolDigest(base::JsonValue tool);

}  // namespace interlock::runtime::mcp
