#include "interlock/gate/binding_facts.h"

#include <string>
#include <vector>

#include "interlock/base/digest.h"
#include "session_keys.h"

namespace interlock::gate {
namespace {

constexpr std::size_t kMaxEntries = 65'536;
constexpr std::size_t kMaxSteps = 100'000;  // elements looked at in one document

void AddPart(std::string& key, std::string_view part) {
  key += std::to_string(part.size());
  key += ':';
  key += part;
}

std::string_view NextPart(std::string_view& path) {
  path.remove_prefix(1);
  const std::size_t end = std::min(path.find('/'), path.size());
  const std::string_view part = path.substr(0, end);
  path.remove_prefix(end);
  return part;
}

std::string Unescaped(std::string_view part) {
  std::string out;
  for (std::size_t i = 0; i < part.size(); ++i) {
    if (part[i] == '~' && i + 1 < part.size()) {
      out += part[++i] == '0' ? '~' : '/';
    } else {
      out += part[i];
    }
  }
  return out;
}

struct Found {
  base::JsonValue value;
  base::JsonValue element;  // that the last `*` chose, or the document
};

void Walk(base::JsonValue at, std::string_view path, base::JsonValue element, std::size_t& steps,
          std::vector<Found>& out) {
  while (!path.empty()) {
    if (!at.exists() || ++steps > kMaxSteps) return;
    const std::string_view part = NextPart(path);
    if (part == "*") {
      if (!at.is_array() && !at.is_object()) return;
      for (const base::JsonValue child : at) {
        if (steps > kMaxSteps) return;
        Walk(child, path, child, steps, out);
      }
      return;
    }
    at = part.find('~') == std::string_view::npos ? at.FindPointer("/" + std::string(part)) : at.Find(Unescaped(part));
  }
  if (!at.exists()) return;
  // A list stands for each of its values.
  if (at.is_array()) {
    for (const base::JsonValue child : at) {
      if (++steps > kMaxSteps) return;
      out.push_back({child, element});
    }
    return;
  }
  out.push_back({at, element});
}

}  // namespace

std::uint64_t BindingFacts::IdOf(const core::BindingSource& source) const {
  if (const auto known = ids_.find(&source); known != ids_.end()) return known->second;
  std::string key;
  key += static_cast<char>('0' + static_cast<int>(source.kind));
  AddPart(key, source.name);
  AddPart(key, source.path);
  AddPart(key, source.same_argument);
  for (const auto& where : source.where) {
    AddPart(key, where.member);
    AddPart(key, where.argument);
    AddPart(key, where.constant);
  }
  return base::SipHash(key_, key);
}

void BindingFacts::Know(const core::BindingSource& source) { ids_.insert_or_assign(&source, IdOf(source)); }

std::uint64_t BindingFacts::Chained(std::uint64_t before, base::JsonValue value) const {
  scratch_.clear();
  AppendBytes(scratch_, before);
  if (value.exists()) base::AppendCanonicalJson(scratch_, value);
  return base::SipHash(key_, scratch_);
}

std::uint64_t BindingFacts::AnswerKey(const core::BindingSource& source, base::JsonValue arguments) const {
  const std::uint64_t id = IdOf(source);
  return source.same_argument.empty() ? id : Chained(id, arguments.FindPointer(source.same_argument));
}

void BindingFacts::Add(const core::BindingSource& source, base::JsonValue arguments, base::JsonValue document,
                       bool trusted) {
  const std::uint64_t id = AnswerKey(source, arguments);
  if (const auto old = answers_.find(id); old != answers_.end()) {
    entries_ -= old->second.values.size();
    answers_.erase(old);
  }
  std::size_t steps = 0;
  std::vector<Found> found;
  Walk(document, source.path, document, steps, found);
  if (found.empty() || entries_ + found.size() > kMaxEntries) return;
  Answer answer;
  answer.trusted = trusted;
  for (const Found& one : found) {
    std::uint64_t context = id;
    bool fits = true;
    for (const auto& where : source.where) {
      const base::JsonValue member = one.element.Find(where.member);
      fits = fits && member.exists();
      if (!fits) break;
      if (where.argument.empty()) {
        fits = base::CanonicalJson(member) == where.constant;
      } else {
        context = Chained(context, member);
      }
    }
    if (!fits) continue;
    answer.contexts.insert(context);
    answer.values.insert(Chained(context, one.value));
  }
  if (answer.contexts.empty()) return;
  entries_ += answer.values.size();
  answers_.emplace(id, std::move(answer));
}

BindingLookup::Answer BindingFacts::Names(const core::BindingSource& source, const core::Call& call,
                                          base::JsonValue value) const {
  using Reply = BindingLookup::Answer;
  std::uint64_t context = AnswerKey(source, call.arguments);
  const auto at = answers_.find(context);
  if (at == answers_.end()) return Reply::kNoSource;
  for (const auto& where : source.where) {
    if (where.argument.empty()) continue;
    const base::JsonValue argument = call.arguments.FindPointer(where.argument);
    if (!argument.exists()) return Reply::kOther;
    context = Chained(context, argument);
  }
  if (!at->second.contexts.contains(context)) return Reply::kNoSource;
  if (!at->second.values.contains(Chained(context, value))) return Reply::kOther;
  return at->second.trusted ? Reply::kVouches : Reply::kNames;
}

}  // namespace interlock::gate
