#include "views/icicle/icicle_view.h"

#include "core/runtime/thread_pool.h"
#include "core/support/readable_time.h"
#include "views/document/stage_page.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/wrap_layout.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace loopglass::views {

IcicleView::IcicleView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      by_(new QComboBox),
      summary_(new QLabel),
      chart_(new IcicleChart) {
  by_->addItems({tr("By names"), tr("By blocks that repeat")});
  by_->setToolTip(tr("What the rows between the network and its kernels are"));
  auto* measure = new QPushButton(tr("Measure"));
  measure->setToolTip(tr("Time every kernel, on as many threads as run at once"));
  auto* tools = new WrapLayout(6);
  tools->addWidget(by_);
  tools->addWidget(measure);
  tools->addWidget(summary_);
  auto* content = new QWidget;
  auto* rows = new QVBoxLayout(content);
  rows->setContentsMargins(6, 4, 6, 4);
  rows->addLayout(tools);
  rows->addWidget(chart_, 1);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  auto* page =
      new StagePage(document, Stage::Plan, content, tr("Open a model to see where its time goes."));
  page->hide_while_guessing();
  layout->addWidget(page);
  setFocusProxy(chart_);

  chart_->color_of = [this](const IcicleCell& cell) { return color(cell); };
  connect(by_, &QComboBox::currentIndexChanged, this, &IcicleView::show_network);
  connect(measure, &QPushButton::clicked, this,
          [this] { document_->benchmark().start(runtime::hardware_threads()); });
  connect(&document->fusion(), &FusionStage::planChanged, this, &IcicleView::show_network);
  connect(&document->benchmark(), &BenchmarkStage::benchmarkChanged, this,
          &IcicleView::show_network);
  connect(&document->selection(), &Selection::selectionChanged, this, &IcicleView::show_selection);
  connect(chart_, &IcicleChart::chosen, this, &IcicleView::choose);
  show_network();
}

void IcicleView::show_network() {
  graph_ = document_->history().last_graph();
  const auto plan = document_->fusion().plan();
  if (!graph_ || !plan) {
    folding_ = {};
    chart_->set_cells({}, IcicleMeasure::Arithmetic);
    return summary_->clear();
  }
  const graph::Parts kernels = kernels_as_parts(*plan, *graph_);
  const bool by_blocks = by_->currentIndex() == 1;
  folding_ =
      graph::fold(*graph_, by_blocks ? graph::FoldBy::Blocks : graph::FoldBy::Names, &kernels);
  // Names that say nothing of parts make one row of everything.
  const bool are_telling = by_blocks || !folding_.folds.empty();
  by_->setItemText(0, are_telling ? tr("By names") : tr("By blocks (names have no parts)"));
  if (!are_telling) folding_ = graph::fold(*graph_, graph::FoldBy::Blocks, &kernels);
  const auto report = document_->benchmark().report();
  const PartCosts costs = part_costs(folding_, *graph_, *plan, report.get());
  const bool timed = costs.all.milliseconds.value_or(0) > 0;
  const Shown now{by_blocks || !are_telling, timed};
  chart_->set_cells(
      icicle_cells(folding_, costs, timed ? IcicleMeasure::Time : IcicleMeasure::Arithmetic,
                   document_->title().toStdString()),
      timed ? IcicleMeasure::Time : IcicleMeasure::Arithmetic);
  const QString when = document_->benchmark().measured_words(),
                other = document_->benchmark().other_times_words();
  summary_->setText(timed ? tr("Widths are medians of kernels, which add up to %1%2")
                                .arg(text(readable_time(Milliseconds(*costs.all.milliseconds))),
                                     when.isEmpty() ? QString() : ", " + when)
                    : other.isEmpty() ? tr("Widths are arithmetic: nothing has been measured yet")
                                      : tr("Widths are arithmetic: %1").arg(other));
  show_selection();
  if (std::exchange(shown_, now) != now) emit shownChanged();
}

QColor IcicleView::color(const IcicleCell& cell) const {
  const Theme& t = theme();
  if (cell.item < 0) return cell.depth % 2 ? t.raised : t.selected;
  const auto plan = document_->fusion().plan();
  const auto& nodes = folding_.items[static_cast<std::size_t>(cell.item)].nodes;
  const graph::Node* node = graph_->find(nodes.front());
  if (plan && node)
    if (const fusion::GroupId group = document_->fusion().group_of(*node); group.valid())
      if (const graph::Node* anchor = graph_->find(plan->group(group).anchor)) node = anchor;
  return node ? t.family(node->op->family) : t.raised;
}

std::vector<graph::NodeId> IcicleView::nodes_of(const IcicleCell& cell) const {
  std::vector<graph::NodeId> nodes;
  const auto add = [&](std::uint32_t item) {
    const auto& more = folding_.items[item].nodes;
    nodes.insert(nodes.end(), more.begin(), more.end());
  };
  if (cell.item >= 0) add(static_cast<std::uint32_t>(cell.item));
  if (cell.fold >= 0)
    for (const std::uint32_t item : folding_.folds[static_cast<std::size_t>(cell.fold)].items)
      add(item);
  return nodes;
}

void IcicleView::choose(int which) {
  const IcicleCell& cell = chart_->cells()[static_cast<std::size_t>(which)];
  const auto nodes = nodes_of(cell);
  if (nodes.empty()) return document_->selection().clear();
  if (cell.item >= 0)
    if (const graph::Node* node = graph_->find(nodes.front()))
      if (const fusion::GroupId group = document_->fusion().group_of(*node); group.valid())
        return document_->selection().select_group(group);
  std::optional<SelectedPart> part;
  if (cell.fold >= 0) {
    const graph::Fold& fold = folding_.folds[static_cast<std::size_t>(cell.fold)];
    part = SelectedPart{fold.title, fold.repeats};
  }
  document_->selection().select_nodes(nodes, std::move(part));
}

void IcicleView::show_selection() {
  const auto& selected = document_->selection().highlighted_nodes();
  std::vector<bool> marked;
  for (const IcicleCell& cell : chart_->cells()) {
    const auto nodes = cell.item >= 0 ? nodes_of(cell) : std::vector<graph::NodeId>{};
    marked.push_back(std::any_of(nodes.begin(), nodes.end(),
                                 [&](graph::NodeId node) { return selected.contains(node); }));
  }
  chart_->set_marked(std::move(marked));
}

}  // namespace loopglass::views
