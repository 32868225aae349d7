#include "interlock/policy/pins.h"

#include <string>
#include <utility>

#include "interlock/base/json.h"

namespace interlock::policy {
namespace {

using base::Digest;
using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::Result;

constexpr std::string_view kSchema = "interlock.pins/v1";
constexpr std::size_t kMaxBytes = std::size_t{64} << 20;

Error Bad(JsonValue at, std::string message) {
  base::SourcePlace place;
  if (at.exists()) place.offset = at.offset();
  return Error(ErrorCode::kPolicyPins, std::move(message), std::move(place));
}

Result<Digest> ReadDigest(JsonValue value) {
  const std::string_view text = value.string();
  constexpr std::string_view kPrefix = "sha256:";
  if (value.is_string() && text.starts_with(kPrefix)) {
    if (const auto digest = Digest::FromHex(text.substr(kPrefix.size()))) return *digest;
  }
  return Bad(value, "a digest is `sha256:` and 64 lower-case digits");
}

Result<ServerPins> ReadServer(JsonValue value) {
  if (!value.is_object()) return Bad(value, "a server's pins must be an object");
  ServerPins pins;
  for (auto it = value.begin(); it != value.end(); ++it) {
    if (it.key() == "instructions") {
      Result<Digest> digest = ReadDigest(*it);
      if (!digest.ok()) return digest.error();
      pins.instructions = digest.value();
    } else if (it.key() == "tools" && (*it).is_object()) {
      const JsonValue tools = *it;
      for (auto tool = tools.begin(); tool != tools.end(); ++tool) {
        Result<Digest> digest = ReadDigest(*tool);
        if (!digest.ok()) return digest.error();
        pins.tools.emplace(tool.key(), digest.value());
      }
    } else {
      return Bad(*it, "a server has `instructions` and an object `tools`, nothing else");
    }
  }
  return pins;
}

std::string Written(const Digest& digest) { return "sha256:" + digest.ToHex(); }

}  // namespace

Result<Pins> Pins::Parse(std::string_view json) {
  const Result<base::JsonDoc> doc = base::JsonDoc::Parse(json, {.max_bytes = kMaxBytes, .max_depth = 8});
  if (!doc.ok()) {
    return Error(ErrorCode::kPolicyPins, std::string(doc.error().id()) + ": " + doc.error().message(),
                 doc.error().place());
  }
  const JsonValue root = doc.value().root();
  if (!root.is_object()) return Bad(root, "pins must be an object");
  if (root.Find("schema").string() != kSchema) return Bad(root, "`schema` must be `" + std::string(kSchema) + "`");
  if (!root.Find("servers").is_object()) return Bad(root, "`servers` must be an object");
  Pins pins;
  for (auto it = root.begin(); it != root.end(); ++it) {
    if (it.key() == "schema") continue;
    if (it.key() != "servers") return Bad(*it, "pins have `schema` and `servers`, nothing else");
    const JsonValue servers = *it;
    for (auto server = servers.begin(); server != servers.end(); ++server) {
      Result<ServerPins> read = ReadServer(*server);
      if (!read.ok()) return read.error();
      pins.servers_.emplace(server.key(), std::move(read.value()));
    }
  }
  return pins;
}

// One line a digest: a reviewer sees which tool changed.
std::string Pins::ToJson() const {
  std::string out = "{\n  \"schema\": ";
  base::AppendJsonString(out, kSchema);
  out += ",\n  \"servers\": {";
  const char* server_comma = "\n";
  for (const auto& [name, server] : servers_) {
    out += server_comma;
    server_comma = ",\n";
    out += "    ";
    base::AppendJsonString(out, name);
    out += ": {\n";
    if (server.instructions) out += "      \"instructions\": \"" + Written(*server.instructions) + "\",\n";
    out += "      \"tools\": {";
    const char* tool_comma = "\n";
    for (const auto& [tool, digest] : server.tools) {
      out += tool_comma;
      tool_comma = ",\n";
      out += "        ";
      base::AppendJsonString(out, tool);
      out += ": \"" + Written(digest) + "\"";
    }
    out += server.tools.empty() ? "}\n    }" : "\n      }\n    }";
  }
  out += servers_.empty() ? "}\n}\n" : "\n  }\n}\n";
  return out;
}

Pins::Answer Pins::CheckTool(std::string_view server, std::string_view tool, const Digest& digest) const {
  const auto it = servers_.find(server);
  if (it == servers_.end()) return Answer::kFirstUse;
  const auto pin = it->second.tools.find(std::string(tool));
  if (pin == it->second.tools.end()) return Answer::kFirstUse;
  return pin->second == digest ? Answer::kMatches : Answer::kChanged;
}

Pins::Answer Pins::CheckInstructions(std::string_view server, const Digest& digest) const {
  const auto it = servers_.find(server);
  if (it == servers_.end() || !it->second.instructions) return Answer::kFirstUse;
  return *it->second.instructions == digest ? Answer::kMatches : Answer::kChanged;
}

void Pins::PinTool(std::string_view server, std::string_view tool, const Digest& digest) {
  servers_[std::string(server)].tools.insert_or_assign(std::string(tool), digest);
}

void Pins::PinInstructions(std::string_view server, const Digest& digest) {
  servers_[std::string(server)].instructions = digest;
}

}  // namespace interlock::policy
