#include "views/inspector/operator_rows.h"

#include "views/theme.h"

#include <algorithm>
#include <map>

namespace loopglass::views {

QString node_link(const graph::Node& node) {
  return Page::link(QString("node:%1").arg(node.id.value), node.name);
}

QString count_text(std::int64_t count) {
  const auto scaled = [&](double unit, const char* suffix) {
    return QString("%1 %2").arg(static_cast<double>(count) / unit, 0, 'f', 2).arg(suffix);
  };
  if (count >= 1'000'000'000) return scaled(1e9, "G");
  if (count >= 1'000'000) return scaled(1e6, "M");
  if (count >= 10'000) return scaled(1e3, "k");
  return QString::number(count);
}

void list_operators(Page& page, const std::vector<graph::NodePtr>& nodes) {
  using Kind = std::pair<std::string, ops::Family>;
  std::map<Kind, int> count;
  for (const auto& node : nodes) ++count[{operator_name(*node), node->op->family}];
  std::vector<std::pair<Kind, int>> sorted(count.begin(), count.end());
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  page.heading("Operators");
  page.open_table();
  for (const auto& [kind, times] : sorted)
    page.row(Page::chip(theme().family(kind.second), theme().family_text(kind.second), kind.first),
             QString::number(times));
  page.close_table();
}

}  // namespace loopglass::views
