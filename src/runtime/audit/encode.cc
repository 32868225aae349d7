#include "encode.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace interlock::runtime::audit {
namespace {

using base::Digest;
using base::JsonDoc;
using base::JsonValue;
using base::JsonWriter;

struct KindRow {
  Kind kind;
  std::string_view name;
};
constexpr std::array<KindRow, kKindCount> kKinds = {{
    {Kind::kSessionStart, "session.start"},
    {Kind::kSessionEnd, "session.end"},
    {Kind::kSessionLabel, "session.label"},
    {Kind::kDecision, "decision"},
    {Kind::kOutcome, "outcome"},
    {Kind::kApprovalAsked, "approval.asked"},
    {Kind::kApprovalAnswered, "approval.answered"},
    {Kind::kApprovalUsed, "approval.used"},
    {Kind::kApprovalVoid, "approval.void"},
    {Kind::kBreakGlass, "break-glass"},
    {Kind::kToolsAccepted, "tools.accepted"},
    {Kind::kToolsChanged, "tools.changed"},
    {Kind::kPolicyLoaded, "policy.loaded"},
    {Kind::kNotice, "notice"},
    {Kind::kChainOpen, "chain.open"},
    {Kind::kChainClose, "chain.close"},
    {Kind::kCheckpoint, "checkpoint"},
    {Kind::kRecovered, "recovered"},
    {Kind::kKeyRotated, "key.rotated"},
    {Kind::kPruned, "pruned"},
}};

bool IsZero(const Digest& digest) noexcept { return digest == Digest{}; }

std::string_view Cut(std::string_view name) noexcept {
  if (name.size() <= kMaxNameBytes) return name;
  std::size_t cut = kMaxNameBytes;
  while (cut > 0 && (static_cast<unsigned char>(name[cut]) & 0xC0U) == 0x80U) --cut;
  return name.substr(0, cut);
}

void AppendNumber(std::string& out, std::uint64_t value) {
  std::array<char, 24> buffer{};
  const auto end = std::to_chars(buffer.data(), buffer.data() + buffer.size(), value).ptr;
  out.append(buffer.data(), static_cast<std::size_t>(end - buffer.data()));
}

void AppendDigest(std::string& out, std::string_view prefix, const Digest& digest) {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  out.push_back('"');
  out.append(prefix);
  const std::size_t at = out.size();
  out.resize(at + 65);
  char* to = out.data() + at;
  for (const std::uint8_t byte : digest.bytes) {
    *to++ = kDigits[byte >> 4U];
    *to++ = kDigits[byte & 15U];
  }
  *to = '"';
}

}  // namespace

std::string_view NameOf(Kind kind) noexcept {
  for (const KindRow& row : kKinds) {
    if (row.kind == kind) return row.name;
  }
  return "notice";
}

std::optional<Kind> KindFromName(std::string_view name) noexcept {
  for (const KindRow& row : kKinds) {
    if (row.name == name) return row.kind;
  }
  return std::nullopt;
}

std::string_view NameOf(CallStatus status) noexcept {
  switch (status) {
    case CallStatus::kOk:
      return "ok";
    case CallStatus::kError:
      return "error";
    case CallStatus::kTimeout:
      return "timeout";
    case CallStatus::kUpstreamGone:
      return "upstream_gone";
    case CallStatus::kWithheld:
      return "withheld";
  }
  return "error";
}

Encoder::Encoder(const LogOptions& options, const KeyedHasher& hasher)
    : bodies_(options.bodies),
      max_arguments_(options.max_arguments_bytes),
      max_result_(options.max_result_bytes),
      hasher_(hasher),
      redactor_(hasher) {}

JsonWriter& Encoder::Begin(Kind kind, std::string_view chain, std::uint64_t row, std::int64_t time_us) {
  out_.clear();
  writer_.BeginObject().Key("v").Int(kRowVersion).Key("chain").String(chain).Key("row").Uint(row);
  writer_.Key("t").Int(time_us).Key("kind").String(NameOf(kind));
  return writer_;
}

std::string_view Encoder::End() {
  writer_.EndObject();
  return out_;
}

void Encoder::Key(std::string_view key) { out_.append(",\"").append(key).append("\":"); }

void Encoder::Number(std::string_view key, std::uint64_t value) {
  Key(key);
  AppendNumber(out_, value);
}

void Encoder::Word(std::string_view key, std::string_view value) {
  Key(key);
  out_.append("\"").append(value).append("\"");
}

void Encoder::Name(std::string_view key, std::string_view value) {
  if (value.empty()) return;
  Key(key);
  base::AppendJsonString(out_, Cut(value));
}

void Encoder::Text(std::string_view key, std::string_view value) {
  if (value.empty()) return;
  scratch_.clear();
  bool found = false;
  redactor_.AppendText(value, kMaxTextBytes, scratch_, found);
  Key(key);
  base::AppendJsonString(out_, scratch_);
}

void Encoder::DigestField(std::string_view key, const Digest& digest) {
  if (IsZero(digest)) return;
  Key(key);
  AppendDigest(out_, "sha256:", digest);
}

// A plain digest of a body that holds a secret would let a reader try guesses against it.
void Encoder::BodyDigest(std::string_view key, const Digest& digest, bool keyed) {
  if (IsZero(digest)) return;
  if (!keyed) return DigestField(key, digest);
  Key(key);
  AppendDigest(out_, "hmac-sha256:", hasher_.OfDigest(digest));
}

// Writes the redacted body; true when its digest has to be keyed.
bool Encoder::Body(std::string_view key, JsonValue value, std::size_t max_bytes, std::span<const std::string> secrets) {
  if (!value.exists()) return false;
  if (bodies_ == Bodies::kNone) return true;
  Key(key);
  const std::size_t at = out_.size();
  bool found = false;
  if (!redactor_.AppendJson(value, max_bytes, out_, found, secrets)) {
    out_.resize(at);
    out_.append("{\"$omitted\":");
    AppendNumber(out_, value.raw().size());
    out_.push_back('}');
  }
  return found;
}

void Encoder::Labels(const Record& record) {
  if (record.labels.empty()) return;
  Key("labels");
  char separator = '[';
  for (const std::string_view label : record.labels) {
    out_.push_back(separator);
    base::AppendJsonString(out_, Cut(label));
    separator = ',';
  }
  out_.push_back(']');
}

void Encoder::EvidenceOf(const core::Decision& decision) {
  Key("evidence");
  char separator = '[';
  for (std::size_t i = 0; i < std::min(decision.evidence.size(), kMaxEvidence); ++i) {
    const core::Evidence& evidence = decision.evidence[i];
    out_.push_back(separator);
    separator = ',';
    out_.append("{\"layer\":\"").append(core::NameOf(evidence.layer)).append("\"");
    Word("reason", core::IdOf(evidence.reason));
    Word("verdict", core::NameOf(evidence.verdict));
    Name("rule", evidence.rule);
    Name("pointer", evidence.pointer);
    Text("text", evidence.text);
    out_.push_back('}');
  }
  out_.push_back(']');
  if (decision.evidence.size() > kMaxEvidence) Number("evidence_count", decision.evidence.size());
}

void Encoder::Decision(const Record& record) {
  if (record.decision != nullptr) {
    const core::Decision& decision = *record.decision;
    Word("verdict", core::NameOf(decision.verdict));
    Word("reason", core::IdOf(decision.reason));
    if (decision.shadow) out_.append(",\"shadow\":true");
    if (!decision.evidence.empty()) EvidenceOf(decision);
    if (!decision.errored_rules.empty()) {
      Key("errored_rules");
      char separator = '[';
      for (std::size_t i = 0; i < std::min(decision.errored_rules.size(), kMaxEvidence); ++i) {
        out_.push_back(separator);
        base::AppendJsonString(out_, Cut(decision.errored_rules[i]));
        separator = ',';
      }
      out_.push_back(']');
    }
  }
  Word("enforcement", core::NameOf(record.enforcement));
  Word("side_effect", core::NameOf(record.side_effect));
  Word("request", record.request_known ? "known" : "unknown");
  Number("step", record.step);
  Labels(record);
  const bool keyed = Body("arguments", record.arguments, max_arguments_, record.secret_arguments);
  const bool missing = IsZero(record.arguments_digest) && record.arguments.exists();
  BodyDigest("arguments_digest", missing ? base::DigestOf(record.arguments) : record.arguments_digest, keyed);
  if (record.decision != nullptr && !record.decision->rewritten_arguments.empty() && bodies_ != Bodies::kNone) {
    const base::Result<JsonDoc> rewritten = JsonDoc::Parse(record.decision->rewritten_arguments);
    if (rewritten.ok()) {
      (void)Body("rewritten_arguments", rewritten.value().root(), max_arguments_, record.secret_arguments);
    } else {
      out_.append(",\"rewritten_arguments\":{\"$omitted\":");
      AppendNumber(out_, record.decision->rewritten_arguments.size());
      out_.push_back('}');
    }
  }
}

void Encoder::Outcome(const Record& record) {
  if (record.decision_row != 0) Number("decision_row", record.decision_row);
  Word("status", NameOf(record.status));
  Word("trust", core::NameOf(record.trust));
  Labels(record);
  Number("result_bytes", record.result_bytes);
  const bool keyed = Body("result", record.result, max_result_);
  const bool missing = IsZero(record.result_digest) && record.result.exists();
  BodyDigest("result_digest", missing ? base::Sha256(record.result.raw()) : record.result_digest, keyed);
}

std::string_view Encoder::Encode(const Record& record, std::string_view chain, std::uint64_t row,
                                 std::int64_t time_us) {
  Begin(record.kind, chain, row, time_us);
  Name("session", record.session);
  Name("principal", record.principal);
  Name("environment", record.environment);
  Name("profile", record.profile);
  DigestField("policy", record.policy);
  Name("server", record.server);
  Name("tool", record.tool);
  Name("call", record.call);
  if (record.kind == Kind::kDecision) Decision(record);
  if (record.kind == Kind::kOutcome) Outcome(record);
  Name("actor", record.actor);
  Name("name", record.name);
  Text("text", record.text);
  if (record.count != 0) Number("count", record.count);
  DigestField("definition", record.definition);
  if (record.latency_us >= 0) Number("latency_us", static_cast<std::uint64_t>(record.latency_us));
  return End();
}

}  // namespace interlock::runtime::audit
