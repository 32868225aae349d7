#include "passport_file.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "interlock/base/digest.h"
#include "interlock/base/json.h"
#include "interlock/platform/file.h"
#include "interlock/runtime/audit/keys.h"
#include "interlock/scan/passport.h"

namespace interlock::app {

using base::Error;
using base::ErrorCode;
using runtime::mcp::PassportTools;

// Whether the signature holds, and by whose key: a passport that was to be signed and is not is an error.
base::Result<std::string> CheckPassportSignature(std::string_view passport, const std::string& wanted_key) {
  const base::Result<scan::PassportSignature> signature = scan::SignatureOf(passport);
  if (!signature.ok()) return signature.error();
  if (!signature.value().present) {
    if (!wanted_key.empty())
      return Error(ErrorCode::kPassportFormat, "passport is not signed, a signature was asked for");
    return std::string("not signed");
  }
  const auto key = runtime::audit::PublicKey::FromHex(signature.value().key);
  const base::Result<std::string> message = scan::PassportMessage(passport);
  if (!message.ok()) return message.error();
  if (!key.has_value() || !runtime::audit::MessageSignatureFits(*key, message.value(), signature.value().value)) {
    return Error(ErrorCode::kPassportFormat, "passport's signature does not fit: it was altered");
  }
  if (!wanted_key.empty()) {
    const auto wanted = runtime::audit::PublicKey::FromHex(wanted_key);
    if (!wanted.has_value()) return Error(ErrorCode::kUsage, "--key is not a public key in hex");
    if (*wanted != *key) return Error(ErrorCode::kPassportFormat, "passport is signed by another key");
    return fmt::format("signed by {}", key->Id());
  }
  return fmt::format("signed by {} (a key nobody asked for: pass --key)", key->Id());
}

base::Result<std::shared_ptr<const PassportTools>> ReadPassportTools(const std::string& file,
                                                                     const std::string& wanted_key) {
  const base::Result<std::string> bytes = platform::ReadFile(file, kMaxPassportBytes);
  if (!bytes.ok()) return bytes.error();
  const base::Result<std::string> signature = CheckPassportSignature(bytes.value(), wanted_key);
  if (!signature.ok()) return signature.error().Under(file);
  const auto doc = base::JsonDoc::Parse(bytes.value(), {.max_bytes = kMaxPassportBytes});
  if (!doc.ok()) return doc.error().Under(file);
  const auto wrong = [&](std::string_view what) {
    return Error(ErrorCode::kPassportFormat, std::string(what)).Under(file);
  };
  const base::JsonValue tools = doc.value().root().Find("tools");
  if (!tools.is_array()) return wrong("`tools` is not a list");
  auto out = std::make_shared<PassportTools>();
  for (const base::JsonValue tool : tools) {
    const base::JsonValue name = tool.Find("name");
    const base::JsonValue kind = tool.Find("kind");
    if (!name.is_string() || !kind.is_string()) return wrong("a tool without name or kind");
    if (kind.string() != "mcp-tool") continue;
    std::vector<base::Digest>& digests = out->tools[std::string(name.string())];
    const base::JsonValue definition = tool.Find("definition");
    if (!definition.exists()) continue;
    const auto digest = base::Digest::FromHex(definition.string());
    if (!digest.has_value()) return wrong("a tool's `definition` is not a digest");
    digests.push_back(*digest);
    out->verifies = true;
  }
  out->origin = fmt::format("{} {}, verdict {}", base::Sha256(bytes.value()).ToHex(), signature.value(),
                            doc.value().root().Find("verdict").string());
  return std::shared_ptr<const PassportTools>(std::move(out));
}

}  // namespace interlock::app
