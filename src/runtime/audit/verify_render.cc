#include <fmt/format.h>

#include "interlock/base/json.h"
#include "interlock/base/text.h"
#include "interlock/runtime/audit/verify.h"
#include "time_text.h"

namespace interlock::runtime::audit {
namespace {

std::string_view NameOf(ChainReport::End end) {
  switch (end) {
    case ChainReport::End::kClean:
      return "clean";
    case ChainReport::End::kLive:
      return "live";
    case ChainReport::End::kUnclean:
      return "unclean";
    case ChainReport::End::kRecovered:
      return "recovered";
  }
  return "unclean";
}

std::string_view NameOf(VerifyReport::Outcome outcome) {
  switch (outcome) {
    case VerifyReport::Outcome::kIntact:
      return "intact";
    case VerifyReport::Outcome::kUnclean:
      return "unclean";
    case VerifyReport::Outcome::kBroken:
      return "broken";
  }
  return "broken";
}

std::string ChainLine(const ChainReport& chain) {
  std::string line = fmt::format("chain {}: rows {} to {}", chain.chain, chain.first_row, chain.last_row);
  if (chain.rows == 0) line = fmt::format("chain {}: all {} rows pruned", chain.chain, chain.last_row);
  if (chain.first_row > 1 && chain.rows > 0) line += fmt::format(", {} before them pruned", chain.first_row - 1);
  if (chain.last_checkpoint > 0 && chain.rows > 0) line += fmt::format(", signed up to row {}", chain.last_checkpoint);
  if (chain.journal_only_rows > 0) line += fmt::format(", {} only in the journal", chain.journal_only_rows);
  switch (chain.end) {
    case ChainReport::End::kClean:
      line += ", closed";
      break;
    case ChainReport::End::kLive:
      line += ", being written";
      break;
    case ChainReport::End::kUnclean:
      line += fmt::format("; unclean end since row {}", chain.unclean_since);
      break;
    case ChainReport::End::kRecovered:
      line += fmt::format("; unclean end since row {}, recovered and on record", chain.unclean_since);
      break;
  }
  if (chain.torn_bytes > 0) {
    line += fmt::format("; a last record of {} bytes was cut off while being written (never acknowledged)",
                        chain.torn_bytes);
  }
  return line;
}

}  // namespace

std::string RenderVerifyText(const VerifyReport& report) {
  std::string text;
  for (const Finding& finding : report.findings) {
    text += std::string(base::InfoOf(finding.code).id) + " " + std::string(base::InfoOf(finding.code).title);
    if (!finding.chain.empty()) text += ": chain " + base::Printable(finding.chain, 64);
    if (finding.row != 0) text += fmt::format(", row {}", finding.row);
    text += ": " + base::Printable(finding.what, 400) + "\n";
  }
  if (report.finding_count > report.findings.size()) {
    text += fmt::format("... and {} more\n", report.finding_count - report.findings.size());
  }
  for (const ChainReport& chain : report.chains) text += ChainLine(chain) + "\n";
  for (const std::string& note : report.notes) text += "note: " + base::Printable(note, 400) + "\n";
  text += fmt::format("{}: {} rows in {} chains, {} signatures valid", NameOf(report.outcome), report.rows,
                      report.chains.size(), report.signatures);
  if (report.anchors + report.anchors_pruned > 0) text += fmt::format(", {} anchors found", report.anchors);
  if (report.anchors_pruned > 0) text += fmt::format(" and {} pruned", report.anchors_pruned);
  if (report.pruned_rows > 0) text += fmt::format(", {} rows pruned", report.pruned_rows);
  if (report.finding_count > 0) text += fmt::format(", {} findings", report.finding_count);
  text += "\n";
  return text;
}

std::string RenderVerifyJson(const VerifyReport& report) {
  std::string out;
  base::JsonWriter json(out);
  json.BeginObject().Key("schema").String("interlock.audit.verify/v1");
  json.Key("outcome").String(NameOf(report.outcome)).Key("key").String(report.key);
  json.Key("key_from_folder").Bool(report.key_from_folder).Key("rows").Uint(report.rows);
  json.Key("pruned_rows").Uint(report.pruned_rows).Key("signatures").Uint(report.signatures);
  json.Key("anchors").Uint(report.anchors).Key("anchors_pruned").Uint(report.anchors_pruned);
  json.Key("chains").BeginArray();
  for (const ChainReport& chain : report.chains) {
    json.BeginObject().Key("chain").String(chain.chain).Key("end").String(NameOf(chain.end));
    json.Key("first_row").Uint(chain.first_row).Key("last_row").Uint(chain.last_row).Key("rows").Uint(chain.rows);
    json.Key("journal_only_rows").Uint(chain.journal_only_rows).Key("torn_bytes").Uint(chain.torn_bytes);
    json.Key("checkpoints").Uint(chain.checkpoints).Key("last_checkpoint").Uint(chain.last_checkpoint);
    if (chain.last_checkpoint_us != 0) json.Key("last_checkpoint_time").String(TimeText(chain.last_checkpoint_us));
    if (chain.unclean_since != 0) json.Key("unclean_since").Uint(chain.unclean_since);
    json.EndObject();
  }
  json.EndArray().Key("findings").BeginArray();
  for (const Finding& finding : report.findings) {
    json.BeginObject().Key("code").String(base::InfoOf(finding.code).id);
    json.Key("title").String(base::InfoOf(finding.code).title);
    if (!finding.chain.empty()) json.Key("chain").String(finding.chain);
    if (finding.row != 0) json.Key("row").Uint(finding.row);
    json.Key("text").String(finding.what).EndObject();
  }
  json.EndArray().Key("finding_count").Uint(report.finding_count).Key("notes").BeginArray();
  for (const std::string& note : report.notes) json.String(note);
  json.EndArray().EndObject();
  return out;
}

}  // namespace interlock::runtime::audit
