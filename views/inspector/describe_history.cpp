#include "views/inspector/describe_history.h"

#include "core/graph/diff.h"
#include "views/document/debugger.h"
#include "views/theme.h"

#include <algorithm>

namespace loopglass::views {
namespace {

QString place_link(const pass::GraphHistory& history, const pass::Position& place) {
  return Page::link("place:" + QString::fromStdString(pass::to_text(place)),
                    pass::describe(place, history));
}

// Nodes that lived only inside a step are in no graph that could be shown: they are named.
QString life_links(const pass::NodeHistory& nodes, const std::vector<graph::NodeId>& ids) {
  constexpr std::size_t most = 12;
  QStringList links;
  for (std::size_t i = 0; i < std::min(most, ids.size()); ++i) {
    const pass::Life* life = nodes.find(ids[i]);
    const std::string name = nodes.name_of(ids[i]);
    QString link = life && life->first ? Page::link(QString("node:%1").arg(ids[i].value), name)
                                       : Page::escape(name);
    if (life && life->last) link += Page::muted(" " + operator_name(*life->last));
    links << link;
  }
  if (ids.size() > most) links << Page::muted("and " + std::to_string(ids.size() - most) + " more");
  return links.join(", ");
}

QString moment_text(const pass::GraphHistory& history, const pass::Moment& moment) {
  QString text = place_link(history, moment.position);
  if (!moment.rule.empty()) text += " by " + Page::code(moment.rule);
  if (!moment.detail.empty()) text += "<br>" + Page::muted(moment.detail);
  return text;
}

}  // namespace

void history_section(Page& page, const Document& document, const graph::Node& node) {
  const auto nodes = document.debugger().nodes();
  const pass::Life* life = nodes ? nodes->find(node.id) : nullptr;
  // In a history that the node is not of, its number is another's.
  if (!life || nodes->name_of(node.id) != node.name) return;
  const pass::GraphHistory& history = nodes->history();
  page.heading("History");
  page.open_table();
  page.row(Page::colored(theme().good, "+ born"),
           life->imported ? QString("imported with the model") : moment_text(history, life->born));
  if (!life->parents.empty()) page.row("from", life_links(*nodes, life->parents));
  for (const auto& change : life->changes)
    page.row(Page::colored(theme().warning, "~ changed"),
             moment_text(history, change.moment) + "<br>" +
                 Page::escape(graph::to_text(change.differences)));
  if (life->gone)
    page.row(Page::colored(theme().error, "− gone"), moment_text(history, *life->gone));
  if (!life->into.empty()) page.row("became", life_links(*nodes, life->into));
  else if (!life->children.empty()) page.row("gave rise to", life_links(*nodes, life->children));
  if (!life->constant.empty()) page.row("became", Page::escape("the constant " + life->constant));
  page.close_table();
}

}  // namespace loopglass::views
