// A Record as the JSON bytes that are hashed and stored.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "crypto.h"
#include "interlock/base/json.h"
#include "interlock/runtime/audit/log.h"
#include "interlock/runtime/audit/record.h"
#include "redact.h"

namespace interlock::runtime::audit {

inline constexpr int kRowVersion = 1;
inline constexpr std::size_t kMaxRecordBytes = std::size_t{1} << 20;
// For reading rows back: deeper than anything the redactor lets through.
inline constexpr base::JsonLimits kRowLimits{
    .max_bytes = 2 * kMaxRecordBytes, .max_depth = 256, .max_values = 2'000'000};
inline constexpr std::size_t kMaxNameBytes = 1024;
inline constexpr std::size_t kMaxTextBytes = 4096;
inline constexpr std::size_t kMaxEvidence = 64;

// Reuses its buffers: no allocation once they have grown. Not thread safe.
class Encoder {
 public:
  Encoder(const LogOptions& options, const KeyedHasher& hasher);

  // The whole row of `record`; the view lives until the next call.
  [[nodiscard]] std::string_view Encode(const Record& record, std::string_view chain, std::uint64_t row,
                                        std::int64_t time_us);
  // For the log's own rows: the common fields, then whatever the caller writes with the returned writer, then `End`.
  base::JsonWriter& Begin(Kind kind, std::string_view chain, std::uint64_t row, std::int64_t time_us);
  [[nodiscard]] std::string_view End();

 private:
  // The hot path writes its text itself: field names are literals that need no escaping, and always follow another.
  void Key(std::string_view key);
  void Number(std::string_view key, std::uint64_t value);
  void Word(std::string_view key, std::string_view value);  // a name of our own: needs no escaping
  void Name(std::string_view key, std::string_view value);
  void Text(std::string_view key, std::string_view value);
  void DigestField(std::string_view key, const base::Digest& digest);
  void BodyDigest(std::string_view key, const base::Digest& digest, bool keyed);
  [[nodiscard]] bool Body(std::string_view key, base::JsonValue value, std::size_t max_bytes,
                          std::span<const std::string> secrets = {});
  void Labels(const Record& record);
  void EvidenceOf(const core::Decision& decision);
  void Decision(const Record& record);
  void Outcome(const Record& record);

  Bodies bodies_;
  std::size_t max_arguments_;
  std::size_t max_result_;
  const KeyedHasher& hasher_;
  Redactor redactor_;
  std::string out_;
  base::JsonWriter writer_{out_};
  std::string scratch_;
};

}  // namespace interlock::runtime::audit
