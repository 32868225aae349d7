#include "encode.h"

#include <algorithm>
#include <array>

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

// "sha256:" or "hmac-sha256:" and 64 digits, without allocating.
std::string_view DigestText(std::string_view prefix, const Digest& digest, std::array<char, 80>& buffer) noexcept {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  char* out = std::copy(prefix.begin(), prefix.end(), buffer.data());
  for (const std::uint8_t byte : digest.bytes) {
    *out++ = kDigits[byte >> 4U];
    *out++ = kDigits[byte & 15U];
  }
  return {buffer.data(), static_cast<std::size_t>(out - buffer.data())};
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

void Encoder::Name(std::string_view key, std::string_view value) {
  if (!value.empty()) writer_.Key(key).String(Cut(value));
}

void Encoder::Text(std::string_view key, std::string_view value) {
  if (value.empty()) return;
  scratch_.clear();
  bool found = false;
  redactor_.AppendText(value, kMaxTextBytes, scratch_, found);
  writer_.Key(key).String(scratch_);
}

void Encoder::DigestField(std::string_view key, const Digest& digest) {
  if (IsZero(digest)) return;
  std::array<char, 80> buffer{};
  writer_.Key(key).String(DigestText("sha256:", digest, buffer));
}

// A plain digest of a body that holds a secret would let a reader try guesses against it.
void Encoder::BodyDigest(std::string_view key, const Digest& digest, bool keyed) {
  if (IsZero(digest)) return;
  if (!keyed) return DigestField(key, digest);
  std::array<char, 80> buffer{};
  writer_.Key(key).String(DigestText("hmac-sha256:", hasher_.OfDigest(digest), buffer));
}

// Writes the redacted body; true when its digest has to be keyed.
bool Encoder::Body(std::string_view key, JsonValue value, std::size_t max_bytes) {
  if (!value.exists()) return false;
  if (bodies_ == Bodies::kNone) return true;
  scratch_.clear();
  bool found = false;
  const bool whole = redactor_.AppendJson(value, max_bytes, scratch_, found);
  writer_.Key(key);
  if (whole) {
    writer_.Raw(scratch_);
  } else {
    writer_.BeginObject().Key("$omitted").Uint(value.raw().size()).EndObject();
  }
  return found;
}

void Encoder::Labels(const Record& record) {
  if (record.labels.empty()) return;
  writer_.Key("labels").BeginArray();
  for (const std::string_view label : record.labels) writer_.String(Cut(label));
  writer_.EndArray();
}

void Encoder::Decision(const Record& record) {
  if (record.decision != nullptr) {
    const core::Decision& decision = *record.decision;
    writer_.Key("verdict").String(core::NameOf(decision.verdict)).Key("reason").String(core::IdOf(decision.reason));
    if (decision.shadow) writer_.Key("shadow").Bool(true);
    if (!decision.evidence.empty()) {
      writer_.Key("evidence").BeginArray();
      for (std::size_t i = 0; i < std::min(decision.evidence.size(), kMaxEvidence); ++i) {
        const core::Evidence& evidence = decision.evidence[i];
        writer_.BeginObject().Key("layer").String(core::NameOf(evidence.layer));
        writer_.Key("reason").String(core::IdOf(evidence.reason));
        writer_.Key("verdict").String(core::NameOf(evidence.verdict));
        Name("rule", evidence.rule);
        Name("pointer", evidence.pointer);
        Text("text", evidence.text);
        writer_.EndObject();
      }
      writer_.EndArray();
      if (decision.evidence.size() > kMaxEvidence) writer_.Key("evidence_count").Uint(decision.evidence.size());
    }
    if (!decision.errored_rules.empty()) {
      writer_.Key("errored_rules").BeginArray();
      for (std::size_t i = 0; i < std::min(decision.errored_rules.size(), kMaxEvidence); ++i) {
        writer_.String(Cut(decision.errored_rules[i]));
      }
      writer_.EndArray();
    }
  }
  writer_.Key("enforcement").String(core::NameOf(record.enforcement));
  writer_.Key("side_effect").String(core::NameOf(record.side_effect));
  writer_.Key("request").String(record.request_known ? "known" : "unknown").Key("step").Uint(record.step);
  Labels(record);
  const bool keyed = Body("arguments", record.arguments, max_arguments_);
  const bool missing = IsZero(record.arguments_digest) && record.arguments.exists();
  BodyDigest("arguments_digest", missing ? base::DigestOf(record.arguments) : record.arguments_digest, keyed);
  if (record.decision != nullptr && !record.decision->rewritten_arguments.empty() && bodies_ != Bodies::kNone) {
    const base::Result<JsonDoc> rewritten = JsonDoc::Parse(record.decision->rewritten_arguments);
    if (rewritten.ok()) (void)Body("rewritten_arguments", rewritten.value().root(), max_arguments_);
  }
}

void Encoder::Outcome(const Record& record) {
  if (record.decision_row != 0) writer_.Key("decision_row").Uint(record.decision_row);
  writer_.Key("status").String(NameOf(record.status)).Key("trust").String(core::NameOf(record.trust));
  Labels(record);
  writer_.Key("result_bytes").Uint(record.result_bytes);
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
  if (record.count != 0) writer_.Key("count").Uint(record.count);
  DigestField("definition", record.definition);
  if (record.latency_us >= 0) writer_.Key("latency_us").Int(record.latency_us);
  return End();
}

}  // namespace interlock::runtime::audit
