#include "interlock/runtime/audit/query.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "db.h"
#include "interlock/base/json.h"
#include "interlock/base/text.h"
#include "io.h"
#include "row_reader.h"
#include "time_text.h"

namespace interlock::runtime::audit {
namespace {

using base::Error;
using base::ErrorCode;
using base::JsonValue;
using base::Result;
using base::Status;

// " key=value", shortened and safe for a terminal; nothing for an empty value.
void AppendField(std::string& line, std::string_view key, std::string_view value) {
  if (value.empty()) return;
  line.append(" ").append(key).append("=").append(base::Printable(value, 80));
}

}  // namespace

Result<RowReader> RowReader::Prepare(const Database& db, const Filter& filter) {
  std::string sql = "SELECT seq, chain, row, t, kind, body, hash FROM rows WHERE seq>?1";
  if (!filter.session.empty()) sql += " AND session=?2";
  if (!filter.tool.empty()) sql += " AND tool=?3";
  if (!filter.chain.empty()) sql += " AND chain=?4";
  if (filter.kind) sql += " AND kind=?5";
  if (filter.verdict) sql += " AND verdict=?6";
  if (filter.since) sql += " AND t>=?7";
  if (filter.until) sql += " AND t<?8";
  const bool newest = filter.newest && filter.limit != 0;
  sql += newest ? " ORDER BY seq DESC" : " ORDER BY seq";
  if (filter.limit != 0) sql += " LIMIT ?9";
  if (newest) sql = "SELECT * FROM (" + sql + ") ORDER BY seq";
  Result<Statement> prepared = db.Prepare(sql);
  if (!prepared.ok()) return prepared.error();
  RowReader reader;
  reader.filter_ = std::make_unique<Filter>(filter);
  reader.statement_ = std::move(prepared.value());
  Statement& statement = reader.statement_;
  const Filter& bound = *reader.filter_;  // bound text is not copied
  statement.BindUnsigned(1, bound.after);
  if (!bound.session.empty()) statement.Bind(2, std::string_view(bound.session));
  if (!bound.tool.empty()) statement.Bind(3, std::string_view(bound.tool));
  if (!bound.chain.empty()) statement.Bind(4, std::string_view(bound.chain));
  if (bound.kind) statement.Bind(5, NameOf(*bound.kind));
  if (bound.verdict) statement.Bind(6, core::NameOf(*bound.verdict));
  if (bound.since) statement.Bind(7, bound.since->us);
  if (bound.until) statement.Bind(8, bound.until->us);
  if (bound.limit != 0) {
    statement.Bind(9, static_cast<std::int64_t>(std::min<std::uint64_t>(bound.limit, INT64_MAX)));
  }
  return reader;
}

bool RowReader::Next(StoredRow& row) {
  if (!statement_.Row()) return false;
  row.seq = statement_.Unsigned(0);
  row.chain = statement_.Text(1);
  row.row = statement_.Unsigned(2);
  row.time_us = statement_.Int(3);
  row.kind = KindFromName(statement_.Text(4)).value_or(Kind::kNotice);
  row.body = statement_.Blob(5);
  row.hash = ToHex(statement_.Blob(6));
  return true;
}

Status ForEachRow(const std::string& dir, const Filter& filter, const std::function<bool(const StoredRow&)>& sink) {
  Result<Database> db = Database::Open(dir, Database::Mode::kRead);
  if (!db.ok()) return db.error();
  Result<RowReader> reader = RowReader::Prepare(db.value(), filter);
  if (!reader.ok()) return reader.error();
  StoredRow row;
  while (reader.value().Next(row)) {
    if (!sink(row)) return {};
  }
  return reader.value().done() ? Status() : db.value().LastError("read audit rows");
}

Result<std::vector<StoredRow>> Query(const std::string& dir, const Filter& filter) {
  std::vector<StoredRow> rows;
  Status status = ForEachRow(dir, filter, [&rows](const StoredRow& row) {
    rows.push_back(row);
    return true;
  });
  if (!status.ok()) return status.error();
  return rows;
}

struct Tail::Impl {
  Database db;
  Filter filter;
};

Tail::Tail(std::unique_ptr<Impl> impl) noexcept : impl_(std::move(impl)) {}
Tail::Tail(Tail&&) noexcept = default;
Tail& Tail::operator=(Tail&&) noexcept = default;
Tail::~Tail() = default;

Result<Tail> Tail::Open(const std::string& dir, Filter filter, std::uint64_t n) {
  Result<Database> db = Database::Open(dir, Database::Mode::kRead);
  if (!db.ok()) return db.error();
  filter.newest = true;
  filter.limit = std::max<std::uint64_t>(n, 1);
  if (n == 0) {
    // From now on: after the last row there is.
    Result<Statement> last = db.value().Prepare("SELECT coalesce(max(seq),0) FROM rows");
    if (!last.ok()) return last.error();
    if (last.value().Row()) filter.after = std::max(filter.after, last.value().Unsigned(0));
    filter.limit = 0;
  }
  return Tail(std::unique_ptr<Impl>(new Impl{std::move(db.value()), std::move(filter)}));
}

Result<std::vector<StoredRow>> Tail::Next() {
  Result<RowReader> reader = RowReader::Prepare(impl_->db, impl_->filter);
  if (!reader.ok()) return reader.error();
  std::vector<StoredRow> rows;
  StoredRow row;
  while (reader.value().Next(row)) rows.push_back(row);
  if (!reader.value().done()) return impl_->db.LastError("read audit rows");
  if (!rows.empty()) impl_->filter.after = rows.back().seq;
  impl_->filter.limit = 0;
  impl_->filter.newest = false;
  return rows;
}

std::string RenderRowText(const StoredRow& row) {
  std::string line =
      fmt::format("{} {}:{} {}", TimeText(row.time_us), base::Printable(row.chain, 8), row.row, NameOf(row.kind));
  const Result<base::JsonDoc> doc = base::JsonDoc::Parse(row.body, kRowLimits);
  if (!doc.ok()) return line + " (row is not valid JSON)";
  const JsonValue root = doc.value().root();
  const auto text = [&root](std::string_view key) { return root.Find(key).string(); };
  for (const std::string_view key : {"verdict", "reason", "enforcement", "status"}) {
    if (!text(key).empty()) line.append(" ").append(base::Printable(text(key), 40));
  }
  if (root.Find("shadow").AsBool().value_or(false)) line += " shadow";
  if (!text("tool").empty()) {
    line.append(" ");
    if (!text("server").empty()) line.append(base::Printable(text("server"), 60)).append("/");
    line.append(base::Printable(text("tool"), 80));
  }
  for (const std::string_view key : {"session", "call", "principal", "environment", "actor", "name"}) {
    AppendField(line, key, text(key));
  }
  for (const std::string_view key : {"count", "over", "of", "latency_us"}) {
    const JsonValue value = root.Find(key);
    AppendField(line, key, value.is_string() ? value.string() : value.number_text());
  }
  if (const JsonValue evidence = root.Find("evidence"); evidence.size() > 0) {
    const JsonValue first = *evidence.begin();
    AppendField(line, "rule", first.Find("rule").string());
    if (!first.Find("text").string().empty()) line += ": " + base::Printable(first.Find("text").string(), 120);
  }
  if (!text("text").empty()) line += ": " + base::Printable(text("text"), 120);
  return line;
}

std::string RenderRowJson(const StoredRow& row) {
  std::string line;
  base::JsonWriter json(line);
  json.BeginObject().Key("schema").String("interlock.audit/v1").Key("seq").Uint(row.seq);
  json.Key("chain").String(row.chain).Key("hash").String(row.hash).Key("row").Raw(row.body).EndObject();
  return line;
}

}  // namespace interlock::runtime::audit
