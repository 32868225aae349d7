#include "tool_book.h"

#include <algorithm>
#include <utility>

#include "reply.h"

namespace interlock::runtime::mcp {

using base::Digest;
using base::JsonValue;
using policy::Pins;
using policy::PinState;

Digest ToolDigest(JsonValue tool) {
  if (!tool.Find("_meta").exists()) return base::DigestOf(tool);
  auto doc =
      base::JsonDoc::Parse(EditObject(tool, {.drop_a = "_meta", .drop_b = {}, .replace = {}, .replacement = {}}));
  INTERLOCK_CHECK(doc.ok(), "members of a parsed object make an object");
  return base::DigestOf(doc.value().root());
}

ToolBook::ToolBook(std::string server, PinsPort* pins, std::size_t max_tools, ScanPort* scan,
                   std::shared_ptr<const PassportTools> passport)
    : server_(std::move(server)),
      accepted_(server_ + std::string(kAcceptedSuffix)),
      port_(pins),
      first_use_(scan),
      passport_(std::move(passport)),
      max_tools_(max_tools) {}

void ToolBook::SetFirstUse(FirstUseScan mode) {
  dirty_ = dirty_ || mode_ != mode;
  mode_ = mode;
}

bool ToolBook::Accepted(std::string_view name, const Digest& whole) const {
  return pins_.CheckTool(accepted_, name, whole) == Pins::Answer::kMatches;
}

bool ToolBook::Holds(const Look& look) const noexcept {
  if (mode_ == FirstUseScan::kOff || look.level == Look::Level::kPass) return false;
  return look.level == Look::Level::kBlock || mode_ == FirstUseScan::kStrict;
}

bool ToolBook::InPassport(std::string_view tool, const Digest& whole) const {
  if (passport_ == nullptr || !passport_->verifies) return true;
  const auto known = passport_->tools.find(tool);
  if (known == passport_->tools.end()) return false;
  return known->second.empty() || std::find(known->second.begin(), known->second.end(), whole) != known->second.end();
}

bool ToolBook::InstructionsHeld() const {
  return instructions_.has_value() && Holds(instructions_look_) &&
         pins_.CheckInstructions(accepted_, *instructions_) != Pins::Answer::kMatches;
}

void ToolBook::Note(const FirstUse::Seen& seen, std::string_view name, const Digest& whole,
                    std::vector<Event>& events) {
  if (!seen.fresh || seen.look.level == Look::Level::kPass || mode_ == FirstUseScan::kOff) return;
  const bool held = Holds(seen.look) && !Accepted(name, whole);
  std::string text = seen.look.rule;
  if (!text.empty() && !seen.look.evidence.empty()) text += ": ";
  text += seen.look.evidence;
  events.push_back(
      {held ? Event::Kind::kScanHeld : Event::Kind::kScanNoted, std::string(name), whole, std::move(text)});
}

void ToolBook::LoadPins(std::vector<Event>& events) {
  if (pins_loaded_) return;
  pins_loaded_ = true;
  if (port_ == nullptr) return;
  auto loaded = port_->Load();
  if (loaded.ok()) {
    pins_ = std::move(loaded.value());
    pins_unusable_ = false;
    return;
  }
  // Not knowing what was accepted is not the same as nothing having been accepted.
  pins_unusable_ = true;
  events.push_back({Event::Kind::kPinsUnusable, {}, {}, loaded.error().ToString()});
}

ToolBook::Hold ToolBook::HoldOf(const Entry& entry) const {
  if (entry.twice) return Hold::kTwice;
  const Pins::Answer answer = pins_.CheckTool(server_, entry.spec.name, entry.spec.definition);
  if (pins_unusable_ || answer == Pins::Answer::kChanged) return Hold::kPins;
  if ((entry.in_passport && !Holds(entry.look)) || Accepted(entry.spec.name, entry.whole)) return Hold::kNone;
  return entry.in_passport ? Hold::kScan : Hold::kPassport;
}

PinState ToolBook::StateOf(const Entry& entry) const {
  if (HoldOf(entry) != Hold::kNone) return PinState::kChanged;
  const Pins::Answer answer = pins_.CheckTool(server_, entry.spec.name, entry.spec.definition);
  return answer == Pins::Answer::kMatches ? PinState::kMatches : PinState::kUnpinned;
}

std::string ToolBook::WhyHeld(std::string_view tool) const {
  const auto known = index_.find(std::string(tool));
  if (known == index_.end()) return {};
  const Entry& entry = entries_[known->second];
  switch (HoldOf(entry)) {
    case Hold::kPassport:
      return "Its definition is not the one in the server's passport.";
    case Hold::kScan:
      return "The scanner holds its definition back" +
             (entry.look.rule.empty() ? std::string(".") : " (rule " + entry.look.rule + ").");
    default:
      return {};
  }
}

void ToolBook::AddPins(const Pins& additions, std::vector<Event>& events) {
  if (additions.servers().empty() || pins_unusable_) return;
  if (port_ != nullptr) {
    auto merged = port_->Add(additions);
    if (merged.ok()) {
      pins_ = std::move(merged.value());
      return;
    }
    events.push_back({Event::Kind::kPinsUnusable, {}, {}, merged.error().ToString()});
  }
  // Kept for this process at least.
  for (const auto& [server, pins] : additions.servers()) {
    if (pins.instructions.has_value()) pins_.PinInstructions(server, *pins.instructions);
    for (const auto& [tool, digest] : pins.tools) pins_.PinTool(server, tool, digest);
  }
}

void ToolBook::ReportHeld() {
  if (port_ == nullptr) return;
  Pins held;
  if (instructions_changed_ && instructions_.has_value()) held.PinInstructions(server_, *instructions_);
  if (InstructionsHeld()) held.PinInstructions(accepted_, *instructions_);
  for (const Entry& entry : entries_) {
    if (entry.twice || StateOf(entry) != PinState::kChanged) continue;
    if (HoldOf(entry) == Hold::kPins) held.PinTool(server_, entry.spec.name, entry.spec.definition);
    if ((!entry.in_passport || Holds(entry.look)) && !Accepted(entry.spec.name, entry.whole)) {
      held.PinTool(accepted_, entry.spec.name, entry.whole);
    }
  }
  for (const auto& [key, entry] : withheld_) {
    if (Holds(entry.look) && !Accepted(key, entry.whole)) held.PinTool(accepted_, key, entry.whole);
  }
  held_reported_ = !held.servers().empty();
  std::string written = held.ToJson();
  if (written == reported_) return;  // a write to the disk for every list would be slow
  reported_ = std::move(written);
  port_->Held(held);
}

ToolBook::Page ToolBook::TakePage(JsonValue tools, std::string_view cursor, std::string_view next, std::uint64_t epoch,
                                  const policy::PolicySnapshot& policy) {
  Page page;
  LoadPins(page.events);
  page.keep.assign(tools.size(), false);
  const bool starts = cursor.empty();
  const bool continues = !starts && !next_cursor_.empty() && cursor == next_cursor_;
  if (starts) {
    entries_.clear();
    index_.clear();
  }
  std::vector<FirstUse::Seen> seen(tools.size());
  if (mode_ != FirstUseScan::kOff) {
    std::vector<std::string_view> raw;
    raw.reserve(tools.size());
    for (const JsonValue tool : tools) raw.push_back(tool.raw());
    seen = first_use_.LookAt(ListPart::kTools, raw);
  }
  Pins additions;
  std::vector<std::size_t> at(tools.size(), SIZE_MAX);
  std::size_t position = 0;
  for (const JsonValue tool : tools) {
    const std::size_t here = position++;
    auto spec = core::ToolSpecFromMcp(tool, server_);
    if (!spec.ok()) {
      page.events.push_back({Event::Kind::kMalformed, {}, {}, spec.error().ToString()});
      continue;
    }
    spec.value().definition = ToolDigest(tool);
    const Digest whole = base::DigestOf(tool);
    const bool in_passport = InPassport(spec.value().name, whole);
    Note(seen[here], spec.value().name, whole, page.events);
    const auto known = index_.find(spec.value().name);
    if (known != index_.end()) {
      Entry& entry = entries_[known->second];
      at[here] = known->second;
      if (entry.spec.definition == spec.value().definition) {
        // Only `_meta` can differ: whichever of the two the client takes, it is the worse one that counts.
        entry.whole = whole;
        entry.in_passport = entry.in_passport && in_passport;
        if (entry.look.level < seen[here].look.level) entry.look = seen[here].look;
        continue;
      }
      if (starts || continues) {
        // SAFETY: two definitions of one name in one list: which of them the client shows is anyone's guess.
        entry.twice = true;
        page.events.push_back({Event::Kind::kTwice, spec.value().name, spec.value().definition, {}});
      } else {
        entry = Entry{std::move(spec.value()), whole, in_passport, std::move(seen[here].look)};  // fetched again
      }
    } else {
      if (entries_.size() >= max_tools_) {
        page.events.push_back({Event::Kind::kTooMany, spec.value().name, {}, {}});
        break;
      }
      at[here] = entries_.size();
      index_.emplace(spec.value().name, entries_.size());
      entries_.push_back(Entry{std::move(spec.value()), whole, in_passport, std::move(seen[here].look)});
    }
  }
  for (const std::size_t i : at) {
    if (i == SIZE_MAX) continue;
    const core::ToolSpec& spec = entries_[i].spec;
    // What is held is not pinned: a pin would outlive the reason for holding it.
    if (HoldOf(entries_[i]) == Hold::kNone &&
        pins_.CheckTool(server_, spec.name, spec.definition) == Pins::Answer::kFirstUse) {
      additions.PinTool(server_, spec.name, spec.definition);
    }
  }
  AddPins(additions, page.events);
  bool held = false;
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (at[i] == SIZE_MAX) {
      page.left_out = true;
      continue;
    }
    const Entry& entry = entries_[at[i]];
    if (StateOf(entry) == PinState::kChanged) {
      page.left_out = held = true;
      if (HoldOf(entry) == Hold::kPins) {
        page.events.push_back({Event::Kind::kChanged, entry.spec.name, entry.spec.definition, {}});
      } else if (HoldOf(entry) == Hold::kPassport) {
        page.events.push_back({Event::Kind::kPassport, entry.spec.name, entry.whole, {}});
      }
    } else if (policy.Overlay(entry.spec).hidden) {
      page.left_out = true;
    } else {
      page.keep[i] = true;
    }
  }
  if (held || (held_reported_ && next.empty())) ReportHeld();
  if (starts || continues) {
    next_cursor_ = std::string(next);
    complete_ = next.empty();
    if (starts) taken_epoch_ = epoch;
    if (epoch < taken_epoch_) taken_epoch_ = epoch;
  }
  seen_ = true;
  dirty_ = true;
  return page;
}

std::shared_ptr<const policy::ToolCatalogue> ToolBook::Catalogue(
    const std::shared_ptr<const policy::PolicySnapshot>& policy) {
  if (!seen_) return nullptr;
  if (!dirty_ && catalogue_ != nullptr && &catalogue_->policy() == policy.get()) return catalogue_;
  std::vector<policy::ToolCatalogue::Listed> listed;
  listed.reserve(entries_.size());
  for (const Entry& entry : entries_) listed.push_back({entry.spec, StateOf(entry)});
  catalogue_ = policy::ToolCatalogue::Build(policy, std::move(listed));
  dirty_ = false;
  return catalogue_;
}

ToolBook::Page ToolBook::TakeEntries(ListPart part, JsonValue entries) {
  Page page;
  LoadPins(page.events);
  page.keep.assign(entries.size(), true);
  if (mode_ == FirstUseScan::kOff) return page;
  std::vector<std::string_view> raw;
  raw.reserve(entries.size());
  for (const JsonValue entry : entries) raw.push_back(entry.raw());
  const std::vector<FirstUse::Seen> seen = first_use_.LookAt(part, raw);
  const bool by_uri = part == ListPart::kResources;
  bool held = false;
  std::size_t position = 0;
  for (const JsonValue entry : entries) {
    const std::size_t here = position++;
    std::string key(NameOf(part));
    key += '/';
    key += entry.Find(by_uri ? "uri" : "name").string();
    const Digest whole = base::DigestOf(entry);
    Note(seen[here], key, whole, page.events);
    if (!Holds(seen[here].look)) {
      withheld_.erase(key);
      continue;
    }
    if (withheld_.size() < max_tools_) withheld_.insert_or_assign(key, Withheld{whole, seen[here].look});
    if (Accepted(key, whole)) continue;
    page.keep[here] = false;
    page.left_out = held = true;
  }
  if (held || held_reported_) ReportHeld();
  return page;
}

bool ToolBook::Withholds(ListPart part, std::string_view name) const {
  std::string key(NameOf(part));
  key += '/';
  key += name;
  const auto found = withheld_.find(key);
  return found != withheld_.end() && Holds(found->second.look) && !Accepted(key, found->second.whole);
}

bool ToolBook::TakeInstructions(JsonValue instructions, std::vector<Event>& events) {
  LoadPins(events);
  instructions_ = base::Sha256(instructions.string());
  instructions_look_ = {};
  if (mode_ != FirstUseScan::kOff && instructions.exists()) {
    FirstUse::Seen seen = std::move(first_use_.LookAt(ListPart::kInstructions, {instructions.raw()}).front());
    instructions_look_ = seen.look;
    if (seen.fresh && seen.look.level != Look::Level::kPass) {
      events.push_back({InstructionsHeld() ? Event::Kind::kScanHeld : Event::Kind::kScanNoted, "instructions",
                        *instructions_, seen.look.rule + ": " + seen.look.evidence});
    }
  }
  switch (pins_.CheckInstructions(server_, *instructions_)) {
    case Pins::Answer::kFirstUse: {
      if (InstructionsHeld()) {
        instructions_changed_ = pins_unusable_;
        break;
      }
      Pins additions;
      additions.PinInstructions(server_, *instructions_);
      AddPins(additions, events);
      // Another proxy may have pinned something else in the meantime.
      instructions_changed_ =
          pins_unusable_ || pins_.CheckInstructions(server_, *instructions_) == Pins::Answer::kChanged;
      break;
    }
    case Pins::Answer::kMatches:
      instructions_changed_ = pins_unusable_;
      break;
    case Pins::Answer::kChanged:
      instructions_changed_ = true;
      break;
  }
  if (instructions_changed_) {
    events.push_back({Event::Kind::kChanged, {}, *instructions_, {}});
  }
  const bool held = instructions_changed_ || InstructionsHeld();
  if (held) ReportHeld();
  return held;
}

bool ToolBook::ReloadPins(std::vector<Event>& events) {
  if (port_ == nullptr) return false;
  std::vector<PinState> before;
  before.reserve(entries_.size());
  for (const Entry& entry : entries_) before.push_back(StateOf(entry));
  const bool instructions_before = instructions_changed_;
  pins_loaded_ = false;
  LoadPins(events);
  if (instructions_.has_value()) {
    instructions_changed_ =
        pins_unusable_ || pins_.CheckInstructions(server_, *instructions_) == Pins::Answer::kChanged;
  }
  bool changed = instructions_before != instructions_changed_;
  for (std::size_t i = 0; i < entries_.size(); ++i) changed = changed || before[i] != StateOf(entries_[i]);
  dirty_ = dirty_ || changed;
  return changed;
}

}  // namespace interlock::runtime::mcp
