#include "views/breakpoints/breakpoints_view.h"

#include "views/counted.h"
#include "views/document/debugger.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/filter_completer.h"
#include "views/widgets/pass_on_undo.h"
#include "views/widgets/problem_text.h"
#include "views/widgets/text_size.h"
#include "views/widgets/tool_row.h"

#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSplitter>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace loopglass::views {
namespace {

constexpr int breakpoint_step_role = Qt::UserRole, breakpoint_rewrites_role = Qt::UserRole + 1,
              node_role = Qt::UserRole + 2;
// More stops than anyone walks through.
constexpr std::size_t most_stops = 2000;

QTreeWidget* make_tree(const char* name, int columns) {
  auto* tree = new QTreeWidget;
  tree->setObjectName(name);
  tree->setColumnCount(columns);
  tree->setHeaderHidden(true);
  tree->setRootIsDecorated(false);
  tree->setUniformRowHeights(true);
  tree->header()->setStretchLastSection(true);
  return tree;
}

}  // namespace

BreakpointsView::BreakpointsView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      outcome_(new QLabel),
      list_(make_tree("breakpointList", 2)),
      stops_(make_tree("stopList", 2)) {
  list_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  stops_->header()->setSectionResizeMode(0, QHeaderView::ResizeToContents);
  list_->installEventFilter(this);
  outcome_->setMargin(6);
  outcome_->setWordWrap(true);
  auto* splitter = new QSplitter(Qt::Vertical);
  splitter->addWidget(list_);
  splitter->addWidget(stops_);
  splitter->setStretchFactor(0, 2);
  splitter->setStretchFactor(1, 3);
  splitter->setChildrenCollapsible(false);
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_line());
  layout->addWidget(make_buttons());
  layout->addWidget(splitter, 1);
  layout->addWidget(outcome_);

  setFocusProxy(line_);

  Debugger* debugger = &document->debugger();
  connect(debugger, &Debugger::breakpointsChanged, this, &BreakpointsView::show_breakpoints);
  connect(debugger, &Debugger::stopsChanged, this, &BreakpointsView::show_stops);
  connect(debugger, &Debugger::ran, this, &BreakpointsView::tell_run);
  connect(debugger, &Debugger::nothingToStopAt, this, [this] {
    outcome_->setText(tr("No breakpoint is set or switched on, so there is nothing to stop at."));
  });
  connect(&document->history(), &HistoryStage::stepChanged, this, &BreakpointsView::show_position);
  connect(&document->history(), &HistoryStage::historyChanged, this, &BreakpointsView::show_stops);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, [this] {
    explain();
    show_breakpoints();
  });
  connect(list_, &QTreeWidget::itemChanged, this, [this, debugger](QTreeWidgetItem* row) {
    if (filling_) return;
    const auto index = static_cast<std::size_t>(list_->indexOfTopLevelItem(row));
    const bool on = row->checkState(0) == Qt::Checked;
    // The row is in the middle of changing, and would be taken from under itself.
    QMetaObject::invokeMethod(
        debugger,
        [debugger, index, on] {
          if (index < debugger->breakpoints().size()) debugger->set_enabled(index, on);
        },
        Qt::QueuedConnection);
  });
  connect(list_, &QTreeWidget::currentItemChanged, this,
          [this](QTreeWidgetItem* row) { remove_->setEnabled(row != nullptr); });
  connect(list_, &QTreeWidget::itemDoubleClicked, this, [this, debugger](QTreeWidgetItem* row) {
    const auto& chosen =
        debugger->breakpoints()[static_cast<std::size_t>(list_->indexOfTopLevelItem(row))];
    line_->setText(text(to_text(chosen)));
    line_->setFocus();
    explain();
  });
  for (const auto signal : {&QTreeWidget::itemClicked, &QTreeWidget::itemActivated})
    connect(stops_, signal, this, [this](QTreeWidgetItem* row) { go_to_row(row); });
  show_breakpoints();
  show_stops();
  explain();
}

QWidget* BreakpointsView::make_line() {
  auto* box = new QWidget;
  auto* column = new QVBoxLayout(box);
  column->setContentsMargins(6, 6, 6, 2);
  column->setSpacing(3);
  auto* row = new QHBoxLayout;
  line_ = new QLineEdit;
  line_->setObjectName("breakpointLine");
  use_code_font(line_);
  line_->setPlaceholderText(tr("remove op=BatchNormalization"));
  line_->setClearButtonEnabled(true);
  line_->setToolTip(
      tr("EVENT [in PASS] FILTER, or EVENT @NODE: create, remove, change, fuse or any"));
  new FilterCompleter(line_, [this](std::string_view typed, std::size_t cursor) {
    std::vector<pass::PassInfo> passes;
    for (const pass::GraphPass& pass : document_->toolchain().graph_passes)
      passes.push_back(pass.info);
    return pass::complete_breakpoint(typed, cursor, passes);
  });
  auto* events = new QToolButton;
  events->setText(tr("Event"));
  events->setToolTip(tr("What can be waited for"));
  events->setPopupMode(QToolButton::InstantPopup);
  events->setAutoRaise(true);
  auto* menu = new QMenu(events);
  menu->setToolTipsVisible(true);
  for (const auto event :
       {pass::BreakEvent::Create, pass::BreakEvent::Remove, pass::BreakEvent::Change,
        pass::BreakEvent::Fuse, pass::BreakEvent::Any}) {
    const QString word = text(pass::name(event));
    QAction* action = menu->addAction(word + " — " + text(pass::doc(event)), this, [this, word] {
      line_->setText(word + " ");
      line_->setFocus();
      explain();
    });
    action->setToolTip(text(pass::doc(event)));
  }
  events->setMenu(menu);
  add_ = new QToolButton;
  add_->setText(tr("Add"));
  add_->setToolTip(tr("Add this breakpoint (Return)"));
  add_->setAutoRaise(true);
  row->addWidget(events);
  row->addWidget(line_, 1);
  row->addWidget(add_);
  words_ = new QLabel;
  words_->setObjectName("breakpointWords");
  words_->setWordWrap(true);
  words_->setTextFormat(Qt::RichText);
  column->addLayout(row);
  column->addWidget(words_);
  connect(line_, &QLineEdit::textChanged, this, &BreakpointsView::explain);
  connect(line_, &QLineEdit::returnPressed, this, &BreakpointsView::add);
  pass_on_undo(line_);
  connect(add_, &QToolButton::clicked, this, &BreakpointsView::add);
  return box;
}

QWidget* BreakpointsView::make_buttons() {
  auto* bar = new ToolRow;
  const auto add = [&](const QString& text, const QString& tip, int worth) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setAutoRaise(true);
    bar->add(button, worth);
    return button;
  };
  back_ = add(tr("◀ To stop before"), tr("Back to the last stop before this place (Shift+F9)"), 2);
  forward_ = add(tr("To next stop ▶"), tr("On to the next stop (F9)"), 3);
  bar->add_stretch();
  remove_ = add(tr("Remove"), tr("Remove this breakpoint (Delete)"), 1);
  remove_->setEnabled(false);
  Debugger* debugger = &document_->debugger();
  connect(back_, &QToolButton::clicked, debugger,
          [debugger] { debugger->run(pass::Direction::Backward); });
  connect(forward_, &QToolButton::clicked, debugger,
          [debugger] { debugger->run(pass::Direction::Forward); });
  connect(remove_, &QToolButton::clicked, this, &BreakpointsView::remove_current);
  return bar;
}

// --- the line ---

void BreakpointsView::explain() {
  const Theme& t = theme();
  const auto say = [&](const QColor& color, const QString& words) {
    words_->setStyleSheet(QString("color: %1").arg(color.name()));
    words_->setText(words.toHtmlEscaped());
  };
  const QString typed = line_->text().trimmed();
  add_->setEnabled(false);
  if (typed.isEmpty())
    return say(t.muted, tr("Stop when a pass touches what you name: change @conv1, "
                           "create op=Transpose."));
  const auto parsed = pass::parse_breakpoint(typed.toStdString());
  if (!parsed) return words_->setText(problem_text(parsed.error()));
  add_->setEnabled(true);
  say(t.text, tr("Stop %1").arg(text(pass::in_words(*parsed))));
}

void BreakpointsView::add() {
  const auto parsed = pass::parse_breakpoint(line_->text().trimmed().toStdString());
  if (!parsed) return explain();
  if (const auto added = document_->debugger().add(*parsed); !added)
    return words_->setText(problem_text(added.error()));
  line_->setText({});  // which undo does not bring back
  list_->setFocus();   // from where the keys that walk through the history are the window's again
}

// --- the lists ---

void BreakpointsView::show_breakpoints() {
  filling_ = true;
  const auto& breakpoints = document_->debugger().breakpoints();
  const int current = list_->indexOfTopLevelItem(list_->currentItem());
  list_->clear();
  for (const pass::Breakpoint& breakpoint : breakpoints) {
    auto* row = new QTreeWidgetItem({text(to_text(breakpoint)), text(pass::in_words(breakpoint))});
    row->setFlags(row->flags() | Qt::ItemIsUserCheckable);
    row->setCheckState(0, breakpoint.enabled ? Qt::Checked : Qt::Unchecked);
    row->setFont(0, theme().code_font());
    row->setForeground(1, theme().muted);
    row->setToolTip(0, tr("Double-click to write another like it"));
    list_->addTopLevelItem(row);
  }
  if (list_->topLevelItemCount() > 0)
    list_->setCurrentItem(
        list_->topLevelItem(std::clamp(current, 0, list_->topLevelItemCount() - 1)));
  filling_ = false;
}

void BreakpointsView::show_stops() {
  stops_->clear();
  const auto history = document_->history().recorded();
  const Debugger& debugger = document_->debugger();
  forward_->setEnabled(history != nullptr);
  back_->setEnabled(history != nullptr);
  if (!history) return;
  const auto add = [&](const QString& where, const QString& what, pass::Position place,
                       graph::NodeId node) {
    auto* row = new QTreeWidgetItem({where, what});
    row->setData(0, breakpoint_step_role, QVariant::fromValue(static_cast<qulonglong>(place.step)));
    row->setData(0, breakpoint_rewrites_role,
                 QVariant::fromValue(static_cast<qulonglong>(place.rewrites)));
    row->setData(0, node_role, node.value);
    row->setToolTip(1, what);
    stops_->addTopLevelItem(row);
  };
  std::size_t shown = 0;
  for (const pass::Stop& stop : debugger.stops()) {
    if (++shown > most_stops) break;
    QString what = text(stop.hits.front().sentence);
    if (stop.hits.size() > 1) what += tr(" (and %1)").arg(counted(stop.hits.size() - 1, "other"));
    add("● " + text(pass::to_text(stop.position)), what, stop.position, stop.hits.front().node);
  }
  const pass::Position end{history->steps.size() - 1};
  for (const fusion::FuseHit& hit : debugger.fuse_hits()) {
    if (++shown > most_stops) break;
    add(tr("● fusion"), text(hit.sentence), end, hit.node);
  }
  const std::size_t all = debugger.stops().size() + debugger.fuse_hits().size();
  if (all > most_stops) {
    auto* row = new QTreeWidgetItem({"…", tr("and %1 more").arg(all - most_stops)});
    row->setFlags(Qt::NoItemFlags);
    stops_->addTopLevelItem(row);
  }
  show_position();
}

void BreakpointsView::show_position() {
  const auto& here = document_->history().position();
  QTreeWidgetItem* at = nullptr;
  for (int i = 0; i < stops_->topLevelItemCount(); ++i) {
    QTreeWidgetItem* row = stops_->topLevelItem(i);
    const bool current = row->flags() != Qt::NoItemFlags &&
                         row->data(0, breakpoint_step_role).toULongLong() == here.step &&
                         row->data(0, breakpoint_rewrites_role).toULongLong() == here.rewrites;
    QFont font = theme().text_font();
    font.setBold(current);
    row->setFont(0, font);
    if (current && !at) at = row;
  }
  if (at) stops_->scrollToItem(at);
  const std::size_t count =
      document_->debugger().stops().size() + document_->debugger().fuse_hits().size();
  if (!document_->history().recorded()) outcome_->clear();
  else if (document_->debugger().breakpoints().empty())
    outcome_->setText(tr("No breakpoints yet."));
  else
    outcome_->setText(count == 0 ? tr("Nothing in this history stops.")
                                 : tr("%1.").arg(counted(count, "stop")));
}

void BreakpointsView::tell_run(const pass::Stop* stop) {
  if (stop) return outcome_->setText(text(stop->hits.front().sentence));
  outcome_->setText(tr("No further stop: this is the last step there is."));
}

void BreakpointsView::remove_current() {
  const int row = list_->indexOfTopLevelItem(list_->currentItem());
  if (row >= 0) document_->debugger().remove(static_cast<std::size_t>(row));
}

void BreakpointsView::go_to_row(const QTreeWidgetItem* row) {
  if (row->flags() == Qt::NoItemFlags) return;
  document_->history().set_position(
      {static_cast<std::size_t>(row->data(0, breakpoint_step_role).toULongLong()),
       static_cast<std::size_t>(row->data(0, breakpoint_rewrites_role).toULongLong())});
  document_->selection().select_node(graph::NodeId{row->data(0, node_role).toUInt()});
}

bool BreakpointsView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == list_ && event->type() == QEvent::KeyPress &&
      static_cast<QKeyEvent*>(event)->key() == Qt::Key_Delete) {
    remove_current();
    return true;
  }
  return QWidget::eventFilter(watched, event);
}

}  // namespace loopglass::views
