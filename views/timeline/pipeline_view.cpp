#include "views/timeline/pipeline_view.h"

#include "views/document/command_line.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/pane_keys.h"
#include "views/widgets/pass_on_undo.h"
#include "views/widgets/problem_text.h"
#include "views/widgets/text_size.h"
#include "views/widgets/tool_row.h"
#include "views/widgets/wrap_layout.h"

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QMenu>
#include <QSpinBox>
#include <QToolButton>
#include <QTreeWidget>
#include <QVBoxLayout>

namespace loopglass::views {
namespace {

constexpr int pass_role = Qt::UserRole, group_role = Qt::UserRole + 1;

const pass::PassInfo* info_of(const Toolchain& toolchain, const std::string& name) {
  for (const pass::GraphPass& pass : toolchain.graph_passes)
    if (pass.info.name == name) return &pass.info;
  return nullptr;
}

}  // namespace

PipelineView::PipelineView(Document* document, QWidget* parent)
    : QWidget(parent), document_(document), tree_(new QTreeWidget) {
  tree_->setObjectName("pipelineTree");
  tree_->setHeaderHidden(true);
  tree_->setColumnCount(1);
  tree_->setUniformRowHeights(true);
  tree_->ensurePolished();  // rows are measured once, and are to be as high as the style has them
  tree_->setIndentation(18);
  tree_->setDragDropMode(QAbstractItemView::InternalMove);
  tree_->setDefaultDropAction(Qt::MoveAction);
  tree_->setToolTip(tr("Drag passes to order them (Alt+Up, Alt+Down); a tick switches a pass on"));
  tree_->installEventFilter(this);
  tree_->viewport()->installEventFilter(this);

  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_tools());
  layout->addWidget(tree_, 1);
  layout->addWidget(make_foot());

  connect(tree_, &QTreeWidget::itemChanged, this, [this](QTreeWidgetItem* item) {
    if (filling_) return;
    tree_->setCurrentItem(item);
    const auto place = current();
    draft_.set_enabled(*place, item->checkState(0) == Qt::Checked);
    // The row is in the middle of changing, and would be taken from under itself.
    QMetaObject::invokeMethod(
        this, [this, place] { edited(place); }, Qt::QueuedConnection);
  });
  connect(tree_, &QTreeWidget::currentItemChanged, this, &PipelineView::enable);
  connect(document, &Document::pipelineChanged, this, &PipelineView::follow);
  connect(document, &Document::modelChanged, this, &PipelineView::follow);
  draft_.entries.push_back({});  // unlike any pipeline, so that the first one is shown
  follow();
}

PipelineView::~PipelineView() {
  // A number that is half typed is entered when the box loses the keys, which is as it goes.
  memory_limit_->disconnect(this);
}

template <class Edit>
void PipelineView::edit(const Edit& edit) {
  if (const auto place = current()) edited(edit(*place));
}

QWidget* PipelineView::make_tools() {
  auto* row = new ToolRow;
  preset_ = new QComboBox;
  preset_->setObjectName("presetBox");
  preset_->setToolTip(tr("A pipeline with a name"));
  for (const pass::Preset& preset : document_->toolchain().presets) {
    preset_->addItem(text(preset.name));
    preset_->setItemData(preset_->count() - 1, text(preset.doc), Qt::ToolTipRole);
  }
  preset_->setPlaceholderText(tr("own"));
  connect(preset_, &QComboBox::textActivated, this,
          [this](const QString& name) { apply(name.toStdString()); });
  row->add(preset_);
  row->add_stretch();
  int worth = 10;
  const auto add = [&](const QString& text, const QString& tip) {
    auto* button = new QToolButton;
    button->setText(text);
    button->setToolTip(tip);
    button->setAutoRaise(true);
    if (text.size() == 1 && text != "+") button->setFixedWidth(28);
    row->add(button, worth--);
    return button;
  };
  add_ = add("+", tr("Add a pass below the current one"));
  add_->setPopupMode(QToolButton::InstantPopup);
  add_->setMenu(new QMenu(add_));
  fill_add_menu();
  duplicate_ = add("×2", tr("Repeat: the same once more, below"));
  group_ = add("↻", tr("Group: run it to a fixed point; once more makes single passes of a group"));
  up_ = add("↑", tr("Earlier; at the top of a group, out of it (Alt+Up)"));
  down_ = add("↓", tr("Later; at the foot of a group, out of it (Alt+Down)"));
  remove_ = add("−", tr("Take it out of the pipeline (Delete)"));
  connect(duplicate_, &QToolButton::clicked, this,
          [this] { edit([this](auto place) { return draft_.duplicate(place); }); });
  connect(group_, &QToolButton::clicked, this, [this] {
    edit([this](auto place) {
      return draft_.entries[place.entry].fixed_point ? draft_.ungroup(place) : draft_.group(place);
    });
  });
  connect(remove_, &QToolButton::clicked, this,
          [this] { edit([this](auto place) { return draft_.remove(place); }); });
  for (const auto& [button, by] : {std::pair{up_, -1}, {down_, 1}})
    connect(button, &QToolButton::clicked, this, [this, by = by] {
      edit([&](auto place) { return draft_.move(place, by).value_or(place); });
    });
  return row;
}

void PipelineView::fill_add_menu() {
  QMenu* menu = add_->menu();
  menu->setToolTipsVisible(true);
  for (const pass::GraphPass& pass : document_->toolchain().graph_passes) {
    QAction* action = menu->addAction(text(pass.info.name), this, [this, name = pass.info.name] {
      edited(draft_.add(name, current()));
    });
    action->setToolTip(text(pass.info.doc));
  }
}

QWidget* PipelineView::make_foot() {
  auto* foot = new QWidget;
  auto* column = new QVBoxLayout(foot);
  column->setContentsMargins(6, 4, 6, 6);
  column->setSpacing(4);
  auto* row = new QHBoxLayout;
  text_ = new QLineEdit;
  text_->setObjectName("pipelineText");
  use_code_font(text_);
  pass_on_undo(text_);
  text_->setToolTip(tr("The pipeline as text; (a, b)* runs to a fixed point, @name is a preset"));
  connect(text_, &QLineEdit::textEdited, this, [this] { problem_->hide(); });
  connect(text_, &QLineEdit::editingFinished, this, &PipelineView::apply_text);
  auto* copy = new QToolButton;
  copy->setText(tr("Copy"));
  copy->setToolTip(tr("Copy the command that does the same: loopglassc passes … --passes …"));
  copy->setAutoRaise(true);
  connect(copy, &QToolButton::clicked, this,
          [this] { QApplication::clipboard()->setText(passes_command(*document_)); });
  row->addWidget(text_, 1);
  row->addWidget(copy);
  column->addLayout(row);
  problem_ = new QLabel;
  problem_->setObjectName("pipelineProblem");
  problem_->setWordWrap(true);
  problem_->setTextFormat(Qt::RichText);
  problem_->hide();
  column->addWidget(problem_);
  auto* limit = new WrapLayout(6);
  auto* label = new QLabel(tr("Memory for intermediates"));
  memory_limit_ = new QSpinBox;
  memory_limit_->setObjectName("memoryLimit");
  memory_limit_->setRange(0, 1 << 20);
  memory_limit_->setSuffix(tr(" MiB"));
  memory_limit_->setSpecialValueText(tr("no limit"));
  memory_limit_->setKeyboardTracking(false);
  pass_on_undo(memory_limit_);
  memory_limit_->setToolTip(
      tr("Passes that trade time for memory recompute what does not fit (--memory-limit)"));
  label->setBuddy(memory_limit_);
  limit->addWidget(label);
  limit->addWidget(memory_limit_);
  column->addLayout(limit);
  connect(memory_limit_, &QSpinBox::valueChanged, this, &PipelineView::apply_memory_limit);
  return foot;
}

// --- the tree ---

// What was switched off on the way there is still in the list, as it was; and what was in an
// earlier window, where it was a preset that somebody switched passes off in.
PipelineDraft PipelineView::draft_for(const pass::Pipeline& pipeline) const {
  PipelineDraft best = PipelineDraft::of(pipeline);
  if (const auto known = drafts_.find(best.text()); known != drafts_.end()) return known->second;
  std::size_t passes = 0;
  for (const PipelineDraft::Entry& entry : best.entries) passes += entry.items.size();
  std::size_t least = passes + 1;  // of a list that is mostly off it is not what is left
  for (const pass::Preset& preset : document_->toolchain().presets) {
    const auto whole = document_->toolchain().parse_pipeline(preset.name);
    auto draft = whole ? PipelineDraft::within(pipeline, *whole) : std::nullopt;
    if (!draft || draft->switched_off() >= least) continue;
    least = draft->switched_off();
    best = *std::move(draft);
  }
  return best;
}

void PipelineView::follow() {
  const std::string wanted = document_->pipeline();
  const auto parsed = document_->toolchain().parse_pipeline(wanted);
  if (parsed && *parsed != draft_.pipeline()) {
    draft_ = draft_for(*parsed);
    fill_tree({});
  }
  filling_ = true;
  const auto limit = document_->settings().memory_limit;
  memory_limit_->setValue(limit ? static_cast<int>((*limit + (1 << 20) - 1) >> 20) : 0);
  filling_ = false;
  show_text();
}

void PipelineView::add_row(QTreeWidgetItem* parent, PipelineDraft::Place place) {
  const auto& entry = draft_.entries[place.entry];
  const bool group = entry.fixed_point && !place.item;
  auto* row = new QTreeWidgetItem;
  Qt::ItemFlags flags =
      Qt::ItemIsEnabled | Qt::ItemIsSelectable | Qt::ItemIsDragEnabled | Qt::ItemIsUserCheckable;
  if (group) flags |= Qt::ItemIsDropEnabled;
  row->setFlags(flags);
  row->setCheckState(0, draft_.enabled(place) ? Qt::Checked : Qt::Unchecked);
  row->setData(0, group_role, group);
  if (group) {
    row->setText(0, tr("↻ to a fixed point"));
    row->setToolTip(
        0, tr("These passes run in order, again and again, until a whole round changes nothing"));
  } else {
    const std::string& pass = entry.items[place.item.value_or(0)].pass;
    row->setText(0, text(pass));
    row->setData(0, pass_role, text(pass));
    if (const pass::PassInfo* info = info_of(document_->toolchain(), pass))
      row->setToolTip(0, QString("<b>%1</b><br>%2<br><i>%3</i>")
                             .arg(text(info->name), text(info->doc).toHtmlEscaped(),
                                  text(info->reason).toHtmlEscaped()));
  }
  if (parent) parent->addChild(row);
  else tree_->addTopLevelItem(row);
  if (!group) return;
  for (std::size_t item = 0; item < entry.items.size(); ++item) add_row(row, {place.entry, item});
  row->setExpanded(true);
}

void PipelineView::fill_tree(std::optional<PipelineDraft::Place> current) {
  filling_ = true;
  tree_->clear();
  tree_->invisibleRootItem()->setFlags(tree_->invisibleRootItem()->flags() | Qt::ItemIsDropEnabled);
  for (std::size_t entry = 0; entry < draft_.entries.size(); ++entry) add_row(nullptr, {entry, {}});
  if (current && current->entry < draft_.entries.size()) {
    QTreeWidgetItem* row = tree_->topLevelItem(static_cast<int>(current->entry));
    if (current->item && row->childCount() > 0) row = row->child(static_cast<int>(*current->item));
    tree_->setCurrentItem(row);
  }
  filling_ = false;
  enable();
}

std::optional<PipelineDraft::Place> PipelineView::current() const {
  const QTreeWidgetItem* row = tree_->currentItem();
  if (!row) return {};
  if (!row->parent())
    return PipelineDraft::Place{
        static_cast<std::size_t>(tree_->indexOfTopLevelItem(const_cast<QTreeWidgetItem*>(row))),
        {}};
  return PipelineDraft::Place{
      static_cast<std::size_t>(tree_->indexOfTopLevelItem(row->parent())),
      static_cast<std::size_t>(row->parent()->indexOfChild(const_cast<QTreeWidgetItem*>(row)))};
}

// A drop has moved rows about: the draft is what they say now. A group inside a group is opened up.
void PipelineView::read_tree() {
  PipelineDraft draft;
  const auto item_of = [](const QTreeWidgetItem& row) {
    return PipelineDraft::Item{row.data(0, pass_role).toString().toStdString(),
                               row.checkState(0) == Qt::Checked};
  };
  for (int i = 0; i < tree_->topLevelItemCount(); ++i) {
    const QTreeWidgetItem& row = *tree_->topLevelItem(i);
    if (!row.data(0, group_role).toBool()) {
      draft.entries.push_back({{item_of(row)}, false});
      continue;
    }
    PipelineDraft::Entry group{{}, true};
    for (int j = 0; j < row.childCount(); ++j) {
      const QTreeWidgetItem& child = *row.child(j);
      if (!child.data(0, group_role).toBool()) group.items.push_back(item_of(child));
      for (int k = 0; k < child.childCount(); ++k) group.items.push_back(item_of(*child.child(k)));
    }
    if (!group.items.empty()) draft.entries.push_back(std::move(group));
  }
  draft_ = std::move(draft);
}

void PipelineView::take_rows() {
  const auto place = current();
  read_tree();
  edited(place);
}

bool PipelineView::eventFilter(QObject* watched, QEvent* event) {
  if (watched == tree_->viewport() && event->type() == QEvent::Drop) {
    // After the tree has done what it does on a drop.
    QMetaObject::invokeMethod(this, &PipelineView::take_rows, Qt::QueuedConnection);
  }
  if (watched == tree_ && event->type() == QEvent::KeyPress) {
    if (const auto action = action_of(pipeline_keys(), *static_cast<QKeyEvent*>(event))) {
      switch (static_cast<PipelineAction>(*action)) {
        case PipelineAction::Remove: remove_->click(); break;
        case PipelineAction::Up: up_->click(); break;
        case PipelineAction::Down: down_->click(); break;
      }
      return true;
    }
  }
  return QWidget::eventFilter(watched, event);
}

void PipelineView::enable() {
  const auto place = current();
  for (QToolButton* button : {remove_, duplicate_, group_}) button->setEnabled(place.has_value());
  PipelineDraft trial = draft_;
  up_->setEnabled(place && trial.move(*place, -1));
  trial = draft_;
  down_->setEnabled(place && trial.move(*place, 1));
}

// --- to the document and from it ---

void PipelineView::edited(std::optional<PipelineDraft::Place> current) {
  fill_tree(current);
  drafts_[draft_.text()] = draft_;
  apply(draft_.text());
}

void PipelineView::apply(const std::string& wanted) {
  const Result<void> applied = document_->set_pipeline(wanted);
  if (applied) return follow();
  problem_->setText(problem_text(applied.error()));
  problem_->show();
}

void PipelineView::apply_text() {
  const QString typed = text_->text().trimmed();
  apply(typed.isEmpty() ? "none" : typed.toStdString());
}

void PipelineView::apply_memory_limit() {
  if (filling_) return;
  pass::Settings settings = document_->settings();
  settings.memory_limit.reset();
  if (memory_limit_->value() > 0)
    settings.memory_limit = std::int64_t{memory_limit_->value()} << 20;
  document_->set_settings(settings);
}

void PipelineView::show_text() {
  const std::string wanted = document_->pipeline();
  text_->setText(text(wanted));
  text_->setCursorPosition(0);
  problem_->hide();
  const pass::Pipeline pipeline = draft_.pipeline();
  int preset = -1;
  const auto& presets = document_->toolchain().presets;
  for (std::size_t i = 0; i < presets.size(); ++i)
    if (const auto parsed = document_->toolchain().parse_pipeline(presets[i].name);
        parsed && *parsed == pipeline)
      preset = static_cast<int>(i);
  preset_->setCurrentIndex(preset);
}

}  // namespace loopglass::views
