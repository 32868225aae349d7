// Charts of a report as inline SVG that takes its colours from the page. Private to the module.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace interlock::eval {

struct ChartPoint {
  double x = 0;
  double y = 0;
  std::optional<double> low;
  std::optional<double> high;
};
// Series differ by marker, dash and a label at their end, not by colour alone.
struct ChartSeries {
  std::string name;
  std::vector<ChartPoint> points;
  std::vector<ChartPoint> published;  // hollow
};
struct ChartBar {
  std::string name;
  std::size_t style = 0;  // 0 filled, else outlined
  bool apart = false;     // a gap before it
  double value = 0;
  std::optional<double> low;
  std::optional<double> high;
};
struct ChartText {
  std::string id;  // of the elements that name the chart
  std::string title;
  std::string description;
  std::string x_label;
  std::string y_label;
};
[[nodiscard]] std::string LineChart(const ChartText& text, const std::vector<ChartSeries>& series);
[[nodiscard]] std::string BarChart(const ChartText& text, const std::vector<ChartBar>& bars);

}  // namespace interlock::eval
