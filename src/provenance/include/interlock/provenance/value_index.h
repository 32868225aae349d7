// Which labels has a value been seen under in this session? The simple index behind `provenance:` predicates.
//
// Texts (the request, results) are cut into leaves: whole lines, whole JSON strings, and identifying tokens (six
// characters or more with a digit or one of @ : / . _ - + in them: addresses, URLs, paths, account numbers, ids). Each
// leaf is kept as a keyed 64-bit fingerprint with the union of the labels it was seen under. No text is kept, so the
// index can be shared between the proxies of a session through the store.
//
// Bounded: over `max_entries` nothing more is added and every answer says `complete = false`.
// Not thread safe; one a session.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "interlock/base/json.h"
#include "interlock/base/result.h"
#include "interlock/core/call.h"
#include "interlock/policy/snapshot.h"

namespace interlock::provenance {

struct ValueIndexOptions {
  std::array<std::uint64_t, 2> key{};  // keyed fingerprints: hostile text cannot aim at collisions
  std::size_t max_entries = 262'144;
  std::size_t max_text_bytes = std::size_t{8}
                               << 20;  // per AddText; the rest of the text is not indexed and `complete` is lost
};

class ValueIndex final : public policy::OriginLookup {
 public:
  explicit ValueIndex(ValueIndexOptions options);

  void AddText(std::string_view text, core::LabelSet labels);
  // Every string and number inside `value`, keys included.
  void AddJson(base::JsonValue value, core::LabelSet labels);

  // The labels of the whole text if it was seen whole, joined with those of each identifying token in it and of each
  // line of at least 16 characters.
  [[nodiscard]] Answer OriginsOf(std::string_view text) const override;

  [[nodiscard]] bool complete() const noexcept { return complete_; }
  // The policy has changed: policy label i of every entry becomes `policy_labels[i]` (no label where that is zero).
  // Entries stay even when no label is left, so that a later policy that knows the label by name starts from what is
  // seen then.
  void Relabel(std::span<const core::LabelSet> policy_labels);
  // Something of the session was not indexed: from now on absence proves nothing.
  void MarkIncomplete() noexcept { complete_ = false; }
  [[nodiscard]] std::size_t size() const noexcept { return labels_by_print_.size(); }

  // Fingerprints added since the last call, as a compact blob for the store; and the way back (merging, not replacing).
  [[nodiscard]] std::string TakeDelta();
  [[nodiscard]] base::Status MergeDelta(std::string_view blob);
  // The same for a blob of a process with another policy: its policy label i means `policy_labels[i]` here (0:
  // nothing).
  [[nodiscard]] base::Status MergeDelta(std::string_view blob, std::span<const core::LabelSet> policy_labels);

 private:
  void AddText(std::string_view text, core::LabelSet labels, int nested);
  void AddJson(base::JsonValue value, core::LabelSet labels, int nested, int depth);
  void Add(std::string_view leaf, core::LabelSet labels);
  void AddPrint(std::uint64_t print, core::LabelSet labels);
  [[nodiscard]] base::Status Merge(std::string_view blob, const std::span<const core::LabelSet>* policy_labels);
  ValueIndexOptions options_;
  std::unordered_map<std::uint64_t, core::LabelSet> labels_by_print_;
  std::string delta_;
  std::string scratch_;
  bool complete_ = true;
};

}  // namespace interlock::provenance
