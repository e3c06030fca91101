#include "views/document/lookup.h"
#include "core/fusion/layer_words.h"

#include "views/counted.h"
#include "views/text.h"

#include <QCoreApplication>
#include <QStringList>

#include <algorithm>

namespace loopglass::views {
namespace {

// Smaller is better; nullopt: no match.
std::optional<int> score(const Found& found, const QString& query, const QStringList& words) {
  for (const QString& word : words)
    if (!found.name.contains(word, Qt::CaseInsensitive) &&
        !found.detail.contains(word, Qt::CaseInsensitive))
      return {};
  if (found.name.compare(query, Qt::CaseInsensitive) == 0) return 0;
  if (found.name.startsWith(query, Qt::CaseInsensitive)) return 1;
  if (found.name.contains(query, Qt::CaseInsensitive)) return 2;
  return 3;
}

template <class Visit>
void visit_all(const Document& document, const Visit& visit) {
  if (const auto plan = document.fusion().plan(); plan && !document.fusion().is_guessing()) {
    for (const fusion::Group& group : plan->groups)
      visit({FoundKind::Kernel, text(group.name),
             text(fusion::layer_words(group, *document.history().last_graph())), group.id.value});
  }
  if (const auto graph = document.history().graph()) {
    for (const auto& node : graph->nodes())
      visit({FoundKind::Node, text(node->name), text(operator_name(*node)), node->id.value});
    for (const auto& value : graph->values())
      visit({FoundKind::Value, text(value->name), text(to_string(value->type)), value->id.value});
  }
  if (const auto history = document.history().recorded()) {
    for (std::size_t step = 0; step < history->steps.size(); ++step)
      // A pass may be there several times: by its number, as the list of steps has it.
      visit({FoundKind::Step, text(history->steps[step].pass.name),
             QString("%1: %2").arg(step).arg(text(history->steps[step].pass.doc)),
             static_cast<std::uint32_t>(step)});
  }
}

}  // namespace

QString name(FoundKind kind) {
  switch (kind) {
    case FoundKind::Kernel: return QCoreApplication::translate("lookup", "kernel");
    case FoundKind::Node: return QCoreApplication::translate("lookup", "node");
    case FoundKind::Value: return QCoreApplication::translate("lookup", "value");
    case FoundKind::Step: return QCoreApplication::translate("lookup", "step");
  }
  __builtin_unreachable();
}

std::vector<Found> look_up(const Document& document, const QString& query, std::size_t limit) {
  const QStringList words = query.split(' ', Qt::SkipEmptyParts);
  std::vector<std::pair<int, Found>> matches;
  visit_all(document, [&](const Found& found) {
    if (const auto rank = score(found, query.trimmed(), words)) matches.emplace_back(*rank, found);
  });
  const std::size_t count = std::min(limit, matches.size());
  std::stable_sort(matches.begin(), matches.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Found> best;
  for (std::size_t i = 0; i < count; ++i) best.push_back(std::move(matches[i].second));
  return best;
}

void go_to(Document& document, const Found& found) {
  Selection& selection = document.selection();
  switch (found.kind) {
    case FoundKind::Kernel:
      selection.select_group(fusion::GroupId{found.index});
      return selection.reveal();
    case FoundKind::Node:
      selection.select_node(graph::NodeId{found.index});
      return selection.reveal();
    case FoundKind::Value:
      selection.select_value(graph::ValueId{found.index});
      return selection.reveal();
    case FoundKind::Step: return document.history().set_step(found.index);
  }
}

bool select_named(Document& document, const QString& name) {
  std::optional<Found> match;
  visit_all(document, [&](const Found& found) {
    // Nodes before kernels before values, since people know the names of nodes.
    if (found.kind == FoundKind::Step || found.name != name) return;
    if (!match || found.kind == FoundKind::Node) match = found;
  });
  if (match) go_to(document, *match);
  return match.has_value();
}

}  // namespace loopglass::views
