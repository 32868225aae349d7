// What the sources of role bindings have named so far in a session: facts and results, as keyed fingerprints. A newer
// answer of the same source about the same thing takes the older one's place.
//
// Not thread safe. At most `max_entries` answers are kept; further ones are dropped, and then the source is not there.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "interlock/base/json.h"
#include "interlock/core/call.h"
#include "interlock/core/tool.h"
#include "interlock/gate/gate.h"

namespace interlock::gate {

class BindingFacts {
 public:
  explicit BindingFacts(const std::array<std::uint64_t, 2>& key) : key_(key) {}

  // `document` is what the source's path leads into; `arguments` those of the call that it answers (missing for facts).
  // `trusted`: nothing untrusted can have made it say what it says.
  void Add(const core::BindingSource& source, base::JsonValue arguments, base::JsonValue document, bool trusted);
  // For facts and results.
  [[nodiscard]] BindingLookup::Answer Names(const core::BindingSource& source, const core::Call& call,
                                            base::JsonValue value) const;
  // `source` stays where it is until the next Forget: what it is called is worked out once.
  void Know(const core::BindingSource& source);
  void Forget() { ids_.clear(); }

 private:
  struct Answer {
    std::unordered_set<std::uint64_t> contexts;  // things that it says something about
    std::unordered_set<std::uint64_t> values;    // with what it says
    bool trusted = false;
  };
  [[nodiscard]] std::uint64_t IdOf(const core::BindingSource& source) const;
  // The source and which of its answers: by the argument that both calls share.
  [[nodiscard]] std::uint64_t AnswerKey(const core::BindingSource& source, base::JsonValue arguments) const;
  [[nodiscard]] std::uint64_t Chained(std::uint64_t before, base::JsonValue value) const;

  std::array<std::uint64_t, 2> key_;
  std::unordered_map<const core::BindingSource*, std::uint64_t> ids_;
  mutable std::string scratch_;
  std::unordered_map<std::uint64_t, Answer> answers_;
  std::size_t entries_ = 0;
};

}  // namespace interlock::gate
