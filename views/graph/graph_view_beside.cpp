// The second canvas: the button and menu that open it, and what it takes from the first.
#include "core/pass/position_name.h"
#include "views/canvas/canvas_pane.h"
#include "views/graph/beside_canvas.h"
#include "views/graph/graph_view.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/tool_row.h"

#include <QActionGroup>
#include <QMenu>
#include <QToolButton>

#include <cstdlib>

namespace loopglass::views {

using Kind = SavedBeside::Kind;

void GraphView::make_beside() {
  beside_ = new BesideCanvas(document_, this);
  pane_->stand_beside(beside_);
  auto* button = new QToolButton;
  button->setText(tr("Beside"));
  button->setToolTip(
      tr("A second canvas beside this one: another step, strategy or pipeline (F8)"));
  button->setObjectName("besideButton");
  button->setAutoRaise(true);
  button->setPopupMode(QToolButton::InstantPopup);
  button->setMenu(new QMenu(button));
  connect(button->menu(), &QMenu::aboutToShow, this,
          [this, button] { fill_beside_menu(*button->menu()); });
  pane_->tools()->insert(7, button, 7);  // before Mark, and seldom left out
  connect(beside_, &BesideCanvas::heatChanged, this, &GraphView::show_heat_again);
  connect(beside_, &BesideCanvas::differencesChanged, this,
          [this] { canvas()->set_overlay(overlay_of(drawn())); });
  connect(beside_, &BesideCanvas::shownChanged, this, [this, open = false]() mutable {
    if (std::exchange(open, beside_->is_open()) != beside_->is_open()) fit_columns_again();
    emit switchesChanged();
  });
}

// As large as the pane, at the size that text has; roughly, since a scroll bar less is no other
// page.
QSize GraphView::page_there_is() const {
  return canvas()->viewport()->size() / text_scale() / 50 * 50;
}

// That of the pane as it is. Until somebody asks for columns anew it stays, however the
// pane is resized; folded otherwise, it is another drawing, with a page of its own.
QSize GraphView::page_of_columns() {
  const auto model = document_->model();
  if (!is_same(page_of_, model)) pages_.clear();
  page_of_ = model;
  QSize& page = page_now();
  if (page.isEmpty()) {
    page = page_there_is();
    QMetaObject::invokeMethod(this, &GraphView::switchesChanged, Qt::QueuedConnection);
  }
  return page;
}

// Whoever wants to see all of it has it as large as it can be: in the columns that suit the page
// there is now, if that is clearly another than they were chosen for.
void GraphView::fit_columns_to_page() {
  constexpr double alike = 0.1;
  const QSize page = page_now(), now = page_there_is();
  const auto differs = [](int chosen, int here) {
    return std::abs(here - chosen) > alike * chosen;
  };
  const bool is_other = differs(page.width(), now.width()) || differs(page.height(), now.height());
  if (fits_next_ || !columns_ || page.isEmpty() || !is_other ||
      !is_same(page_of_, document_->model()))
    return;
  page_now() = {};
  for (const DrawingPtr& drawing : drawings_) drawing->columns.reset();
  drawing_shown_ = nullptr;
  fits_next_ = true;
  refresh_later();
}

// Of half the pane others suit.
void GraphView::fit_columns_again() {
  pane_->share_evenly();
  pages_.clear();
  for (const DrawingPtr& drawing : drawings_) drawing->columns.reset();
  drawing_shown_ = nullptr;
  refresh_later();
}

void GraphView::fill_beside_menu(QMenu& menu) {
  menu.clear();
  menu.setToolTipsVisible(true);
  const auto history = document_->history().recorded();
  const SavedBeside& shown = beside_->shown();
  auto* choices = new QActionGroup(&menu);
  const auto add = [&](QMenu& to, const QString& words, SavedBeside beside) {
    beside.linked = shown.linked;
    QAction* action = to.addAction(words, beside_, [this, beside] { beside_->show_place(beside); });
    action->setCheckable(true);
    action->setChecked(beside.kind == shown.kind && beside.what == shown.what);
    choices->addAction(action);
    return action;
  };
  add(menu, tr("&None"), {});
  menu.addSeparator();
  if (!history) return;
  add(menu, tr("The Step &Before This"), {Kind::StepBefore});
  add(menu, tr("The Place It Is &Compared With"), {Kind::Compared});
  add(menu, tr("The &Imported Graph"), {Kind::Step, pass::position_name({0}, *history)});
  QMenu* steps = menu.addMenu(tr("Another &Step"));
  for (std::size_t step = 0; step < history->steps.size(); ++step)
    if (step == 0 || history->steps[step].changed)
      add(*steps, plain(text(pass::describe({step}, *history))),
          {Kind::Step, pass::position_name({step}, *history)});
  QMenu* strategies = menu.addMenu(tr("Another S&trategy"));
  strategies->setToolTipsVisible(true);
  for (const fusion::Strategy& strategy : document_->toolchain().strategies)
    if (strategy.name != "manual" || !document_->edits().edits.empty())
      add(*strategies, plain(text(strategy.name)), {Kind::Strategy, strategy.name})
          ->setToolTip(text(strategy.doc));
  const std::string& pipeline = beside_->offered_pipeline();
  QAction* other = add(menu, tr("The Second &Pipeline"), {Kind::Passes, pipeline});
  other->setEnabled(!pipeline.empty());
  other->setToolTip(pipeline.empty() ? tr("Compare pipelines has to have compared two")
                                     : tr("What was compared with: %1").arg(text(pipeline)));
  menu.addSeparator();
  QAction* linked = menu.addAction(tr("&Linked: Both Look at the Same Place"), beside_,
                                   &BesideCanvas::set_linked);
  linked->setCheckable(true);
  linked->setChecked(shown.linked);
  linked->setEnabled(beside_->is_open());
}

std::shared_ptr<GraphDrawing> GraphView::drawing_of(
    const std::shared_ptr<const pass::GraphHistory>& history,
    const std::shared_ptr<const fusion::Plan>& plan) const {
  for (const DrawingPtr& drawing : drawings_)
    if (drawing->history == history && drawing->plan == plan) return drawing;
  return nullptr;
}

bool GraphView::is_laying_out() const {
  return !known_drawing() && document_->jobs().busy(canvas()->lane());
}

}  // namespace loopglass::views
