#include "views/fusion/hand_list.h"

#include "core/support/byte_order_mark.h"
#include "views/counted.h"
#include "views/document/undo_actions.h"
#include "views/fusion/hand_menu.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/filter_completer.h"
#include "views/widgets/pass_on_undo.h"
#include "views/widgets/problem_text.h"
#include "views/widgets/text_size.h"
#include "views/widgets/wrap_layout.h"

#include <QAction>
#include <QFile>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QSaveFile>
#include <QStackedWidget>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {
namespace {

enum Column { What, Of, Remove, ColumnCount };
constexpr qint64 largest_file = 1 << 20;
// Edits that have a row: each has a button, and nobody reads thousands.
constexpr std::size_t most_edits = 500;

// As edits write the name of an operator: in quotes where it needs them.
std::string as_word(const std::string& name) {
  const fusion::Edit edit{fusion::Edit::Kind::Pin, {name}};
  return fusion::to_text(edit).substr(fusion::name(edit.kind).size() + 1);
}

QString file_filter() { return QObject::tr("Fusion edits (*.edits *.txt);;All files (*)"); }

}  // namespace

HandList::HandList(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      again_(new UndoActions(document, false, this)),
      clear_(new QAction(tr("Remove All"), this)),
      load_(new QAction(tr("Load…"), this)),
      save_(new QAction(tr("Save…"), this)),
      pages_(new QStackedWidget),
      list_(new QTreeWidget),
      line_(new QLineEdit),
      problem_(new QLabel),
      base_(new QLabel),
      use_(new QPushButton(tr("Use Them"))) {
  make_list();
  make_line();
  auto* base = new QHBoxLayout;
  base->setContentsMargins(6, 0, 6, 3);
  base->addWidget(base_, 1);
  base->addWidget(use_);
  auto* foot = new QHBoxLayout;
  foot->setContentsMargins(6, 3, 6, 3);
  foot->addWidget(line_);
  auto* column = new QVBoxLayout(this);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(0);
  column->addWidget(make_tools());
  column->addLayout(base);
  column->addWidget(pages_, 1);
  column->addWidget(problem_);
  column->addLayout(foot);
  connect(&document->fusion(), &FusionStage::planChanged, this, &HandList::show_list);
  for (const auto signal : {&Document::askedChanged, &Document::modelChanged})
    connect(document, signal, this, &HandList::show_list);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &HandList::show_list);
  show_list();
}

QWidget* HandList::make_tools() {
  clear_->setToolTip(tr("Leave everything to the strategy again"));
  load_->setToolTip(tr("Read edits from a file, as loopglassc fuse --edits does"));
  save_->setToolTip(tr("Write the edits to a file, for loopglassc fuse --edits"));
  connect(clear_, &QAction::triggered, document_, &Document::leave_all_to_strategy);
  connect(load_, &QAction::triggered, this, [this] {
    const QString path = QFileDialog::getOpenFileName(this, tr("Load Edits"), {}, file_filter());
    if (!path.isEmpty()) load(path);
  });
  connect(save_, &QAction::triggered, this, [this] {
    const QString path = QFileDialog::getSaveFileName(this, tr("Save Edits"), {}, file_filter());
    if (!path.isEmpty()) save(path);
  });
  auto* bar = new QWidget;
  auto* row = new WrapLayout(2, bar);
  row->setContentsMargins(6, 3, 6, 3);
  for (QAction* action : {again_->undo(), again_->redo(), clear_, load_, save_}) {
    auto* button = new QToolButton;
    button->setDefaultAction(action);
    button->setAutoRaise(true);
    button->setFocusPolicy(Qt::TabFocus);
    row->addWidget(button);
  }
  row->addStretch();
  return bar;
}

void HandList::make_list() {
  list_->setObjectName("constraints");
  list_->setAccessibleName(tr("What is asked of the plan by hand"));
  list_->setColumnCount(ColumnCount);
  list_->setHeaderHidden(true);
  list_->setRootIsDecorated(false);
  list_->setUniformRowHeights(true);
  list_->setAllColumnsShowFocus(true);
  list_->header()->setStretchLastSection(false);
  list_->header()->setSectionResizeMode(What, QHeaderView::ResizeToContents);
  list_->header()->setSectionResizeMode(Of, QHeaderView::Stretch);
  list_->header()->setSectionResizeMode(Remove, QHeaderView::ResizeToContents);
  list_->installEventFilter(this);
  connect(list_, &QTreeWidget::currentItemChanged, this,
          [this](QTreeWidgetItem* row) { select(row); });
  auto* nothing = new QLabel(tr(
      "Nothing is asked of the plan by hand.\n\nOpen the menu of an edge in Decisions, or of one "
      "kernel or more in Kernels: force or forbid, merge, split out, pin. Or type an edit below."));
  nothing->setWordWrap(true);
  nothing->setAlignment(Qt::AlignCenter);
  nothing->setMargin(12);
  nothing->setAutoFillBackground(true);
  nothing->setBackgroundRole(QPalette::Base);
  pages_->addWidget(nothing);
  pages_->addWidget(list_);
}

void HandList::make_line() {
  line_->setObjectName("handEdit");
  use_code_font(line_);
  line_->setPlaceholderText(tr("merge NAME, NAME"));
  pass_on_undo(line_);
  line_->setToolTip(tr("An edit as text: merge a, b · split a · pin a. Enter makes it"));
  line_->setAccessibleName(tr("An edit as text"));
  line_->setClearButtonEnabled(true);
  new FilterCompleter(line_, [this](std::string_view typed, std::size_t cursor) {
    return complete(typed, cursor);
  });
  problem_->setObjectName("handProblem");
  problem_->setTextFormat(Qt::RichText);
  problem_->setWordWrap(true);
  problem_->setMargin(6);
  problem_->hide();
  base_->setObjectName("handBase");
  base_->setWordWrap(true);
  use_->setObjectName("useEdits");
  connect(line_, &QLineEdit::returnPressed, this, &HandList::take_line);
  connect(line_, &QLineEdit::textEdited, this, [this] {
    show_problem(nullptr);
    emit typed();
  });
  // What no plan can be made of comes back, to be mended; why stands above all pages.
  connect(document_, &Document::planRefused, this, [this] {
    if (!taken_.isEmpty() && line_->text().isEmpty()) line_->setText(std::exchange(taken_, {}));
  });
  connect(&document_->fusion(), &FusionStage::planChanged, this, [this] {
    if (document_->fusion().plan()) taken_.clear();
  });
  connect(use_, &QPushButton::clicked, this, [this] { document_->set_strategy("manual"); });
}

// --- the list ---

int HandList::count() const {
  const auto rows = std::ranges::count_if(
      asked_, [](const Asked& asked) { return std::holds_alternative<fusion::Edge>(asked); });
  return static_cast<int>(rows + std::ssize(document_->edits().edits));
}

void HandList::show_list() {
  list_->clear();
  asked_.clear();
  const auto graph = document_->history().last_graph();
  const fusion::Constraints& constraints = document_->constraints();
  for (const auto& [edges, forced] :
       {std::pair{&constraints.forced, true}, {&constraints.forbidden, false}})
    for (const fusion::Edge& edge : *edges) {
      if (!graph || !graph->find(edge.producer) || !graph->find(edge.consumer)) continue;
      asked_.emplace_back(edge);
      add_row(forced ? tr("✓ force") : tr("✕ forbid"),
              {graph->node(edge.producer).name, graph->node(edge.consumer).name})
          ->setForeground(What, forced ? theme().good : theme().warning);
    }
  const auto& edits = document_->edits().edits;
  const bool in_use = document_->strategy() == "manual";
  const std::size_t left_out = edits.size() - std::min(edits.size(), most_edits);
  if (left_out > 0) {
    asked_.emplace_back();
    auto* row =
        new QTreeWidgetItem({tr("…"), tr("%1 before these").arg(counted(left_out, "edit"))});
    row->setToolTip(Of, tr("Save writes all of them"));
    list_->addTopLevelItem(row);
  }
  for (std::size_t i = left_out; i < edits.size(); ++i) {
    asked_.emplace_back(i);
    QTreeWidgetItem* row = add_row(text(fusion::name(edits[i].kind)), edits[i].nodes);
    if (in_use) continue;
    for (const Column column : {What, Of}) row->setForeground(column, theme().muted);
  }
  pages_->setCurrentIndex(asked_.empty() ? 0 : 1);
  clear_->setEnabled(!asked_.empty());
  load_->setEnabled(graph != nullptr);
  save_->setEnabled(!edits.empty());
  line_->setEnabled(graph != nullptr);
  show_base();
}

void HandList::show_base() {
  const fusion::EditScript& script = document_->edits();
  const bool any = !script.edits.empty(), in_use = document_->strategy() == "manual";
  base_->setVisible(any);
  use_->setVisible(any && !in_use);
  const std::string base =
      script.base.empty() ? document_->toolchain().strategies.front().name : script.base;
  base_->setText(
      in_use ? tr("Edits of the plan that %1 makes").arg(text(base))
             : tr("The edits are not in use: the strategy is %1").arg(document_->strategy()));
}

QTreeWidgetItem* HandList::add_row(const QString& what, const std::vector<std::string>& names) {
  QStringList words;
  for (const std::string& name : names) words << text(name);
  auto* row = new QTreeWidgetItem({what, words.join(", ")});
  row->setToolTip(Of, words.join("\n"));
  list_->addTopLevelItem(row);
  add_remove_button(row);
  return row;
}

void HandList::add_remove_button(QTreeWidgetItem* row) {
  auto* button = new QToolButton;
  button->setText(tr("Remove"));
  button->setToolTip(tr("Take this back (Delete)"));
  button->setAutoRaise(true);
  button->setFocusPolicy(Qt::NoFocus);
  list_->setItemWidget(row, Remove, button);
  // Later: the button is part of the list that is made anew.
  connect(
      button, &QToolButton::clicked, this, [this, row] { remove(row); }, Qt::QueuedConnection);
}

bool HandList::eventFilter(QObject* watched, QEvent* event) {
  if (watched == list_ && event->type() == QEvent::KeyPress) {
    const int key = static_cast<QKeyEvent*>(event)->key();
    if ((key == Qt::Key_Delete || key == Qt::Key_Backspace) && list_->currentItem()) {
      remove(list_->currentItem());
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void HandList::remove(QTreeWidgetItem* row) {
  const int index = list_->indexOfTopLevelItem(row);
  if (index < 0) return;  // it is gone meanwhile
  const Asked asked = asked_[static_cast<std::size_t>(index)];
  if (const auto* edge = std::get_if<fusion::Edge>(&asked)) ask(*document_, {*edge}, Wish::Leave);
  else if (const auto* edit = std::get_if<std::size_t>(&asked)) document_->remove_edit(*edit);
}

void HandList::select(QTreeWidgetItem* row) {
  const auto graph = document_->history().last_graph();
  const int index = row ? list_->indexOfTopLevelItem(row) : -1;
  if (index < 0 || !graph) return;
  const Asked& asked = asked_[static_cast<std::size_t>(index)];
  std::vector<graph::NodeId> nodes;
  if (const auto* edge = std::get_if<fusion::Edge>(&asked))
    nodes = {edge->producer, edge->consumer};
  else if (const auto* edit = std::get_if<std::size_t>(&asked))
    for (const std::string& name : document_->edits().edits[*edit].nodes)
      if (const graph::Node* node = graph->find_node(name)) nodes.push_back(node->id);
  if (!nodes.empty()) document_->selection().select_nodes(nodes);
}

// --- edits as text ---

void HandList::take_line() {
  auto script = fusion::parse_edits(line_->text().toStdString());
  if (!script) return show_problem(&script.error());
  show_problem(nullptr);
  taken_ = line_->text();
  line_->setText({});  // which undo does not bring back: it is for what was made of it
  if (script->base.empty()) return document_->add_edits(std::move(script->edits));
  fusion::EditScript all = document_->edits();
  all.base = script->base;
  all.edits.insert(all.edits.end(), script->edits.begin(), script->edits.end());
  document_->set_edits(std::move(all));
}

// The kind of an edit first, then operators.
Completions HandList::complete(std::string_view typed, std::size_t cursor) const {
  const std::string_view before = typed.substr(0, cursor);
  const std::size_t comma = before.find_last_of(" ,\n");
  const std::size_t begin = comma == std::string_view::npos ? 0 : comma + 1;
  const std::string_view word = before.substr(begin);
  Completions found{begin, cursor, {}};
  const auto offer = [&](const std::string& name, std::string doc) {
    if (word.empty() || name.find(word) != std::string::npos)
      found.items.push_back({name, std::move(doc)});
  };
  const auto graph = document_->history().last_graph();
  if (before.find_first_not_of(' ') == begin || word.size() == before.size()) {
    offer("merge", tr("these operators' groups become one kernel").toStdString());
    offer("split", tr("this operator becomes a kernel of its own").toStdString());
    offer("pin", tr("this operator's group stays as it is").toStdString());
  } else if (graph) {
    constexpr std::size_t most = 200;
    for (const graph::NodePtr& node : graph->nodes())
      if (found.items.size() < most) offer(as_word(node->name), operator_name(*node));
  }
  return found;
}

void HandList::load(const QString& path) {
  QFile file(path);
  if (!file.open(QIODevice::ReadOnly) || file.size() > largest_file) {
    const Diagnostic problem{
        Code::UsageInvalid, tr("the edits in '%1' cannot be read").arg(path).toStdString(), {}, {}};
    return show_problem(&problem);
  }
  auto script = fusion::parse_edits(without_byte_order_mark(file.readAll().toStdString()));
  show_problem(script ? nullptr : &script.error());
  if (script) document_->set_edits(std::move(*script));
}

void HandList::save(const QString& path) {
  QSaveFile file(path);
  const QByteArray content = QByteArray::fromStdString(fusion::to_text(document_->edits()));
  if (file.open(QIODevice::WriteOnly) && file.write(content) == content.size() && file.commit())
    return show_problem(nullptr);
  const Diagnostic problem{Code::FileUnwritable,
                           tr("'%1' cannot be written").arg(path).toStdString(),
                           {},
                           file.errorString().toStdString()};
  show_problem(&problem);
}

void HandList::show_problem(const Diagnostic* problem) {
  problem_->setText(problem ? problem_text(*problem) : QString());
  problem_->setVisible(problem != nullptr);
}

}  // namespace loopglass::views
