// The menus of the graph pane: what can be done about an operator, an edge or a kernel. What a
// person asks of the plan goes to the document, as a constraint on an edge or an edit of the
// partition.
#include "core/ops/opaque.h"
#include "views/document/debugger.h"
#include "views/graph/graph_view.h"
#include "views/text.h"

#include <QMenu>

#include <algorithm>
#include <map>

namespace loopglass::views {
namespace {

QString end_words(const graph::Graph& graph, graph::NodeId id) {
  const graph::Node& node = graph.node(id);
  return plain(short_name(node.name.empty() ? operator_name(node) : node.name));
}

// What the menu is about.
void add_title(QMenu& menu, const QString& words) {
  menu.addAction(words)->setEnabled(false);
  menu.addSeparator();
}

}  // namespace

void GraphView::open_menu(GraphCanvas::Thing thing, std::uint32_t index, QPoint at) {
  // What is drawn may be older than what the document has, until the next layout arrives.
  const auto plan = document_->fusion().plan();
  if (!document_->history().graph()) return;
  auto* menu = new QMenu(this);
  menu->setObjectName("graphMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  menu->setToolTipsVisible(true);
  switch (thing) {
    case GraphCanvas::Thing::Node:
      if (const auto* id = std::get_if<graph::NodeId>(&shown_.entities[index])) {
        // A menu upon several is about all of them.
        if (std::find(picked_.begin(), picked_.end(), *id) == picked_.end()) select_box(index);
        fill_fold_actions(*menu, index);
        if (!menu->isEmpty()) menu->addSeparator();
        fill_node_menu(*menu, *id);
      } else if (std::holds_alternative<FoldedPart>(shown_.entities[index])) {
        select_box(index);
        fill_fold_actions(*menu, index);
      }
      break;
    case GraphCanvas::Thing::Edge:
      select_edge(index);
      if (plan && verdicts_of_plan_.plan() == plan)
        if (const fusion::Decision* decision = drawn().decision(verdicts_of_plan_, index))
          fill_edge_menu(*menu, *decision);
      break;
    case GraphCanvas::Thing::Cluster:
      if (!plan || plan != plan_shown_) break;
      stay_and([&] { document_->selection().select_group(shown_.groups[index]); });
      fill_group_menu(*menu, shown_.groups[index]);
      break;
  }
  if (menu->isEmpty()) delete menu;
  else menu->popup(at);
}

// --- edges ---

void GraphView::fill_edge_menu(QMenu& menu, const fusion::Decision& decision) {
  const auto graph = document_->history().last_graph();
  const fusion::Edge edge = edge_of(decision);
  const bool hidden = document_->fusion().is_hidden(edge);
  const QString ends = end_words(*graph, edge.producer) + " → " + end_words(*graph, edge.consumer);
  add_title(menu, hidden ? ends : ends + ": " + text(fusion::name(decision.reason)));
  menu.addAction(hidden ? tr("&Guess Its Verdict") : tr("Show &Decision"), this,
                 [this, edge, chosen = ChosenEdge{decision.value, decision.consumer}] {
                   choose_edge(chosen);
                   document_->want_decision(edge);
                 });
  if (hidden) return;
  menu.addSeparator();
  const fusion::Constraints& asked = document_->constraints();
  const bool forced = asked.forced.contains(edge), forbidden = asked.forbidden.contains(edge);
  const auto ask = [&](const QString& words, bool is_so, auto change) {
    QAction* action = menu.addAction(words, document_, [this, edge, change] {
      fusion::Constraints constraints = document_->constraints();
      constraints.forced.erase(edge);
      constraints.forbidden.erase(edge);
      change(constraints, edge);
      document_->set_constraints(std::move(constraints));
    });
    action->setCheckable(true);
    action->setChecked(is_so);
    return action;
  };
  using fusion::Constraints;
  ask(tr("&Force: One Kernel"), forced,
      [](Constraints& constraints, const fusion::Edge& edge) { constraints.forced.insert(edge); });
  ask(tr("F&orbid: Two Kernels"), forbidden,
      [](Constraints& constraints, const fusion::Edge& edge) {
        constraints.forbidden.insert(edge);
      });
  ask(tr("&Clear Constraint"), false, [](Constraints&, const fusion::Edge&) {
  })->setEnabled(forced || forbidden);
  menu.addSeparator();
  const std::string producer = graph->node(edge.producer).name;
  const std::string consumer = graph->node(edge.consumer).name;
  const auto edit = [&](const QString& words, fusion::Edit edit) {
    menu.addAction(words, document_, [this, edit] { document_->add_edit(edit); });
  };
  using Kind = fusion::Edit::Kind;
  if (!decision.fused) return edit(tr("&Merge Their Kernels"), {Kind::Merge, {producer, consumer}});
  edit(tr("Split %1 Out").arg(end_words(*graph, edge.producer)), {Kind::Split, {producer}});
  edit(tr("Split %1 Out").arg(end_words(*graph, edge.consumer)), {Kind::Split, {consumer}});
}

// --- operators ---

void GraphView::fill_node_menu(QMenu& menu, graph::NodeId id) {
  const auto graph = document_->history().graph();
  const auto base = document_->history().base_graph();
  const graph::Node* node = graph->find(id);
  if (!node && base) node = base->find(id);
  if (!node) return;
  const auto plan = document_->fusion().plan();
  const auto last = document_->history().last_graph();
  add_subgraphs(menu, *node);
  if (!menu.isEmpty()) menu.addSeparator();
  if (plan && last && last->find(id)) {
    add_edges_of(menu, id);
    if (!document_->fusion().is_guessing()) {
      menu.addSeparator();
      const fusion::GroupId group = plan->group_of(id);
      add_merges(menu, group, node->name);
      if (plan->group(group).nodes.size() > 1)
        menu.addAction(tr("&Split Out of %1").arg(plain(text(plan->group(group).name))), document_,
                       [this, name = node->name] {
                         document_->add_edit({fusion::Edit::Kind::Split, {name}});
                       });
      add_pin(menu, group, node->name);
    }
    menu.addSeparator();
  }
  add_breakpoints(menu, node->name);
}

void GraphView::add_subgraphs(QMenu& menu, const graph::Node& node) {
  if (!is_opaque(node)) return;
  for (const std::string& attribute : ops::opaque_of(node.attributes).subgraphs)
    menu.addAction(
        tr("&Open %1").arg(plain(text(attribute))), document_,
        [document = document_, name = node.name + "." + attribute] {
          document->open_subgraph(name);
        },
        Qt::QueuedConnection);
}

void GraphView::open_box(std::uint32_t box) {
  if (box >= shown_.entities.size() || open_fold(box)) return;
  const auto* id = std::get_if<graph::NodeId>(&shown_.entities[box]);
  const auto graph = document_->history().graph();
  const graph::Node* node = id && graph ? graph->find(*id) : nullptr;
  if (node == nullptr || !is_opaque(*node)) return;
  const std::vector<std::string> subgraphs = ops::opaque_of(node->attributes).subgraphs;
  if (subgraphs.size() == 1) return document_->open_subgraph(node->name + "." + subgraphs.front());
  if (subgraphs.empty()) return;
  auto* menu = new QMenu(this);
  menu->setObjectName("subgraphMenu");
  menu->setAttribute(Qt::WA_DeleteOnClose);
  add_subgraphs(*menu, *node);
  // Where the canvas has put what was activated.
  menu->popup(canvas()->viewport()->mapToGlobal(canvas()->viewport()->rect().center()));
}

// Each with a menu of its own, for those who have no pointer to hit an edge with.
void GraphView::add_edges_of(QMenu& menu, graph::NodeId node) {
  constexpr int most = 24;
  int left_out = 0, shown = 0;
  for (const fusion::Decision& decision : document_->fusion().plan()->decisions) {
    if (decision.producer != node && decision.consumer != node) continue;
    if (shown++ >= most) {
      ++left_out;
      continue;
    }
    const bool out = decision.producer == node;
    const QString sign = document_->fusion().is_hidden(edge_of(decision)) ? "?"
                         : decision.fused                                 ? "✓"
                                                                          : "✕";
    const graph::NodeId other = out ? decision.consumer : decision.producer;
    QMenu* edge =
        menu.addMenu((out ? tr("Edge to %1 %2") : tr("Edge from %1 %2"))
                         .arg(end_words(*document_->history().last_graph(), other), sign));
    fill_edge_menu(*edge, decision);
  }
  if (left_out) menu.addAction(tr("and %1 more edges").arg(left_out))->setEnabled(false);
}

void GraphView::add_breakpoints(QMenu& menu, const std::string& name) {
  const auto add = [&](const QString& words, pass::BreakEvent event) {
    menu.addAction(words, this, [this, event, name] {
      pass::Breakpoint breakpoint;
      breakpoint.event = event;
      breakpoint.node = name;
      if (const auto added = document_->debugger().add(breakpoint); !added)
        emit document_->failed(added.error());
    });
  };
  add(tr("Break When This Changes"), pass::BreakEvent::Change);
  add(tr("Break When This Is Removed"), pass::BreakEvent::Remove);
  add(tr("Break When Anything Happens to This"), pass::BreakEvent::Any);
}

// --- kernels ---

void GraphView::fill_group_menu(QMenu& menu, fusion::GroupId group) {
  const auto plan = document_->fusion().plan();
  const auto last = document_->history().last_graph();
  const std::string name = last->node(plan->group(group).nodes.front()).name;
  add_title(menu, plain(text(plan->group(group).name)));
  add_merges(menu, group, name);
  add_pin(menu, group, name);
}

// With what was chosen together, and with the kernels that an edge leads to. `name` stands for the
// group.
void GraphView::add_merges(QMenu& menu, fusion::GroupId group, const std::string& name) {
  const auto plan = document_->fusion().plan();
  const auto last = document_->history().last_graph();
  std::vector<std::string> chosen;
  for (const graph::NodeId id : picked_)
    if (const graph::Node* node = last->find(id)) chosen.push_back(node->name);
  const auto merge = [this](QMenu& into, const QString& words, std::vector<std::string> names) {
    into.addAction(words, document_, [this, names = std::move(names)] {
      document_->add_edit({fusion::Edit::Kind::Merge, names});
    });
  };
  const QString words = tr("&Merge the %1 Selected").arg(chosen.size());
  if (chosen.size() > 1) merge(menu, words, std::move(chosen));
  std::map<fusion::GroupId, graph::NodeId> neighbours;
  for (const fusion::Decision& decision : plan->decisions) {
    const fusion::GroupId from = plan->group_of(decision.producer);
    const fusion::GroupId to = plan->group_of(decision.consumer);
    if (from == group && to != group) neighbours.emplace(to, decision.consumer);
    if (to == group && from != group) neighbours.emplace(from, decision.producer);
  }
  if (neighbours.empty()) return;
  QMenu* with = menu.addMenu(tr("Merge &With"));
  for (const auto& [other, node] : neighbours)
    merge(*with,
          plan->group(other).nodes.size() > 1 ? plain(text(plan->group(other).name))
                                              : end_words(*last, node),
          {name, last->node(node).name});
}

void GraphView::add_pin(QMenu& menu, fusion::GroupId group, const std::string& name) {
  const auto plan = document_->fusion().plan();
  const auto last = document_->history().last_graph();
  const auto& edits = document_->edits().edits;
  const auto holds = [&](const std::string& operator_name) {
    const auto& nodes = plan->group(group).nodes;
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](graph::NodeId id) { return last->node(id).name == operator_name; });
  };
  for (std::size_t i = 0; i < edits.size(); ++i)
    if (edits[i].kind == fusion::Edit::Kind::Pin && holds(edits[i].nodes.front())) {
      menu.addAction(tr("&Unpin %1").arg(plain(text(plan->group(group).name))), document_,
                     [this, i] { document_->remove_edit(i); });
      return;
    }
  menu.addAction(tr("&Pin %1").arg(plain(text(plan->group(group).name))), document_, [this, name] {
    document_->add_edit({fusion::Edit::Kind::Pin, {name}});
  });
}

}  // namespace loopglass::views
