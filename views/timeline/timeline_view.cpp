#include "views/timeline/timeline_view.h"

#include "views/document/debugger.h"
#include "views/document/stage_page.h"
#include "views/theme.h"
#include "views/timeline/timeline_model.h"
#include "views/timeline/walk_actions.h"
#include "views/widgets/keep_in_view.h"
#include "views/widgets/tool_row.h"

#include <QGuiApplication>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QToolButton>
#include <QTreeView>
#include <QVBoxLayout>

#include <algorithm>
#include <utility>

namespace loopglass::views {

TimelineView::TimelineView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      model_(new TimelineModel(this)),
      tree_(new QTreeView),
      walks_(new WalkActions(document, false, this)),
      sentence_(new QLabel) {
  tree_->setModel(model_);
  tree_->setObjectName("timelineTree");
  tree_->setUniformRowHeights(true);
  tree_->setIndentation(14);
  tree_->setTextElideMode(Qt::ElideRight);
  tree_->setContextMenuPolicy(Qt::CustomContextMenu);
  keep_current_in_view(tree_);  // the sentence below it may be long
  tree_->header()->setStretchLastSection(false);
  tree_->header()->setMinimumSectionSize(30);
  tree_->header()->setSectionResizeMode(TimelineModel::Name, QHeaderView::Stretch);
  for (int column = 1; column < TimelineModel::ColumnCount; ++column)
    tree_->header()->setSectionResizeMode(column, QHeaderView::Fixed);
  tree_->viewport()->installEventFilter(this);
  sentence_->setObjectName("timelineSentence");
  sentence_->setWordWrap(true);
  sentence_->setMargin(6);
  sentence_->setTextFormat(Qt::PlainText);
  sentence_->setTextInteractionFlags(Qt::TextSelectableByMouse);

  auto* content = new QWidget;
  auto* inner = new QVBoxLayout(content);
  inner->setContentsMargins(0, 0, 0, 0);
  inner->setSpacing(0);
  inner->addWidget(make_buttons());
  inner->addWidget(tree_, 1);
  inner->addWidget(sentence_);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(new StagePage(document, Stage::Model, content,
                                  tr("Open a model to step through its passes.")));

  connect(&document->history(), &HistoryStage::historyChanged, this, &TimelineView::show_history);
  connect(&document->history(), &HistoryStage::stepChanged, this, &TimelineView::show_position);
  connect(&document->selection(), &Selection::selectionChanged, this,
          &TimelineView::show_selection);
  connect(&document->debugger(), &Debugger::nodesChanged, this,
          [this] { model_->set_node_history(document_->debugger().nodes()); });
  connect(&document->debugger(), &Debugger::stopsChanged, this, &TimelineView::show_stops);
  connect(tree_, &QTreeView::clicked, this, &TimelineView::activate);
  connect(tree_, &QTreeView::activated, this, &TimelineView::activate);
  connect(tree_->selectionModel(), &QItemSelectionModel::currentChanged, this,
          &TimelineView::follow_key);
  // What is below a step is read as a line.
  connect(tree_, &QTreeView::expanded, this, [this](const QModelIndex& step) {
    for (int row = 0; row < model_->rowCount(step); ++row)
      tree_->setFirstColumnSpanned(row, step, true);
  });
  connect(tree_, &QTreeView::customContextMenuRequested, this, &TimelineView::open_menu);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, tree_->viewport(),
          qOverload<>(&QWidget::update));
  show_history();
}

QWidget* TimelineView::make_buttons() {
  // The place is told in the window's tool bar, too.
  constexpr int says_where = 0, filters = 1;
  auto* row = new ToolRow;
  for (const Walk walk :
       {Walk::PassBack, Walk::RewriteBack, Walk::RewriteForward, Walk::PassForward}) {
    auto* button = new QToolButton;
    button->setDefaultAction(walks_->action(walk));
    button->setAutoRaise(true);
    button->setFixedWidth(28);
    row->add(button);
  }
  place_ = new QLabel;
  row->add(place_, says_where);
  row->add_stretch();
  const auto add = [&](const QString& text, const QString& tip) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setAutoRaise(true);
    row->add(button, filters);
    return button;
  };
  changed_only_ = add(tr("Changed only"),
                      tr("Hide passes that changed nothing, and step over them (F10, F11)"));
  changed_only_->setCheckable(true);
  connect(changed_only_, &QToolButton::toggled, this, &TimelineView::hide_unchanged);
  connect(changed_only_, &QToolButton::toggled, &document_->history(),
          &HistoryStage::set_walks_changes_only);
  connect(&document_->history(), &HistoryStage::stepChanged, changed_only_,
          [this] { changed_only_->setChecked(document_->history().walks_changes_only()); });
  return row;
}

void TimelineView::show_history() {
  model_->set_history(document_->history().recorded());
  model_->set_node_history(document_->debugger().nodes());
  hide_unchanged();
  show_position();
  show_selection();
  show_stops();
  choose_columns();
}

void TimelineView::show_position() {
  if (!document_->history().recorded()) return place_->clear();
  const pass::Position& place = document_->history().position();
  model_->set_position(place);
  place_->setText(tr("%1 of %2")
                      .arg(QString::fromStdString(pass::to_text(place)))
                      .arg(document_->history().recorded()->steps.size() - 1));
  place_->setToolTip(
      QString::fromStdString(pass::describe(place, *document_->history().recorded())));
  // The current row may be a rewrite or remark that stands for this very place: leave it then.
  const QModelIndex current = tree_->currentIndex();
  if (!current.isValid() || model_->place_of(current) != place) {
    const QModelIndex wanted = model_->index_of(place);
    tree_->setCurrentIndex(wanted);
    tree_->scrollTo(wanted);
  }
  show_sentence();
  if (const graph::NodeId node = std::exchange(to_select_, {}); node.valid())
    document_->selection().select_node(node);
}

// The one selected node; others that stand in for it are not followed.
void TimelineView::show_selection() {
  const auto* node = std::get_if<SelectedNode>(&document_->selection().current());
  model_->set_followed(node ? node->node->id : graph::NodeId{});
}

void TimelineView::show_stops() { model_->set_stops(document_->debugger().stops()); }

// Where there is little height it is the steps': their tool tips say the same.
void TimelineView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  constexpr int least_rows = 10;
  sentence_->setVisible(height() >= least_rows * fontMetrics().height());
}

// Keys go through the steps as a click does; a button that is down may ask for the menu only.
void TimelineView::follow_key(const QModelIndex& row) {
  show_sentence();
  if (row.isValid() && tree_->hasFocus() && QGuiApplication::mouseButtons() == Qt::NoButton)
    document_->history().set_position(model_->place_of(row));
}

void TimelineView::show_sentence() { sentence_->setText(model_->sentence(tree_->currentIndex())); }

void TimelineView::hide_unchanged() {
  for (int row = 0; row < model_->rowCount(); ++row)
    tree_->setRowHidden(
        row, {},
        changed_only_->isChecked() && !model_->step_changed(static_cast<std::size_t>(row)));
  tree_->scrollTo(tree_->currentIndex());
}

// The room is that of the tree: behind another tab it gets it after the view has got its own.
bool TimelineView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == tree_->viewport() && event->type() == QEvent::Resize) choose_columns();
  return QWidget::eventFilter(watched, event);
}

// Names are worth more than numbers: where both do not fit, the numbers go, least useful first.
void TimelineView::choose_columns() {
  QFont bold = theme().text_font();  // of the current row
  bold.setBold(true);
  const QFontMetrics metrics(bold);
  const auto width_of = [&](int column) {
    int width = metrics.horizontalAdvance(
        model_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString());
    for (int row = 0; row < std::min(model_->rowCount(), 200); ++row)
      width =
          std::max(width, metrics.horizontalAdvance(model_->index(row, column).data().toString()));
    return width + 18;
  };
  int left = tree_->viewport()->width() - width_of(TimelineModel::Name) - 2 * tree_->indentation();
  for (const int column : {TimelineModel::Rewrites, TimelineModel::Nodes, TimelineModel::Time}) {
    const int width = width_of(column);
    left -= width;
    tree_->setColumnHidden(column, left < 0);
    tree_->setColumnWidth(column, width);
  }
}

void TimelineView::activate(const QModelIndex& index) {
  if (!index.isValid()) return;
  document_->history().set_position(model_->place_of(index));
  const pass::Rewrite* rewrite = model_->rewrite_at(index);
  if (!rewrite) return;
  const auto& nodes = rewrite->made.empty() ? rewrite->consumed : rewrite->made;
  if (nodes.empty()) return;
  to_select_ = graph::NodeId{nodes.front()};
  if (document_->history().position() == model_->place_of(index)) show_position();
}

void TimelineView::open_menu(const QPoint& at) {
  const QModelIndex index = tree_->indexAt(at);
  if (!index.isValid()) return;
  const pass::Position place = model_->place_of(index);
  QMenu menu;
  menu.addAction(tr("Go Here"), this, [this, place] { document_->history().set_position(place); });
  menu.addAction(tr("Compare With This"), this,
                 [this, place] { document_->history().pin_base(place); });
  menu.addAction(tr("Compare With the Step Before"), this,
                 [this] { document_->history().pin_base({}); })
      ->setEnabled(document_->history().pinned_base().has_value());
  if (place.step > 0) {
    menu.addSeparator();
    const std::string pass = document_->history().recorded()->steps[place.step].pass.name;
    menu.addAction(tr("Break When %1 Does Anything").arg(QString::fromStdString(pass)), this,
                   [this, pass] {
                     pass::Breakpoint breakpoint;
                     breakpoint.pass = pass;
                     (void)document_->debugger().add(breakpoint);
                   });
  }
  menu.exec(tree_->viewport()->mapToGlobal(at));
}

}  // namespace loopglass::views
