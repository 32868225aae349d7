#include "report_svg.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <numeric>

#include "interlock/base/html.h"

namespace interlock::eval {
namespace {

constexpr std::size_t kStyles = 6;  // colours, dashes and markers of the page's style

// Limits and steps of an axis that are round numbers.
struct Axis {
  double low = 0;
  double high = 1;
  double step = 1;
  [[nodiscard]] double At(double value, double from, double to) const {
    return from + (value - low) / (high - low) * (to - from);
  }
  [[nodiscard]] std::vector<double> Ticks() const {
    std::vector<double> ticks;
    const long count = std::lround((high - low) / step);
    for (long i = 0; i <= count; ++i) ticks.push_back(low + step * static_cast<double>(i));
    return ticks;
  }
};
Axis AxisOf(double low, double high, int steps) {
  if (!(low < high)) {
    low -= 0.5;
    high += 0.5;
  }
  const double raw = (high - low) / steps;
  const double magnitude = std::pow(10.0, std::floor(std::log10(raw)));
  double step = 10 * magnitude;
  for (const double factor : {1.0, 2.0, 2.5, 5.0}) {
    if (factor * magnitude >= raw) {
      step = factor * magnitude;
      break;
    }
  }
  return {std::floor(low / step + 1e-9) * step, std::ceil(high / step - 1e-9) * step, step};
}

std::string TickText(double value) {
  const std::string text = fmt::format("{:.2f}", value);
  const std::size_t end = text.find_last_not_of('0');
  return text.substr(0, text[end] == '.' ? end : end + 1);
}

std::string Open(const ChartText& text, double width, double height) {
  return fmt::format(
      "<svg role=\"img\" aria-labelledby=\"{0}-t {0}-d\" viewBox=\"0 0 {1:.0f} {2:.0f}\" "
      "xmlns=\"http://www.w3.org/2000/svg\">\n<title id=\"{0}-t\">{3}</title>\n<desc id=\"{0}-d\">{4}</desc>\n",
      base::EscapeHtml(text.id), width, height, base::EscapeHtml(text.title), base::EscapeHtml(text.description));
}

void Text(std::string& out, double x, double y, std::string_view anchor, std::string_view text,
          std::string_view cls = "axis") {
  out += fmt::format("<text class=\"{}\" x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", cls, x, y, anchor,
                     base::EscapeHtml(text));
}
void Line(std::string& out, double x1, double y1, double x2, double y2, std::string_view cls) {
  out += fmt::format("<line class=\"{}\" x1=\"{:.1f}\" y1=\"{:.1f}\" x2=\"{:.1f}\" y2=\"{:.1f}\"/>\n", cls, x1, y1, x2,
                     y2);
}

// A marker of its own for each style.
std::string Marker(std::size_t style, double x, double y, double size, std::string_view cls) {
  const auto path = [&](std::string_view d) {
    return fmt::format("<path class=\"{} s{}\" transform=\"translate({:.1f} {:.1f}) scale({:.2f})\" d=\"{}\"/>\n", cls,
                       style, x, y, size, d);
  };
  constexpr std::array<std::string_view, kStyles> kShapes{
      "M-1 0A1 1 0 1 1 1 0A1 1 0 1 1 -1 0Z",                // circle
      "M-.9 -.9H.9V.9H-.9Z",                                // square
      "M0 -1.15L1.1 .85H-1.1Z",                             // triangle
      "M0 -1.25L1.25 0L0 1.25L-1.25 0Z",                    // diamond
      "M0 1.15L1.1 -.85H-1.1Z",                             // triangle, point down
      "M-1 -.35H-.35V-1H.35V-.35H1V.35H.35V1H-.35V.35H-1Z"  // cross
  };
  return path(kShapes[style % kStyles]);
}

// Labels that would stand on each other are moved apart, in order.
std::vector<double> Spread(const std::vector<double>& wanted, double gap, double low, double high) {
  std::vector<std::size_t> order(wanted.size());
  std::iota(order.begin(), order.end(), 0U);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return wanted[a] < wanted[b]; });
  std::vector<double> placed = wanted;
  double next = low;
  for (const std::size_t i : order) {
    placed[i] = std::max(placed[i], next);
    next = placed[i] + gap;
  }
  double last = high;
  for (auto it = order.rbegin(); it != order.rend(); ++it) {
    placed[*it] = std::min(placed[*it], last);
    last = placed[*it] - gap;
  }
  return placed;
}

struct Range {
  double low = std::numeric_limits<double>::infinity();
  double high = -std::numeric_limits<double>::infinity();
  void Add(double value) {
    if (!std::isfinite(value)) return;
    low = std::min(low, value);
    high = std::max(high, value);
  }
  void Add(const std::optional<double>& value) {
    if (value) Add(*value);
  }
  [[nodiscard]] bool empty() const { return low > high; }
};

}  // namespace

std::string LineChart(const ChartText& text, const std::vector<ChartSeries>& series) {
  constexpr double kWidth = 760, kHeight = 400, kLeft = 58, kRight = 180, kTop = 14, kBottom = 50, kGap = 15,
                   kInner = 14;
  Range xs;
  Range ys;
  for (const ChartSeries& one : series) {
    for (const std::vector<ChartPoint>* points : {&one.points, &one.published}) {
      for (const ChartPoint& point : *points) {
        xs.Add(point.x);
        ys.Add(point.y);
        ys.Add(point.low);
        ys.Add(point.high);
      }
    }
  }
  if (xs.empty() || ys.empty()) return "";
  const Axis x_axis = AxisOf(xs.low, xs.high, 6);
  const Axis y_axis = AxisOf(ys.low, ys.high, 6);
  const auto x_at = [&](double x) { return x_axis.At(x, kLeft + kInner, kWidth - kRight - kInner); };
  const auto y_at = [&](double y) { return y_axis.At(y, kHeight - kBottom, kTop); };
  std::string out = Open(text, kWidth, kHeight);
  for (const double tick : y_axis.Ticks()) {
    Line(out, kLeft, y_at(tick), kWidth - kRight, y_at(tick), "grid");
    Text(out, kLeft - 8, y_at(tick) + 4, "end", TickText(tick));
  }
  for (const double tick : x_axis.Ticks()) {
    Line(out, x_at(tick), kHeight - kBottom, x_at(tick), kHeight - kBottom + 5, "tick");
    Text(out, x_at(tick), kHeight - kBottom + 19, "middle", TickText(tick));
  }
  Text(out, (kLeft + kWidth - kRight) / 2, kHeight - 10, "middle", text.x_label);
  out += fmt::format(
      "<text class=\"axis\" transform=\"translate(14 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
      (kTop + kHeight - kBottom) / 2, base::EscapeHtml(text.y_label));
  std::vector<double> ends;
  for (std::size_t i = 0; i < series.size(); ++i) {
    const ChartSeries& one = series[i];
    const std::size_t style = i % kStyles;
    std::string band;
    std::string back;
    std::string line;
    for (const ChartPoint& point : one.points) {
      line += fmt::format("{:.1f},{:.1f} ", x_at(point.x), y_at(point.y));
      if (!point.low || !point.high) continue;
      band += fmt::format("{:.1f},{:.1f} ", x_at(point.x), y_at(*point.high));
      back.insert(0, fmt::format("{:.1f},{:.1f} ", x_at(point.x), y_at(*point.low)));
    }
    if (!band.empty()) out += fmt::format("<polygon class=\"band s{}\" points=\"{}{}\"/>\n", style, band, back);
    out += fmt::format("<polyline class=\"line s{}\" points=\"{}\"/>\n", style, line);
    for (const ChartPoint& point : one.published) {
      out += Marker(style, x_at(point.x), y_at(point.y), 6.5, "hollow");
    }
    for (const ChartPoint& point : one.points) {
      if (point.low && point.high) {
        Line(out, x_at(point.x), y_at(*point.low), x_at(point.x), y_at(*point.high), fmt::format("whisker s{}", style));
      }
      out += Marker(style, x_at(point.x), y_at(point.y), 4, "mark");
    }
    ends.push_back(one.points.empty() ? kTop : y_at(one.points.back().y));
  }
  const std::vector<double> labels = Spread(ends, kGap, kTop + 4, kHeight - kBottom);
  for (std::size_t i = 0; i < series.size(); ++i) {
    if (series[i].points.empty()) continue;
    const double from = x_at(series[i].points.back().x);
    out += fmt::format("<polyline class=\"lead s{}\" points=\"{:.1f},{:.1f} {:.1f},{:.1f}\"/>\n", i % kStyles, from + 7,
                       ends[i], kWidth - kRight + 18, labels[i]);
    out += Marker(i % kStyles, kWidth - kRight + 26, labels[i], 4, "mark");
    Text(out, kWidth - kRight + 36, labels[i] + 4, "start", series[i].name, "label");
  }
  return out + "</svg>\n";
}

std::string BarChart(const ChartText& text, const std::vector<ChartBar>& bars) {
  constexpr double kWidth = 760, kLeft = 260, kRight = 140, kTop = 10, kRow = 22, kSpace = 8, kBottom = 46;
  if (bars.empty()) return "";
  Range range;
  range.Add(0);
  for (const ChartBar& bar : bars) {
    range.Add(bar.value);
    range.Add(bar.low);
    range.Add(bar.high);
  }
  const Axis axis = AxisOf(range.low, range.high, 6);
  const auto gaps = std::count_if(bars.begin(), bars.end(), [](const ChartBar& bar) { return bar.apart; });
  const double height = kTop + kRow * static_cast<double>(bars.size()) + kSpace * static_cast<double>(gaps) + kBottom;
  const auto x_at = [&](double x) { return axis.At(x, kLeft, kWidth - kRight); };
  std::string out = Open(text, kWidth, height);
  for (const double tick : axis.Ticks()) {
    Line(out, x_at(tick), kTop, x_at(tick), height - kBottom, "grid");
    Text(out, x_at(tick), height - kBottom + 17, "middle", TickText(tick));
  }
  Text(out, (kLeft + kWidth - kRight) / 2, height - 8, "middle", text.x_label);
  double top = kTop;
  for (const ChartBar& bar : bars) {
    if (bar.apart) top += kSpace;
    const double middle = top + kRow / 2;
    top += kRow;
    Text(out, kLeft - 10, middle + 4, "end", bar.name, "label");
    out += fmt::format("<rect class=\"bar {}\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n",
                       bar.style == 0 ? "filled" : "outlined", std::min(x_at(0), x_at(bar.value)), middle - 7,
                       std::max(std::abs(x_at(bar.value) - x_at(0)), 1.0), 14.0);
    std::string shown = fmt::format("{:.2f}", bar.value);
    if (bar.low && bar.high) {
      Line(out, x_at(*bar.low), middle, x_at(*bar.high), middle, "whisker ink");
      Line(out, x_at(*bar.low), middle - 4, x_at(*bar.low), middle + 4, "whisker ink");
      Line(out, x_at(*bar.high), middle - 4, x_at(*bar.high), middle + 4, "whisker ink");
      shown += fmt::format(" [{:.2f}, {:.2f}]", *bar.low, *bar.high);
    }
    Text(out, x_at(std::max(bar.value, bar.high.value_or(bar.value))) + 8, middle + 4, "start", shown, "label");
  }
  return out + "</svg>\n";
}

}  // namespace interlock::eval
