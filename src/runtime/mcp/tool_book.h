// What the server's tools are, as its lists say, held against the pins. Private to the module; sans-IO.
//
// A list is taken page by page, from the client's own listing or from ours. A tool is held back when its definition is
// not the pinned one, when the same list defines it twice differently, or when the policy hides it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "interlock/base/json.h"
#include "interlock/policy/catalogue.h"
#include "interlock/policy/pins.h"
#include "interlock/policy/snapshot.h"
#include "interlock/runtime/mcp/ports.h"

namespace interlock::runtime::mcp {

class ToolBook {
 public:
  // `pins` may be null.
  ToolBook(std::string server, PinsPort* pins, std::size_t max_tools);

  struct Event {
    enum class Kind : std::uint8_t { kChanged, kTwice, kMalformed, kTooMany, kPinsUnusable } kind;
    std::string tool;
    base::Digest definition;
    std::string text;
  };

  // One page of a tools/list result (`tools` is its array). `cursor` is the one it was asked with, `next` the one it
  // names (both empty when there is none), `epoch` that of the time of asking.
  struct Page {
    std::vector<bool> keep;  // by position in `tools`
    bool left_out = false;
    std::vector<Event> events;
  };
  [[nodiscard]] Page TakePage(base::JsonValue tools, std::string_view cursor, std::string_view next,
                              std::uint64_t epoch, const policy::PolicySnapshot& policy);

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

  // Holds the instructions against the pins, pinning them on first use. True when they differ.
  [[nodiscard]] bool TakeInstructions(std::string_view instructions, std::vector<Event>& events);
  [[nodiscard]] bool instructions_changed() const noexcept { return instructions_changed_; }

  // Reads the pins again. True when what is held back has changed.
  [[nodiscard]] bool ReloadPins(std::vector<Event>& events);
  // Reads the pins for the first time, or does nothing.
  void LoadPins(std::vector<Event>& events);

 private:
  struct Entry {
    core::ToolSpec spec;
    bool twice = false;
  };
  [[nodiscard]] policy::PinState StateOf(const Entry& entry) const;
  void AddPins(const policy::Pins& additions, std::vector<Event>& events);
  void ReportHeld();

  std::string server_;
  PinsPort* port_;
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
  std::shared_ptr<const policy::ToolCatalogue> catalogue_;
};

// DigestOf a listed tool, its `_meta` left out: servers put changing things there.
[[nodiscard]] base::Digest ToolDigest(base::JsonValue tool);

}  // namespace interlock::runtime::mcp
