#include "interlock/runtime/approvals/render.h"

#include <fmt/format.h>

#include <ctime>

#include "interlock/base/json.h"
#include "interlock/base/text.h"

namespace interlock::runtime::approvals {
namespace {

using base::JsonWriter;
using base::Printable;
using base::WallTime;

constexpr std::int64_t kSecond = 1'000'000;
constexpr std::size_t kShownName = 80;
constexpr std::size_t kMaxShownTool = 1024;
constexpr std::size_t kShownText = 2000;
// Every byte may become an escape of up to ten.
constexpr std::size_t kWhole = std::size_t{4} << 20;

std::string Rfc3339(WallTime time) {
  const std::time_t seconds = static_cast<std::time_t>(time.us / kSecond);
  std::tm tm{};
  if (::gmtime_r(&seconds, &tm) == nullptr) return "?";
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}Z", tm.tm_year + 1900, tm.tm_mon + 1, tm.tm_mday, tm.tm_hour,
                     tm.tm_min, tm.tm_sec);
}

std::string Span(std::int64_t us) {
  const std::int64_t s = us / kSecond;
  if (s < 120) return fmt::format("{}s", s);
  if (s < 7200) return fmt::format("{}m", s / 60);
  if (s < 172'800) return fmt::format("{}h", s / 3600);
  return fmt::format("{}d", s / 86'400);
}

std::string Ago(WallTime then, WallTime now) {
  return then.us > now.us ? "in " + Span(then.us - now.us) : Span(now.us - then.us) + " ago";
}

std::string Who(const std::optional<std::string>& principal, const std::optional<std::string>& session) {
  std::string out;
  if (session.has_value()) {
    out = session->empty() ? std::string("unnamed sessions") : "session " + Printable(*session, kShownName);
  }
  if (principal.has_value()) {
    if (!out.empty()) out += ", ";
    out += principal->empty() ? std::string("nobody in particular") : "principal " + Printable(*principal, kShownName);
  }
  return out;
}

std::string SubjectText(const Subject& s) {
  std::string out = "session " + (s.session.empty() ? std::string("(none)") : Printable(s.session, kShownName));
  if (!s.named) out += " (unnamed)";
  if (!s.principal.empty()) out += ", principal " + Printable(s.principal, kShownName);
  return out;
}

std::string ServerText(std::string_view server) {
  return server.empty() ? std::string("any server") : Printable(server, kShownName);
}

JsonWriter& Begin(JsonWriter& w, std::string_view type, std::string_view id) {
  return w.BeginObject().Key("schema").String("interlock.approval/v1").Key("type").String(type).Key("id").String(id);
}

void Optional(JsonWriter& w, std::string_view key, const std::optional<std::string>& text) {
  w.Key(key);
  if (text.has_value()) {
    w.String(*text);
  } else {
    w.Null();
  }
}

void Text(JsonWriter& w, std::string_view key, std::string_view text) {
  if (!text.empty()) w.Key(key).String(text);
}

void Time(JsonWriter& w, std::string_view key, WallTime time) {
  if (time.us != 0) w.Key(key).String(Rfc3339(time));
}

}  // namespace

std::string Line(const Request& r, WallTime now) {
  std::string out =
      fmt::format("{}  {:<8}  {} on {}  {}", r.id, NameOf(r.state), Printable(r.question.tool, kShownName),
                  ServerText(r.question.subject.server), SubjectText(r.question.subject));
  out += fmt::format("  asked {}", Ago(r.asked, now));
  if (r.asks > 1) out += fmt::format(", {} times", r.asks);
  if (r.state == State::kPending) out += ", can be answered for " + Span(r.expires.us - now.us);
  if (!r.approver.empty()) out += ", by " + Printable(r.approver, kShownName);
  if (r.state == State::kGranted) {
    out += fmt::format(", scope {}, good for {}", NameOf(r.scope), Span(r.expires.us - now.us));
  }
  if (r.uses > 0) out += fmt::format(", used {} time{}", r.uses, r.uses == 1 ? "" : "s");
  return out;
}

std::string Line(const Plan& p, WallTime now) {
  std::string out = fmt::format("{}  {:<8}  plan", p.id, NameOf(p.state));
  if (!p.text.title.empty()) out += " `" + Printable(p.text.title, kShownName) + "`";
  out += fmt::format(" on {}  {}, by {}", ServerText(p.text.server), Who(p.principal, p.session),
                     Printable(p.approver, kShownName));
  if (p.state == State::kGranted) out += ", good for " + Span(p.expires.us - now.us);
  if (p.state == State::kVoid) out += ": " + Printable(p.reason);
  return out;
}

std::string Line(const BreakGlass& w, WallTime now) {
  std::string out = fmt::format("{}  {:<8}  break-glass  {}, opened {} by {}: {}", w.id, w.active ? "open" : "over",
                                Who(w.principal, w.session), Ago(w.opened, now), Printable(w.opened_by, kShownName),
                                Printable(w.reason));
  if (w.active) out += ", ends in " + Span(w.expires.us - now.us);
  out += fmt::format("; {} decision{} under it; ", w.decisions, w.decisions == 1 ? "" : "s");
  out += w.reviewed_by.empty() ? std::string("NOT REVIEWED") : "reviewed by " + Printable(w.reviewed_by, kShownName);
  return out;
}

std::string Describe(const Request& r, WallTime now) {
  const Question& q = r.question;
  std::string out = Line(r, now) + "\n";
  const auto row = [&out](std::string_view name, std::string_view text) {
    out += fmt::format("  {:<13} {}\n", name, text);
  };
  if (!q.explanation.empty()) row("why it waits", Printable(q.explanation, kShownText));
  if (const auto evidence = base::JsonDoc::Parse(q.evidence); evidence.ok()) {
    for (const base::JsonValue e : evidence.value().root()) {
      std::string text = Printable(e.Find("layer").string()) + ": " + Printable(e.Find("reason").string());
      if (e.Find("rule").exists()) text += ", rule " + Printable(e.Find("rule").string());
      if (e.Find("pointer").exists()) text += ", at " + Printable(e.Find("pointer").string());
      if (e.Find("text").exists()) text += ": " + Printable(e.Find("text").string(), kShownText);
      row("evidence", text);
    }
  }
  row("server", ServerText(q.subject.server));
  row("tool", Printable(q.tool, kMaxShownTool));
  row("arguments", Printable(q.arguments, kWhole));
  if (q.arguments.find("\"$hash\"") != std::string::npos || q.arguments.find("[secret:") != std::string::npos) {
    row("", "(what looked like a secret stands there as a hash; the approval is for the original)");
  }
  const base::Digest none{};
  row("bound to", "exactly these arguments, call " + q.binding.call.ToHex());
  row("", "the tool's definition " + (q.binding.definition == none ? "(not listed)" : q.binding.definition.ToHex()));
  row("", "the policy " + q.binding.policy.ToHex());
  if (q.binding.preconditions != none) {
    row("", "the results that its preconditions rest on, " + q.binding.preconditions.ToHex());
  }
  row("", "A change of any of these voids it, and so does a restart of the machine.");
  if (!r.approver.empty()) {
    row("answered", fmt::format("{} by {}{}{}", Rfc3339(r.decided), Printable(r.approver, kShownName),
                                r.reason.empty() ? "" : ": ", Printable(r.reason, kShownText)));
  } else if (!r.reason.empty()) {
    row("", Printable(r.reason, kShownText));
  }
  row("asked", Rfc3339(r.asked));
  row("until", Rfc3339(r.expires));
  if (!r.plan.empty()) row("plan", r.plan);
  if (r.state == State::kPending) {
    row("answer", fmt::format("interlock approve grant {0} | interlock approve deny {0} --reason TEXT", r.id));
  }
  return out;
}

std::string Describe(const Plan& p, WallTime now) {
  std::string out = Line(p, now) + "\n";
  for (std::size_t i = 0; i < p.text.steps.size(); ++i) {
    const PlanStep& step = p.text.steps[i];
    const std::uint32_t left = i < p.uses_left.size() ? p.uses_left[i] : step.max_uses;
    out += fmt::format("  step {:<2} {}, {} of {} uses left, arguments within {}\n", i + 1,
                       Printable(step.tool, kMaxShownTool), left, step.max_uses, Printable(step.arguments, kWhole));
  }
  return out;
}

std::string ToJson(const Request& r) {
  const Question& q = r.question;
  std::string out;
  JsonWriter w(out);
  Begin(w, "request", r.id).Key("state").String(NameOf(r.state));
  Text(w, "tenant", q.subject.tenant);
  w.Key("principal").String(q.subject.principal).Key("session").String(q.subject.session);
  w.Key("session_named").Bool(q.subject.named).Key("server").String(q.subject.server).Key("tool").String(q.tool);
  w.Key("arguments").Raw(q.arguments).Key("arguments_bytes").Uint(q.arguments_bytes);
  w.Key("call").String(q.binding.call.ToHex()).Key("definition").String(q.binding.definition.ToHex());
  w.Key("policy").String(q.binding.policy.ToHex()).Key("preconditions").String(q.binding.preconditions.ToHex());
  w.Key("evidence").Raw(q.evidence);
  Text(w, "explanation", q.explanation);
  w.Key("asks").Uint(r.asks);
  Time(w, "asked", r.asked);
  Time(w, "expires", r.expires);
  if (!r.approver.empty()) {
    w.Key("approver").String(r.approver).Key("scope").String(NameOf(r.scope));
    Time(w, "decided", r.decided);
  }
  Text(w, "reason", r.reason);
  w.Key("uses").Uint(r.uses);
  Text(w, "plan", r.plan);
  w.EndObject();
  return out;
}

std::string ToJson(const Plan& p) {
  std::string out;
  JsonWriter w(out);
  Begin(w, "plan", p.id).Key("state").String(NameOf(p.state)).Key("title").String(p.text.title);
  Text(w, "tenant", p.tenant);
  w.Key("server").String(p.text.server);
  Optional(w, "principal", p.principal);
  Optional(w, "session", p.session);
  w.Key("approver").String(p.approver);
  Text(w, "reason", p.reason);
  Time(w, "decided", p.decided);
  Time(w, "expires", p.expires);
  w.Key("steps").BeginArray();
  for (std::size_t i = 0; i < p.text.steps.size(); ++i) {
    const PlanStep& step = p.text.steps[i];
    w.BeginObject().Key("tool").String(step.tool).Key("arguments").Raw(step.arguments);
    w.Key("max_uses").Uint(step.max_uses).Key("uses_left");
    w.Uint(i < p.uses_left.size() ? p.uses_left[i] : step.max_uses).EndObject();
  }
  w.EndArray().EndObject();
  return out;
}

std::string ToJson(const BreakGlass& b) {
  std::string out;
  JsonWriter w(out);
  Begin(w, "break-glass", b.id).Key("active").Bool(b.active);
  Text(w, "tenant", b.tenant);
  Optional(w, "principal", b.principal);
  Optional(w, "session", b.session);
  w.Key("reason").String(b.reason).Key("opened_by").String(b.opened_by);
  Time(w, "opened", b.opened);
  Time(w, "expires", b.expires);
  Time(w, "ended", b.ended);
  w.Key("decisions").Uint(b.decisions);
  Text(w, "reviewed_by", b.reviewed_by);
  Time(w, "reviewed", b.reviewed);
  w.EndObject();
  return out;
}

}  // namespace interlock::runtime::approvals
