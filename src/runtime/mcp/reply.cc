#include "reply.h"

#include <algorithm>

#include "interlock/base/text.h"

namespace interlock::runtime::mcp {
namespace {

using base::JsonValue;
using base::JsonWriter;

}  // namespace

void AppendError(std::string& out, std::string_view id, int code, std::string_view message, std::string_view data) {
  JsonWriter w(out);
  w.BeginObject().Key("jsonrpc").String("2.0").Key("id");
  if (id.empty()) {
    w.Null();
  } else {
    w.Raw(id);
  }
  w.Key("error").BeginObject().Key("code").Int(code).Key("message").String(message);
  if (!data.empty()) w.Key("data").Raw(data);
  w.EndObject().EndObject();
  out += '\n';
}

std::string DecisionJson(const core::Decision& decision, const base::Digest& call, const base::Digest& policy) {
  std::string out;
  JsonWriter w(out);
  w.BeginObject();
  w.Key("verdict").String(core::NameOf(decision.verdict));
  w.Key("reason").String(core::IdOf(decision.reason));
  if (call != base::Digest{}) w.Key("call").String(call.ToHex());
  if (policy != base::Digest{}) w.Key("policy").String(policy.ToHex());
  w.Key("evidence").BeginArray();
  for (const core::Evidence& e : decision.evidence) {
    w.BeginObject();
    w.Key("layer").String(core::NameOf(e.layer));
    w.Key("reason").String(core::IdOf(e.reason));
    w.Key("verdict").String(core::NameOf(e.verdict));
    if (!e.rule.empty()) w.Key("rule").String(e.rule);
    if (!e.pointer.empty()) w.Key("pointer").String(e.pointer);
    if (!e.text.empty()) w.Key("text").String(e.text);
    w.EndObject();
  }
  w.EndArray();
  if (!decision.errored_rules.empty()) {
    w.Key("errored").BeginArray();
    for (const std::string& rule : decision.errored_rules) w.String(rule);
    w.EndArray();
  }
  w.EndObject();
  return out;
}

void AppendToolError(std::string& out, std::string_view id, bool modern, std::string_view text,
                     std::string_view decision_json) {
  JsonWriter w(out);
  w.BeginObject().Key("jsonrpc").String("2.0").Key("id").Raw(id).Key("result").BeginObject();
  if (modern) w.Key("resultType").String("complete");
  w.Key("content")
      .BeginArray()
      .BeginObject()
      .Key("type")
      .String("text")
      .Key("text")
      .String(text)
      .EndObject()
      .EndArray();
  w.Key("isError").Bool(true);
  if (!decision_json.empty()) w.Key("_meta").BeginObject().Key("interlock/decision").Raw(decision_json).EndObject();
  w.EndObject().EndObject();
  out += '\n';
}

std::string QuotedTool(std::string_view tool) {
  std::string shown = base::Printable(tool, 120);
  std::replace(shown.begin(), shown.end(), '`', '\'');
  return "`" + shown + "`";
}

std::string EditObject(JsonValue object, const ObjectEdit& edit) {
  std::string out;
  out.reserve(object.raw().size() + edit.replacement.size() + 32);
  JsonWriter w(out);
  w.BeginObject();
  bool replaced = edit.replace.empty();
  for (auto it = object.begin(); it != object.end(); ++it) {
    const std::string_view key = it.key();
    if ((!edit.drop_a.empty() && key == edit.drop_a) || (!edit.drop_b.empty() && key == edit.drop_b)) continue;
    w.Key(key);
    if (!edit.replace.empty() && key == edit.replace) {
      w.Raw(edit.replacement);
      replaced = true;
    } else {
      w.Raw((*it).raw());
    }
  }
  if (!replaced && edit.add_missing) w.Key(edit.replace).Raw(edit.replacement);
  w.EndObject();
  return out;
}

std::string ReplaceValue(std::string_view document, JsonValue value, std::string_view replacement) {
  const std::size_t begin = value.offset();
  const std::size_t end = begin + value.raw().size();
  std::string out;
  out.reserve(document.size() - value.raw().size() + replacement.size() + 1);
  out += document.substr(0, begin);
  out += replacement;
  out += document.substr(end);
  if (!out.ends_with('\n')) out += '\n';
  return out;
}

}  // namespace interlock::runtime::mcp
