#include "views/fusion/hand_menu.h"

#include "views/text.h"

#include <QMenu>

#include <algorithm>

namespace loopglass::views {
namespace {

using Kind = fusion::Edit::Kind;

class HandMenu {
 public:
  HandMenu(QMenu& menu, Document& document)
      : menu_(menu),
        document_(document),
        plan_(*document.fusion().plan()),
        graph_(*document.history().last_graph()) {}

  void add_wishes(const std::vector<fusion::Edge>& edges) {
    for (const auto& [wish, words] : {std::pair{Wish::Force, QObject::tr("&Force: One Kernel")},
                                      {Wish::Forbid, QObject::tr("F&orbid: Two Kernels")},
                                      {Wish::Leave, QObject::tr("&Leave to the Strategy")}}) {
      const bool is_so = std::all_of(edges.begin(), edges.end(), [&](const fusion::Edge& edge) {
        return wish_for(document_, edge) == wish;
      });
      QAction* action = menu_.addAction(
          words, &document_,
          [&document = document_, edges, wish = wish] { ask(document, edges, wish); });
      action->setCheckable(true);
      action->setChecked(is_so);
      action->setEnabled(!is_so);
    }
  }

  void add_merge(const QString& words, const std::vector<fusion::GroupId>& groups) {
    fusion::Edit edit{Kind::Merge, {}};
    for (const fusion::GroupId group : groups) edit.nodes.push_back(name_of(group));
    add_edit(menu_, words, std::move(edit));
  }

  void add_merges_with_neighbours(fusion::GroupId group) {
    std::set<fusion::GroupId> neighbours;
    for (const fusion::Decision& decision : plan_.decisions) {
      const fusion::GroupId from = plan_.group_of(decision.producer);
      const fusion::GroupId to = plan_.group_of(decision.consumer);
      if (from != to && from == group) neighbours.insert(to);
      if (from != to && to == group) neighbours.insert(from);
    }
    if (neighbours.empty()) return;
    QMenu* with = menu_.addMenu(QObject::tr("&Merge With"));
    for (const fusion::GroupId other : neighbours)
      add_edit(*with, plain(plan_.group(other).name),
               {Kind::Merge, {name_of(group), name_of(other)}});
  }

  // Out of kernels of several operators; there is nothing else to leave.
  void add_splits(const std::vector<graph::NodeId>& nodes) {
    QMenu* split = nullptr;
    for (const graph::NodeId node : nodes) {
      if (plan_.group(plan_.group_of(node)).nodes.size() == 1) continue;
      if (!split) split = menu_.addMenu(QObject::tr("&Split Out"));
      const std::string& name = graph_.node(node).name;
      add_edit(*split, plain(name), {Kind::Split, {name}});
    }
  }

  void add_pins(const std::vector<fusion::GroupId>& groups) {
    constexpr std::size_t most = 2;
    if (groups.size() <= most) {
      for (const fusion::GroupId group : groups) add_pin(group);
      return;
    }
    fusion::Edit edit{Kind::Pin, {}};
    for (const fusion::GroupId group : groups) edit.nodes.push_back(name_of(group));
    add_edit(menu_, QObject::tr("&Pin These %1 Kernels").arg(groups.size()), std::move(edit));
  }

 private:
  void add_pin(fusion::GroupId group) {
    const QString name = plain(plan_.group(group).name);
    if (const auto index = pin_of(group))
      menu_.addAction(QObject::tr("Un&pin %1").arg(name), &document_,
                      [&document = document_, index = *index] { document.remove_edit(index); });
    else add_edit(menu_, QObject::tr("&Pin %1").arg(name), {Kind::Pin, {name_of(group)}});
  }

  // Any of its operators stands for a kernel.
  const std::string& name_of(fusion::GroupId group) const {
    return graph_.node(plan_.group(group).anchor).name;
  }

  void add_edit(QMenu& menu, const QString& words, fusion::Edit edit) {
    QAction* action = menu.addAction(words, &document_,
                                     [&document = document_, edit] { document.add_edit(edit); });
    action->setToolTip(text(fusion::to_text(edit)));
  }

  std::optional<std::size_t> pin_of(fusion::GroupId group) const {
    if (document_.strategy() != "manual") return {};
    const auto& edits = document_.edits().edits;
    for (std::size_t i = 0; i < edits.size(); ++i) {
      if (edits[i].kind != Kind::Pin) continue;
      for (const std::string& name : edits[i].nodes)
        if (const graph::Node* node = graph_.find_node(name);
            node && plan_.group_of(node->id) == group)
          return i;
    }
    return {};
  }

  QMenu& menu_;
  Document& document_;
  const fusion::Plan& plan_;
  const graph::Graph& graph_;
};

}  // namespace

Wish wish_for(const Document& document, const fusion::Edge& edge) {
  const fusion::Constraints& constraints = document.constraints();
  if (constraints.forced.contains(edge)) return Wish::Force;
  return constraints.forbidden.contains(edge) ? Wish::Forbid : Wish::Leave;
}

void ask(Document& document, const std::vector<fusion::Edge>& edges, Wish wish) {
  fusion::Constraints constraints = document.constraints();
  for (const fusion::Edge& edge : edges) {
    constraints.forced.erase(edge);
    constraints.forbidden.erase(edge);
    if (wish == Wish::Force) constraints.forced.insert(edge);
    if (wish == Wish::Forbid) constraints.forbidden.insert(edge);
  }
  document.set_constraints(std::move(constraints));
}

void fill_edge_menu(QMenu& menu, Document& document, const std::vector<fusion::Decision>& chosen) {
  if (!document.fusion().plan() || chosen.empty()) return;
  std::vector<fusion::Edge> edges;
  std::vector<graph::NodeId> nodes;
  std::vector<fusion::GroupId> groups;
  const auto add = [](auto& list, auto thing) {
    if (std::find(list.begin(), list.end(), thing) == list.end()) list.push_back(thing);
  };
  for (const fusion::Decision& decision : chosen) {
    add(edges, fusion::Edge{decision.producer, decision.consumer});
    for (const graph::NodeId end : {decision.producer, decision.consumer}) {
      add(nodes, end);
      add(groups, document.fusion().plan()->group_of(end));
    }
  }
  for (const fusion::Edge& edge : edges)
    if (document.fusion().is_hidden(edge)) return;
  HandMenu hand(menu, document);
  hand.add_wishes(edges);
  menu.addSeparator();
  if (groups.size() > 1)
    hand.add_merge(QObject::tr("&Merge These %1 Kernels").arg(groups.size()), groups);
  hand.add_splits(nodes);
  hand.add_pins(groups);
}

void fill_kernel_menu(QMenu& menu, Document& document, const std::vector<fusion::GroupId>& groups) {
  if (!document.fusion().plan() || groups.empty() || document.fusion().is_guessing()) return;
  HandMenu hand(menu, document);
  if (groups.size() > 1)
    hand.add_merge(QObject::tr("&Merge These %1 Kernels").arg(groups.size()), groups);
  else hand.add_merges_with_neighbours(groups.front());
  std::vector<graph::NodeId> nodes;
  for (const fusion::GroupId group : groups) {
    const auto& members = document.fusion().plan()->group(group).nodes;
    nodes.insert(nodes.end(), members.begin(), members.end());
  }
  hand.add_splits(nodes);
  hand.add_pins(groups);
}

}  // namespace loopglass::views
