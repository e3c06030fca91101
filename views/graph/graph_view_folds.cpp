// Folding in the graph pane: how the network is folded, what is opened and closed, and drawings
// that have room for nothing but what is shown.
#include "views/canvas/canvas_pane.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/fold_titles.h"
#include "views/graph/graph_view.h"
#include "views/text.h"

#include <QActionGroup>
#include <QMenu>
#include <QToolButton>

#include <fmt/format.h>

#include <map>
#include <set>
#include <utility>

namespace loopglass::views {
namespace {

constexpr std::size_t most_unfolded = 2000;  // operators; more of them open folded

// Of the folds of this key, which open together, the first that is drawn.
std::vector<std::uint32_t> boxes_inside(const GraphContent& content, std::uint64_t key) {
  if (!content.folded) return {};
  const auto& folds = content.folding->folds;
  std::optional<int> opened;
  std::vector<std::uint32_t> inside;
  for (std::uint32_t box = 0; box < content.folded_boxes.size(); ++box) {
    if (!content.folded_boxes[box]) continue;
    int around = content.folded->boxes()[*content.folded_boxes[box]].parent;
    while (around >= 0 && folds[static_cast<std::size_t>(around)].key != key)
      around = folds[static_cast<std::size_t>(around)].parent;
    if (around < 0 || around != opened.value_or(around)) continue;
    opened = around;
    inside.push_back(box);
  }
  return inside;
}

}  // namespace

void GraphView::make_fold_menu() {
  fold_->setText(tr("Fold"));
  fold_->setToolTip(
      tr("Show parts of the network as one box: blocks that repeat, what shares a name, "
         "kernels. Double-click or Return opens a box."));
  fold_->setAutoRaise(true);
  fold_->setObjectName("foldButton");
  fold_->setPopupMode(QToolButton::InstantPopup);
  fold_->setMenu(new QMenu(fold_));
  connect(fold_->menu(), &QMenu::aboutToShow, this, [this] { fill_fold_menu(*fold_->menu()); });
}

void GraphView::fill_fold_menu(QMenu& menu) {
  menu.clear();
  auto* choices = new QActionGroup(&menu);
  const auto choice = [&](const QString& words, Folded by) {
    QAction* action = menu.addAction(words, this, [this, by] { fold_by(by); });
    action->setCheckable(true);
    action->setChecked(folded_ == by);
    choices->addAction(action);
  };
  choice(tr("&Not Folded"), Folded::No);
  choice(tr("By &Blocks That Repeat"), Folded::Blocks);
  choice(tr("B&y Names"), Folded::Names);
  menu.addSeparator();
  const auto toggle = [&](const QString& words, bool on, auto change) {
    QAction* action = menu.addAction(words, this, [this, change, on] {
      change(!on);
      refresh_later();
      emit switchesChanged();
    });
    action->setCheckable(true);
    action->setChecked(on);
    return action;
  };
  toggle(tr("&Kernels as Boxes"), kernels_as_boxes_, [this](bool on) {
    kernels_as_boxes_ = on;
  })->setEnabled(document_->fusion().plan() && !document_->fusion().is_guessing());
  menu.addSeparator();
  const auto act = [&](const QString& words, bool possible, auto change) {
    menu.addAction(words, this, [this, change] { change_folds(change); })->setEnabled(possible);
  };
  const bool folds = shown_.folding && !shown_.folding->folds.empty();
  act(tr("&Open All"), folds,
      [folding = shown_.folding](graph::OpenFolds& open) { open = graph::all_open(*folding); });
  act(tr("&Close All"), folds && open_folds_ != graph::OpenFolds{},
      [](graph::OpenFolds& open) { open = {}; });
  menu.addSeparator();
  toggle(tr("Co&mpact: Room for This Step Alone"), draws_compactly(), [this](bool on) {
    compact_ = on;
    steady_ = !on;
  })->setEnabled(folded_ == Folded::No && !kernels_as_boxes_);
  toggle(tr("Tall Networks in Co&lumns"), columns_, [this](bool on) {
    columns_ = on;
    pages_.clear();
    for (const DrawingPtr& drawing : drawings_) drawing->columns.reset();
  });
}

void GraphView::fold_by(Folded by) {
  folded_ = by;
  folds_large_ = false;
  open_folds_ = {};
  refresh_later();
  emit switchesChanged();
}

SavedFolds GraphView::folds_now() const {
  SavedFolds folds{
      name_of(folded_), !folds_large_, kernels_as_boxes_, compact_, steady_, columns_, {}, {}};
  put_open_folds(open_folds_, folds);
  const auto page = pages_.find({folded_, kernels_as_boxes_});
  if (columns_ && page != pages_.end() && is_same(page_of_, document_->model())) {
    folds.page_width = page->second.width();
    folds.page_height = page->second.height();
  }
  return folds;
}

// How a graph is folded and coloured suits it and no other: each is as it was left in this window,
// and a new one as every graph is at first.
void GraphView::follow_model() {
  if (is_same(folds_of_, document_->model())) return;
  keep_look();
  const auto left = looks_.find(name_of_model());
  const bool known = left != looks_.end();
  use_folds(known ? left->second.folds : SavedFolds{});
  set_measure(known ? left->second.measure : Measure::Family);
  if (folds_large_ && !known && document_->history().graph()->nodes().size() > most_unfolded)
    folded_ = Folded::Blocks;
}

void GraphView::keep_look() {
  if (!look_of_.empty()) looks_.insert_or_assign(look_of_, Look{folds_now(), measure_});
}

std::string GraphView::name_of_model() const {
  const ModelSource& source = document_->source();
  return fmt::format("{}\n{}",
                     (source.argument.isEmpty() ? source.title : source.argument).toStdString(),
                     subgraph_path(source));
}

void GraphView::use_folds(const SavedFolds& folds) {
  folded_ = folded_by(folds);
  folds_large_ = !folds.asked;
  kernels_as_boxes_ = folds.kernels;
  compact_ = folds.compact;
  steady_ = folds.steady;
  columns_ = folds.columns;
  open_folds_ = open_folds_of(folds);
  folds_of_ = document_->model();
  look_of_ = document_->model() ? name_of_model() : std::string();
  pages_.clear();
  page_now() = {folds.page_width, folds.page_height};
  page_of_ = document_->model();
  for (const DrawingPtr& drawing : drawings_) drawing->columns.reset();
}

void GraphView::change_folds(const std::function<void(graph::OpenFolds&)>& change) {
  change(open_folds_);
  refresh_later();
  emit switchesChanged();
}

bool GraphView::is_same(const std::weak_ptr<const onnx::Model>& known,
                        const std::shared_ptr<const onnx::Model>& model) {
  return !known.owner_before(model) && !model.owner_before(known);
}

// Operators that come and go keep their places in a drawing of all steps; folded ones would leave
// nothing but room. So would kernels, which are of the end, where one reads and does not step.
bool GraphView::draws_compactly() const {
  const bool reads_the_end = !steady_ && plan_drawn() &&
                             document_->history().graph() == document_->history().last_graph() &&
                             !(beside_ && beside_->is_open());
  return compact_ || reads_the_end || folded_ != Folded::No ||
         (kernels_as_boxes_ && document_->fusion().plan() && !document_->fusion().is_guessing());
}

std::shared_ptr<const graph::Folding> GraphView::folding() const {
  const bool kernels = kernels_as_boxes_ && !document_->fusion().is_guessing();
  return folding_.of(
      document_->history().graph(), folded_, kernels ? document_->fusion().plan() : nullptr,
      [this](const graph::Node& node) { return document_->fusion().group_of(node); });
}

bool GraphView::knows_folds() const {
  return document_->history().graph() &&
         (!kernels_as_boxes_ || document_->fusion().plan() || document_->fusion().is_guessing() ||
          document_->state(Stage::Plan) == StageState::Failed);
}

void GraphView::draw_compactly() {
  GraphContent content = content_now(boxes_);
  const bool fresh = document_->model().get() != model_shown_;
  model_shown_ = document_->model().get();
  drawing_shown_ = nullptr;
  CanvasContent canvas_content = std::move(content.canvas);
  next_shown_ = std::move(content);
  canvas()->set_columns({columns_ ? page_of_columns() : QSize(), {}});
  canvas()->set_content(std::move(canvas_content), fresh);
}

// The canvas has what was waiting for its layout.
void GraphView::accept_compact() {
  if (!next_shown_) return;
  const std::vector<std::uint32_t> touched = next_shown_->touched;
  shown_ = *std::exchange(next_shown_, std::nullopt);
  plan_shown_ = kernels_as_boxes_ ? nullptr : plan_drawn();
  tell_shown();
  const pass::Position place = document_->history().position();
  const auto opened = std::exchange(opened_fold_, std::nullopt);
  const bool taken = take_camera();
  if (!taken && opened) canvas()->show_together(boxes_inside(shown_, *opened));
  if (!taken && follow_->isChecked() && place_shown_ != place) canvas()->show_together(touched);
  if (fits_next_ && !taken) canvas()->fit();
  fits_next_ = false;
  place_shown_ = place;
}

// True where there was something to open.
bool GraphView::open_fold(std::uint32_t box) {
  const auto* part = std::get_if<FoldedPart>(&shown_.entities[box]);
  if (!part) return false;
  const graph::FoldedBox& folded = shown_.folded->boxes()[part->box];
  if (folded.fold < 0) return true;  // a kernel stays one box
  const graph::Fold& fold = shown_.folding->folds[static_cast<std::size_t>(folded.fold)];
  opened_fold_ = fold.key;
  canvas()->stay_here();  // to read what is in it
  change_folds([folding = shown_.folding, &fold](graph::OpenFolds& open) {
    graph::open_fold(open, *folding, fold);
  });
  return true;
}

bool GraphView::fill_fold_actions(QMenu& menu, std::uint32_t box) {
  if (!shown_.folded) return false;
  if (!shown_.folded_boxes[box]) return false;
  const graph::FoldedBox& folded = shown_.folded->boxes()[*shown_.folded_boxes[box]];
  if (folded.fold >= 0) {
    const graph::Fold& fold = shown_.folding->folds[static_cast<std::size_t>(folded.fold)];
    menu.addAction(fold.repeats > 1 ? tr("&Open One of %1").arg(fold.repeats) : tr("&Open"), this,
                   [this, box] { open_fold(box); });
    if (fold.repeats > 1)
      menu.addAction(tr("Open A&ll %1").arg(fold.repeats), this, [this, key = fold.key] {
        change_folds([&](graph::OpenFolds& open) { open.open.insert(key); });
      });
  }
  const std::vector<QString> titles = fold_titles(*shown_.folding);
  int around = folded.parent;
  for (; around >= 0; around = shown_.folding->folds[static_cast<std::size_t>(around)].parent) {
    const graph::Fold& fold = shown_.folding->folds[static_cast<std::size_t>(around)];
    const QString name = plain(titles[static_cast<std::size_t>(around)]);
    menu.addAction(fold.repeats > 1 ? tr("Close %1 ×%2").arg(name).arg(fold.repeats)
                                    : tr("Close %1").arg(name),
                   this, [this, folding = shown_.folding, around] {
                     change_folds([&](graph::OpenFolds& open) {
                       graph::close_fold(open, *folding,
                                         folding->folds[static_cast<std::size_t>(around)]);
                     });
                   });
    if (fold.repeats > 1 && open_folds_.shown_once.contains(fold.key))
      menu.addAction(tr("Show All %1 of %2").arg(fold.repeats).arg(name), this,
                     [this, key = fold.key] {
                       change_folds([&](graph::OpenFolds& open) {
                         open.shown_once.erase(key);
                         open.open.insert(key);  // its blocks stay as they are
                       });
                     });
  }
  return !menu.isEmpty();
}

QString GraphView::tip_of_part(std::uint32_t box) const {
  const auto part = std::get<FoldedPart>(shown_.entities[box]);
  const auto graph = document_->history().graph();
  const graph::FoldedBox& folded = shown_.folded->boxes()[part.box];
  const auto nodes = nodes_of(shown_, part);
  QString tip =
      "<b>" +
      text(folded.fold >= 0 ? shown_.folding->folds[static_cast<std::size_t>(folded.fold)].title
                            : shown_.folding->items[folded.item].name)
          .toHtmlEscaped() +
      "</b>";
  if (folded.fold >= 0) {
    const int repeats = shown_.folding->folds[static_cast<std::size_t>(folded.fold)].repeats;
    if (repeats > 1) tip += tr("<br>%1 blocks that are alike, operator for operator").arg(repeats);
  }
  std::map<std::string, int> kinds;
  std::set<std::uint32_t> kernels;
  for (const graph::NodeId id : nodes) {
    const graph::Node* node = graph->find(id);
    if (!node) continue;
    ++kinds[operator_name(*node)];
    if (const fusion::GroupId group = document_->fusion().group_of(*node); group.valid())
      kernels.insert(group.value);
  }
  QStringList words;
  for (const auto& [name, count] : kinds)
    words << (count > 1 ? QString("%1 %2").arg(count).arg(text(name).toHtmlEscaped())
                        : text(name).toHtmlEscaped());
  tip += "<br>" + words.join(", ");
  if (!kernels.empty() && !document_->fusion().is_guessing())
    tip += kernels.size() == 1 ? tr("<br>one kernel") : tr("<br>in %1 kernels").arg(kernels.size());
  const Measure measure = measure_ == Measure::Family ? Measure::Time : measure_;
  const Heat heat = heat_of_boxes(measure);
  if (const auto amount = heat.boxes.find(box); amount != heat.boxes.end())
    tip += tr("<br>%1: %2").arg(measure_name(measure), amount->second.word);
  return tip;
}

}  // namespace loopglass::views
