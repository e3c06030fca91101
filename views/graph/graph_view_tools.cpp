// What one can do in the graph pane beside looking: switches, what to compare with, marks, search,
// and tool tips.
#include "views/graph/graph_view.h"

#include "core/graph/diff.h"
#include "core/graph/node_filter.h"
#include "views/canvas/canvas_pane.h"
#include "views/widgets/problem_text.h"
#include "views/widgets/steady_button.h"
#include "views/widgets/tool_row.h"

#include <QMenu>
#include <QRegularExpression>
#include <QToolButton>

namespace loopglass::views {

// In a narrow pane those go first, into a menu, that are set once and then left alone.
void GraphView::make_tools() {
  const auto add = [&](QToolButton* button, const QString& text, const QString& tip) {
    button->setText(text);
    button->setToolTip(tip);
    button->setAutoRaise(true);
  };
  const auto add_switch = [&](QToolButton* button, const QString& text, const QString& tip) {
    add(button, text, tip);
    button->setCheckable(true);
    button->setChecked(true);
    connect(button, &QToolButton::toggled, this, &GraphView::refresh_later);
    connect(button, &QToolButton::toggled, this, &GraphView::switchesChanged);
  };
  add_switch(groups_, tr("Kernels"),
             tr("Draw the fused groups, each of which becomes one kernel, over the graph"));
  add_switch(verdicts_, tr("Verdicts"),
             tr("Show on every edge whether its ends share a kernel, and by its code why not"));
  add_switch(ghosts_, tr("Ghosts"), tr("Leave an outline (−) where a step removed something"));
  add(follow_, tr("Follow"), tr("Keep what a step changes in view"));
  follow_->setObjectName("followButton");
  follow_->setCheckable(true);
  follow_->setChecked(true);
  connect(follow_, &QToolButton::toggled, this, &GraphView::switchesChanged);
  add(compare_, tr("Compare"), tr("What the graph is compared with: + new, ~ changed, − removed"));
  compare_->setObjectName("compareButton");
  compare_->setPopupMode(QToolButton::InstantPopup);
  compare_->setMenu(new QMenu(compare_));
  connect(compare_->menu(), &QMenu::aboutToShow, this, &GraphView::fill_compare_menu);
  make_fold_menu();
  make_color_menu();
  add(mark_, tr("Mark"), tr("Mark all operators of a filter, also in the steps to come"));
  mark_->setObjectName("markButton");
  mark_->setPopupMode(QToolButton::InstantPopup);
  mark_->setMenu(new QMenu(mark_));
  connect(mark_->menu(), &QMenu::aboutToShow, this, &GraphView::fill_mark_menu);
  int place = 0;
  for (const auto& [button, worth] : {std::pair<QToolButton*, int>{groups_, 6},
                                      {verdicts_, 5},
                                      {ghosts_, 2},
                                      {follow_, 3},
                                      {fold_, 9},
                                      {color_, 8},
                                      {compare_, 4},
                                      {mark_, 1}})
    pane_->tools()->insert(place++, button, worth);
}

void GraphView::fill_switch_menu(QMenu& menu) {
  menu.clear();
  for (QToolButton* button : {groups_, verdicts_, ghosts_, follow_}) {
    QAction* action = menu.addAction(button->text(), button, &QToolButton::click);
    action->setToolTip(button->toolTip());
    action->setCheckable(true);
    action->setChecked(button->isChecked());
  }
  menu.addSeparator();
  mark_->menu()->setTitle(mark_->text());
  menu.addMenu(mark_->menu());
}

void GraphView::fill_compare_menu() {
  QMenu* menu = compare_->menu();
  menu->clear();
  const auto history = document_->history().recorded();
  if (!history) return;
  const auto pinned = document_->history().pinned_base();
  const auto add = [&](const QString& text, std::optional<pass::Position> place) {
    QAction* action =
        menu->addAction(text, document_, [this, place] { document_->history().pin_base(place); });
    action->setCheckable(true);
    action->setChecked(place == pinned);
  };
  add(tr("The Place Before"), {});
  menu->addSeparator();
  for (std::size_t step = 0; step < history->steps.size(); ++step)
    if (step == 0 || history->steps[step].changed)
      add(QString::fromStdString(pass::describe({step}, *history)), pass::Position{step});
  menu->addSeparator();
  menu->addAction(tr("Pin This Place"), document_,
                  [this] { document_->history().pin_base(document_->history().position()); });
}

void GraphView::fill_mark_menu() {
  QMenu* menu = mark_->menu();
  menu->clear();
  const QString searched = pane_->search_text();
  const auto filter = graph::parse_node_filter(searched.toStdString());
  const bool usable = !searched.isEmpty() && filter;
  menu->addAction(
          usable ? tr("Mark \"%1\"").arg(searched) : tr("Mark What Is Searched For (Ctrl+F)"), this,
          [this, searched, filter] {
            marks_.push_back({searched.toStdString(), *filter});
            refresh_later();
            emit switchesChanged();
          })
      ->setEnabled(usable);
  if (!marks_.empty()) menu->addSeparator();
  for (std::size_t rule = 0; rule < marks_.size(); ++rule)
    menu->addAction(
        tr("%1: %2 — take away").arg(rule + 1).arg(QString::fromStdString(marks_[rule].text)), this,
        [this, rule] {
          marks_.erase(marks_.begin() + static_cast<std::ptrdiff_t>(rule));
          refresh_later();
          emit switchesChanged();
        });
}

QString GraphView::tip_of_box(std::uint32_t box) const {
  const auto graph = document_->history().graph();
  const auto base = document_->history().base_graph();
  if (!graph) return {};
  if (const auto* value = std::get_if<graph::ValueId>(&shown_.entities[box])) {
    const graph::Value* found = graph->find(*value);
    return found ? value_tooltip(*found) : QString();
  }
  if (std::holds_alternative<FoldedPart>(shown_.entities[box])) return tip_of_part(box);
  const auto id = std::get<graph::NodeId>(shown_.entities[box]);
  if (const graph::Node* node = graph->find(id)) {
    QString tip = node_tooltip(*graph, *node);
    const graph::Node* old = base ? base->find(id) : nullptr;
    if (base && !old) return tip + tr("<p>+ not there before</p>");
    if (!base || old == node) return tip;
    const auto differences = graph::differences(*base, *old, *graph, *node);
    if (!differences.empty())
      tip += "<p>~ " + QString::fromStdString(graph::to_text(differences)).toHtmlEscaped() + "</p>";
    return tip;
  }
  const graph::Node* gone = base ? base->find(id) : nullptr;
  return gone ? node_tooltip(*base, *gone) + tr("<p>− removed</p>") : QString();
}

// Bare words are looked for everywhere on a box; anything else is a filter of operators.
std::optional<CanvasMatch> GraphView::match(const QString& text) const {
  static const QRegularExpression grammar("[=<>~!&|()\"]");
  const auto graph = document_->history().graph();
  if (!graph || !text.contains(grammar)) return {};
  CanvasMatch match;
  const auto filter = graph::parse_node_filter(text.toStdString());
  if (!filter) {
    match.problem = problem_text(filter.error());
    return match;
  }
  match.words = QString::fromStdString(in_words(*filter, graph::node_fields()));
  for (const graph::NodeId id : graph::matching_nodes(*filter, *graph))
    if (const auto box = shown_.box_of_node.find(id); box != shown_.box_of_node.end())
      match.nodes.push_back(box->second);
  return match;
}

}  // namespace loopglass::views
