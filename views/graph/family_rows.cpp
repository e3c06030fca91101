#include "views/graph/family_rows.h"

#include "views/text.h"
#include "views/theme.h"

#include <QObject>

#include <algorithm>
#include <map>

namespace loopglass::views {
namespace {

std::vector<std::pair<ops::Family, int>> commonest_first(const graph::Graph& graph) {
  std::map<ops::Family, int> counts;
  for (const graph::NodePtr& node : graph.nodes()) ++counts[node->op->family];
  std::vector<std::pair<ops::Family, int>> families(counts.begin(), counts.end());
  std::stable_sort(families.begin(), families.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  return families;
}

}  // namespace

std::vector<OverlayLegend::Row> family_rows(const graph::Graph& graph) {
  constexpr std::size_t most = 9;
  std::vector<OverlayLegend::Row> rows;
  int rest = 0;
  for (const auto& [family, count] : commonest_first(graph)) {
    if (rows.size() == most) {
      rest += count;
      continue;
    }
    EdgeMark swatch;
    swatch.color = theme().family(family);
    rows.push_back({swatch, text(ops::name(family)), OverlayLegend::Sample::Swatch});
  }
  if (rest > 0) {
    EdgeMark none;
    none.color = theme().muted;
    rows.push_back({none, QObject::tr("and %1 of other families").arg(rest)});
  }
  return rows;
}

QString family_counts(const graph::Graph& graph) {
  QString rows;
  for (const auto& [family, count] : commonest_first(graph))
    rows += QString("<tr><td>%1</td><td align='right'>%2</td></tr>")
                .arg(text(ops::name(family)))
                .arg(count);
  return QObject::tr("<b>Operators by family</b>") + "<table cellpadding='2'>" + rows + "</table>";
}

}  // namespace loopglass::views
