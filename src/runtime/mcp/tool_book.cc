#include "tool_book.h"

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

ToolBook::ToolBook(std::string server, PinsPort* pins, std::size_t max_tools)
    : server_(std::move(server)), port_(pins), max_tools_(max_tools) {}

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

PinState ToolBook::StateOf(const Entry& entry) const {
  if (entry.twice || pins_unusable_) return PinState::kChanged;
  switch (pins_.CheckTool(server_, entry.spec.name, entry.spec.definition)) {
    case Pins::Answer::kFirstUse:
      return PinState::kUnpinned;
    case Pins::Answer::kMatches:
      return PinState::kMatches;
    case Pins::Answer::kChanged:
      break;
  }
  return PinState::kChanged;
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
  for (const Entry& entry : entries_) {
    if (!entry.twice && StateOf(entry) == PinState::kChanged) {
      held.PinTool(server_, entry.spec.name, entry.spec.definition);
    }
  }
  held_reported_ = !held.servers().empty();
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
    const auto known = index_.find(spec.value().name);
    if (known != index_.end()) {
      Entry& entry = entries_[known->second];
      at[here] = known->second;
      if (entry.spec.definition == spec.value().definition) continue;
      if (starts || continues) {
        // SAFETY: two definitions of one name in one list: which of them the client shows is anyone's guess.
        entry.twice = true;
        page.events.push_back({Event::Kind::kTwice, spec.value().name, spec.value().definition, {}});
      } else {
        entry.spec = std::move(spec.value());  // the page was fetched again
      }
    } else {
      if (entries_.size() >= max_tools_) {
        page.events.push_back({Event::Kind::kTooMany, spec.value().name, {}, {}});
        break;
      }
      at[here] = entries_.size();
      index_.emplace(spec.value().name, entries_.size());
      entries_.push_back(Entry{std::move(spec.value())});
    }
  }
  for (const std::size_t i : at) {
    if (i == SIZE_MAX) continue;
    const core::ToolSpec& spec = entries_[i].spec;
    if (!entries_[i].twice && pins_.CheckTool(server_, spec.name, spec.definition) == Pins::Answer::kFirstUse) {
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
      if (!entry.twice) page.events.push_back({Event::Kind::kChanged, entry.spec.name, entry.spec.definition, {}});
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

bool ToolBook::TakeInstructions(std::string_view instructions, std::vector<Event>& events) {
  LoadPins(events);
  instructions_ = base::Sha256(instructions);
  switch (pins_.CheckInstructions(server_, *instructions_)) {
    case Pins::Answer::kFirstUse: {
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
    ReportHeld();
  }
  return instructions_changed_;
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
