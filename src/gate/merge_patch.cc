#include <string>

#include "interlock/gate/gate.h"

namespace interlock::gate {
namespace {

// RFC 7396. Depth is bounded by the JSON reader's own limit on both inputs; members keep the target's order, new ones
// follow in the patch's order, so that an untouched member's bytes stay as they were.
void Merge(base::JsonWriter& out, base::JsonValue target, base::JsonValue patch) {
  if (!patch.is_object()) {
    out.Raw(patch.raw());
    return;
  }
  out.BeginObject();
  if (target.is_object()) {
    for (auto it = target.begin(); it != target.end(); ++it) {
      const base::JsonValue change = patch.Find(it.key());
      if (change.exists() && change.is_null()) continue;
      out.Key(it.key());
      if (change.exists()) {
        Merge(out, *it, change);
      } else {
        out.Raw((*it).raw());
      }
    }
  }
  for (auto it = patch.begin(); it != patch.end(); ++it) {
    if ((*it).is_null()) continue;
    if (target.is_object() && target.Find(it.key()).exists()) continue;
    out.Key(it.key());
    Merge(out, base::JsonValue(), *it);
  }
  out.EndObject();
}

}  // namespace

base::Result<std::string> MergePatch(base::JsonValue target, base::JsonValue patch) {
  if (!target.is_object() || !patch.is_object()) {
    return base::Error(base::ErrorCode::kJsonType, "a merge patch of arguments needs two objects");
  }
  std::string out;
  out.reserve(target.raw().size() + patch.raw().size());
  base::JsonWriter writer(out);
  Merge(writer, target, patch);
  return out;
}

}  // namespace interlock::gate
