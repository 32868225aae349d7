// Rows as JSON and as text, and the pivot that both text and HTML show.
#include "interlock/eval/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "interlock/base/json.h"
#include "interlock/base/text.h"
#include "report_pivot.h"

namespace interlock::eval {
namespace {

template <class T>
std::size_t IndexOrAdd(std::vector<T>& values, const T& value) {
  const auto it = std::find(values.begin(), values.end(), value);
  if (it != values.end()) return static_cast<std::size_t>(it - values.begin());
  values.push_back(value);
  return values.size() - 1;
}

// What people see of a name from data: no control characters, no colours of the terminal.
std::string Shown(std::string_view text) { return base::Printable(text, 400); }

// Columns as wide as their widest cell; the first `left` columns flush left. What is wider than a terminal is shown in
// blocks below each other, the left columns in each.
class Grid {
 public:
  explicit Grid(std::size_t left) : left_(left) {}
  void Add(std::vector<std::string> line) {
    widths_.resize(std::max(widths_.size(), line.size()));
    for (std::size_t i = 0; i < line.size(); ++i) widths_[i] = std::max(widths_[i], line[i].size());
    lines_.push_back(std::move(line));
  }
  void AppendTo(std::string& out) const {
    std::size_t from = std::min(left_, widths_.size());
    std::size_t base = 1;
    for (std::size_t i = 0; i < from; ++i) base += widths_[i] + 1;
    do {
      if (from > left_) out += "\n";
      std::size_t width = base;
      std::size_t to = from;
      while (to < widths_.size() && (to == from || width + widths_[to] + 2 <= kWidest)) width += widths_[to++] + 2;
      // One column alone in a last block would be lost from sight: it stays with the others.
      if (to + 1 == widths_.size()) to = widths_.size();
      AppendBlock(out, from, to);
      from = to;
    } while (from < widths_.size());
  }

 private:
  static constexpr std::size_t kWidest = 180;
  void AppendBlock(std::string& out, std::size_t from, std::size_t to) const {
    for (const std::vector<std::string>& line : lines_) {
      std::string text = " ";
      for (std::size_t i = 0; i < std::min(left_, line.size()); ++i) {
        text += fmt::format(" {:<{}}", line[i], widths_[i]);
      }
      for (std::size_t i = from; i < std::min(to, line.size()); ++i) {
        text += fmt::format("  {:>{}}", line[i], widths_[i]);
      }
      text.erase(text.find_last_not_of(' ') + 1);
      out += text + "\n";
    }
  }

  std::size_t left_;
  std::vector<std::vector<std::string>> lines_;
  std::vector<std::size_t> widths_;
};

std::string CellText(const EvalRow* row, bool with_n) {
  if (row == nullptr) return "-";
  std::string out = FigureText(*row);
  if (const std::string interval = IntervalText(*row); !interval.empty()) out += " " + interval;
  if (with_n && row->n != 0) out += fmt::format(" of {}", row->n);
  return out;
}

void AppendTable(std::string& out, const EvalReport& report, const TableLayout& table) {
  const Pivot pivot = MakePivot(report.rows, table.table, table.shape);
  out += fmt::format("\n{}\n", Shown(table.title));
  if (!table.note.empty()) out += "  " + Shown(table.note) + "\n";
  const bool by_split = table.shape == TableShape::kBySplit;
  Grid grid(2);
  std::vector<std::string> head{by_split ? "row" : "split", by_split ? "figure" : "row"};
  for (const std::string& name : pivot.across) head.push_back(Shown(name));
  if (by_split) head.emplace_back("n");
  grid.Add(std::move(head));
  for (const Pivot::Line& line : pivot.lines) {
    std::vector<std::string> cells{Shown(line.first), Shown(line.second)};
    for (const EvalRow* cell : line.cells) cells.push_back(CellText(cell, !by_split));
    if (by_split) cells.push_back(line.n == 0 ? "" : std::to_string(line.n));
    grid.Add(std::move(cells));
  }
  grid.AppendTo(out);
  for (const auto& [about, reason] : pivot.notes) out += fmt::format("  {}: {}\n", Shown(about), Shown(reason));
}

}  // namespace

void AppendEvalRow(std::string& out, const EvalRow& row) {
  base::JsonWriter writer(out);
  const auto number = [&](std::string_view key, const std::optional<double>& value) {
    writer.Key(key);
    if (value) {
      writer.Double(std::round(*value * 1e4) / 1e4);
    } else {
      writer.Null();
    }
  };
  writer.BeginObject().Key("table").String(row.table).Key("split").String(row.split);
  writer.Key("row").String(row.row).Key("column").String(row.column);
  number("value", row.value);
  number("low", row.low);
  number("high", row.high);
  writer.Key("n").Uint(row.n);
  number("published", row.published);
  writer.Key("reason").String(row.reason).EndObject();
}

std::string ReportJson(const EvalReport& report) {
  std::string out;
  base::JsonWriter writer(out);
  writer.BeginObject().Key("schema").String("interlock.eval/v1").Key("eval").String(report.eval);
  writer.Key("command").String(report.command).Key("data").String(report.data).Key("seed").Uint(report.seed);
  writer.Key("rows").BeginArray();
  for (const EvalRow& row : report.rows) {
    std::string one;
    AppendEvalRow(one, row);
    writer.Raw(one);
  }
  writer.EndArray().EndObject();
  out.push_back('\n');
  return out;
}

std::string ReportText(const EvalReport& report, const ReportLayout& layout) {
  std::string out;
  for (const SectionLayout& section : SectionsShown(report, layout)) {
    out += fmt::format("{}== {} ==\n", out.empty() ? "" : "\n", Shown(section.title));
    for (const TableLayout& table : section.tables) AppendTable(out, report, table);
  }
  out += fmt::format("{}== Summary ==\n", out.empty() ? "" : "\n");
  Grid grid(1);
  std::vector<std::string> head{""};
  for (const std::string& heading : layout.headings) {
    head.push_back(Shown(fmt::format("{} {}", heading, fmt::join(layout.figures, " / "))));
  }
  grid.Add(std::move(head));
  for (const SummaryLine& line : layout.summary) {
    std::vector<std::string> cells{Shown(line.title)};
    bool any = false;
    for (const SummaryPick& pick : line.picks) {
      std::vector<std::string> figures;
      for (const std::string& figure : layout.figures) {
        const EvalRow* const row = FindRow(report.rows, pick, figure);
        figures.push_back(row == nullptr ? "-" : FigureText(*row));
        any = any || row != nullptr;
      }
      cells.push_back(fmt::format("{}", fmt::join(figures, " / ")));
    }
    if (any) grid.Add(std::move(cells));
  }
  grid.AppendTo(out);
  for (const auto& [name, value] : report.facts) out += fmt::format("  {}: {}\n", Shown(name), Shown(value));
  out += fmt::format("  seed: {}\n  command: {}\n", report.seed, Shown(report.command));
  return out;
}

Pivot MakePivot(const std::vector<EvalRow>& rows, std::string_view table, TableShape shape) {
  const bool by_split = shape == TableShape::kBySplit;
  Pivot pivot;
  std::vector<std::pair<std::string, std::string>> keys;
  // Split -> reason -> the lines it is about, as first seen.
  struct Reasons {
    std::vector<std::string> texts;
    std::vector<std::vector<std::string>> about;
  };
  std::vector<std::string> splits;
  std::vector<Reasons> reasons;
  for (const EvalRow& row : rows) {
    if (row.table != table) continue;
    const std::size_t across = IndexOrAdd(pivot.across, by_split ? row.split : row.column);
    const std::size_t at = IndexOrAdd(keys, by_split ? std::pair(row.row, row.column) : std::pair(row.split, row.row));
    if (at == pivot.lines.size()) {
      pivot.lines.push_back({.first = keys[at].first, .second = keys[at].second, .cells = {}, .n = 0});
    }
    Pivot::Line& line = pivot.lines[at];
    line.cells.resize(std::max(line.cells.size(), across + 1));
    line.cells[across] = &row;
    line.n = std::max(line.n, row.n);
    if (row.reason.empty() || row.reason == "as printed") continue;
    const std::size_t split = IndexOrAdd(splits, row.split);
    reasons.resize(splits.size());
    const std::size_t text = IndexOrAdd(reasons[split].texts, row.reason);
    reasons[split].about.resize(reasons[split].texts.size());
    IndexOrAdd(reasons[split].about[text], by_split ? row.row + " " + row.column : row.row);
  }
  for (Pivot::Line& line : pivot.lines) line.cells.resize(pivot.across.size());
  for (std::size_t i = 0; i < splits.size(); ++i) {
    for (std::size_t j = 0; j < reasons[i].texts.size(); ++j) {
      constexpr std::size_t kNamed = 3;
      const std::vector<std::string>& about = reasons[i].about[j];
      std::string name = splits[i];
      if (reasons[i].texts.size() > 1 && about.size() <= kNamed) {
        name += fmt::format(" ({})", fmt::join(about, ", "));
      } else if (reasons[i].texts.size() > 1) {
        name += fmt::format(" ({} and {} more)", about.front(), about.size() - 1);
      }
      pivot.notes.emplace_back(std::move(name), reasons[i].texts[j]);
    }
  }
  return pivot;
}

std::vector<SectionLayout> SectionsShown(const EvalReport& report, const ReportLayout& layout) {
  std::vector<std::string> tables;
  for (const EvalRow& row : report.rows) IndexOrAdd(tables, row.table);
  const auto has = [&](const std::string& table) {
    return std::find(tables.begin(), tables.end(), table) != tables.end();
  };
  std::vector<SectionLayout> sections;
  std::vector<std::string> placed;
  for (SectionLayout section : layout.sections) {
    std::erase_if(section.tables, [&](const TableLayout& table) { return !has(table.table); });
    std::erase_if(section.charts, [&](const ChartLayout& chart) {
      return std::none_of(chart.sources.begin(), chart.sources.end(),
                          [&](const ChartSource& source) { return has(source.table); });
    });
    for (const TableLayout& table : section.tables) placed.push_back(table.table);
    if (!section.tables.empty()) sections.push_back(std::move(section));
  }
  SectionLayout rest{.id = "other", .title = "Further tables", .text = "", .charts = {}, .tables = {}};
  for (const std::string& table : tables) {
    if (std::find(placed.begin(), placed.end(), table) != placed.end()) continue;
    rest.tables.push_back({.table = table, .title = table, .note = "", .shape = TableShape::kByColumn});
  }
  if (!rest.tables.empty()) sections.push_back(std::move(rest));
  return sections;
}

std::string FigureText(const EvalRow& row) {
  const bool count = row.column == "utilities" || row.column == "attacks" || row.column == "total" ||
                     row.column == "traces" || row.column == "lost_utilities";
  if (count || std::abs(row.value) >= 1e6) return fmt::format("{:.0f}", row.value);
  return fmt::format("{:.{}f}", row.value, row.digits);
}

std::string IntervalText(const EvalRow& row) {
  if (!row.low || !row.high) return "";
  return fmt::format("[{0:.{2}f}, {1:.{2}f}]", *row.low, *row.high, row.digits);
}

const EvalRow* FindRow(const std::vector<EvalRow>& rows, const SummaryPick& pick, std::string_view column) {
  if (pick.table.empty()) return nullptr;
  const auto it = std::find_if(rows.begin(), rows.end(), [&](const EvalRow& row) {
    return row.table == pick.table && row.split == pick.split && row.row == pick.row && row.column == column;
  });
  return it == rows.end() ? nullptr : &*it;
}

}  // namespace interlock::eval
