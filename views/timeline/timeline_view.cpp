#include "views/timeline/timeline_view.h"

#include "views/document/stage_page.h"
#include "views/theme.h"
#include "views/timeline/timeline_model.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

namespace loopglass::views {

TimelineView::TimelineView(Document* document, QWidget* parent)
    : QWidget(parent), document_(document), model_(new TimelineModel(this)), tree_(new QTreeView) {
  tree_->setModel(model_);
  tree_->setObjectName("timelineTree");
  tree_->setUniformRowHeights(true);
  tree_->setIndentation(14);
  tree_->setTextElideMode(Qt::ElideRight);
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setSectionResizeMode(TimelineModel::Name, QHeaderView::Stretch);
  for (int column = 1; column < TimelineModel::ColumnCount; ++column)
    tree_->header()->setSectionResizeMode(column, QHeaderView::ResizeToContents);

  auto* content = new QWidget;
  auto* inner = new QVBoxLayout(content);
  inner->setContentsMargins(0, 0, 0, 0);
  inner->setSpacing(0);
  inner->addWidget(make_buttons());
  inner->addWidget(tree_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(new StagePage(document, Stage::Model, content,
                                  tr("Open a model to step through its passes.")));

  connect(document, &Document::historyChanged, this, &TimelineView::show_history);
  connect(document, &Document::stepChanged, this, &TimelineView::show_step);
  connect(tree_, &QTreeView::clicked, this, &TimelineView::activate);
  connect(tree_, &QTreeView::activated, this, &TimelineView::activate);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, tree_->viewport(),
          qOverload<>(&QWidget::update));
  show_history();
}

QWidget* TimelineView::make_buttons() {
  auto* bar = new QWidget;
  auto* row = new QHBoxLayout(bar);
  row->setContentsMargins(6, 3, 6, 3);
  row->setSpacing(4);
  const auto add = [&](const QString& text, const QString& tip) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setAutoRaise(true);
    row->addWidget(button);
    return button;
  };
  back_ = add("◀", tr("Back one step (Shift+F10)"));
  position_ = new QLabel;
  row->addWidget(position_);
  forward_ = add("▶", tr("Forward one step (F10)"));
  row->addStretch();
  changed_only_ = add(tr("Changed only"), tr("Hide passes that changed nothing"));
  changed_only_->setCheckable(true);
  passes_ = add(tr("Passes"), tr("Switch passes on and off"));
  passes_->setPopupMode(QToolButton::InstantPopup);
  passes_->setMenu(new QMenu(passes_));

  connect(back_, &QToolButton::clicked, this, [this] { document_->step_by(-1); });
  connect(forward_, &QToolButton::clicked, this, [this] { document_->step_by(1); });
  connect(changed_only_, &QToolButton::toggled, this, &TimelineView::hide_unchanged);
  connect(passes_->menu(), &QMenu::aboutToShow, this, &TimelineView::fill_pass_menu);
  return bar;
}

void TimelineView::fill_pass_menu() {
  QMenu* menu = passes_->menu();
  menu->clear();
  menu->setToolTipsVisible(true);
  for (const pass::GraphPass& pass : document_->toolchain().graph_passes) {
    const QString name = QString::fromStdString(pass.info.name);
    QAction* action = menu->addAction(name);
    action->setToolTip(QString::fromStdString(pass.info.doc));
    action->setCheckable(true);
    action->setChecked(document_->pass_enabled(name));
    connect(action, &QAction::toggled, this,
            [this, name](bool on) { document_->set_pass_enabled(name, on); });
  }
}

void TimelineView::show_history() {
  model_->set_history(document_->history());
  hide_unchanged();
  show_step();
}

void TimelineView::show_step() {
  back_->setEnabled(document_->can_step(-1));
  forward_->setEnabled(document_->can_step(1));
  if (!document_->history()) return position_->clear();
  model_->set_current_step(document_->step());
  position_->setText(
      tr("Step %1 of %2").arg(document_->step()).arg(document_->history()->steps.size() - 1));
  // The current row may be a rewrite of this very step: leave it then.
  const QModelIndex current = tree_->currentIndex();
  if (!current.isValid() || TimelineModel::step_of(current) != document_->step())
    tree_->setCurrentIndex(model_->index_of_step(document_->step()));
}

void TimelineView::hide_unchanged() {
  for (int row = 0; row < model_->rowCount(); ++row)
    tree_->setRowHidden(
        row, {},
        changed_only_->isChecked() && !model_->step_changed(static_cast<std::size_t>(row)));
}

void TimelineView::activate(const QModelIndex& index) {
  if (!index.isValid()) return;
  document_->set_step(TimelineModel::step_of(index));
  const pass::Rewrite* rewrite = model_->rewrite_at(index);
  if (!rewrite) return;
  if (!rewrite->made.empty())
    document_->selection().select_node(graph::NodeId{rewrite->made.front()});
  else if (!rewrite->consumed.empty())
    document_->selection().select_node(graph::NodeId{rewrite->consumed.front()});
}

}  // namespace loopglass::views
