#include "first_use.h"

#include <cstring>
#include <string>

namespace interlock::runtime::mcp {

namespace {

constexpr std::size_t kMaxKnown = 20'000;  // a server that changes its texts for ever costs time, not memory

}  // namespace

std::string_view NameOf(ListPart part) noexcept {
  switch (part) {
    case ListPart::kTools:
      return "tools";
    case ListPart::kPrompts:
      return "prompts";
    case ListPart::kResources:
      return "resources";
    case ListPart::kResourceTemplates:
      return "resourceTemplates";
    case ListPart::kInstructions:
      return "instructions";
  }
  return "";
}

std::size_t FirstUse::Hash::operator()(const base::Digest& digest) const noexcept {
  std::size_t hash = 0;
  std::memcpy(&hash, digest.bytes.data(), sizeof(hash));
  return hash;
}

std::vector<FirstUse::Seen> FirstUse::LookAt(ListPart part, const std::vector<std::string_view>& entries) {
  std::vector<Seen> out(entries.size());
  if (port_ == nullptr || entries.empty()) return out;
  std::vector<base::Digest> keys;
  keys.reserve(entries.size());
  std::vector<std::string_view> unknown;
  std::vector<std::size_t> at;
  std::string keyed;
  for (std::size_t i = 0; i < entries.size(); ++i) {
    keyed.assign(NameOf(part));
    keyed += '\n';
    keyed += entries[i];
    keys.push_back(base::Sha256(keyed));
    const auto found = known_.find(keys.back());
    if (found != known_.end()) {
      out[i].look = found->second;
    } else {
      unknown.push_back(entries[i]);
      at.push_back(i);
    }
  }
  if (unknown.empty()) return out;
  std::vector<Look> looks = port_->LookAt(part, unknown);
  // SAFETY: a port that answers for fewer entries than it was given has not looked at the rest.
  looks.resize(unknown.size(), Look{.level = Look::Level::kWarn, .rule = {}, .evidence = "was not looked at"});
  if (known_.size() + at.size() > kMaxKnown) known_.clear();
  for (std::size_t i = 0; i < at.size(); ++i) {
    if (known_.size() < kMaxKnown) known_.emplace(keys[at[i]], looks[i]);
    out[at[i]] = {std::move(looks[i]), true};
  }
  return out;
}

}  // namespace interlock::runtime::mcp
