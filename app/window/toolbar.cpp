#include "app/window/toolbar.h"

#include "app/window/elided_label.h"
#include "core/fusion/layer_words.h"
#include "views/theme.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QToolButton>

#include <algorithm>

namespace loopglass::app {
namespace {

// They come and go together where the bar has no room for all.
QWidget* with_word(const QString& word, QComboBox* box) {
  auto* both = new QWidget;
  auto* row = new QHBoxLayout(both);
  row->setContentsMargins(4, 0, 4, 0);
  row->setSpacing(6);
  row->addWidget(new QLabel(word));
  row->addWidget(box, 1);
  row->addStretch();  // what a wide window has to spare stands behind the box
  const bool expands = box->sizePolicy().horizontalPolicy() == QSizePolicy::Expanding;
  both->setSizePolicy(expands ? QSizePolicy::Expanding : QSizePolicy::Fixed, QSizePolicy::Fixed);
  return both;
}

}  // namespace

ToolBar::ToolBar(views::Document* document, Workspaces* workspaces, QWidget* parent)
    : QToolBar(tr("Tool bar"), parent),
      document_(document),
      workspaces_(workspaces),
      walks_(new views::WalkActions(document, false, this)) {
  setObjectName("toolBar");
  setMovable(false);
  setToolButtonStyle(Qt::ToolButtonTextOnly);
  QAction* open = addAction(tr("Open…"));
  open->setToolTip(tr("Open a model (Ctrl+O)"));
  connect(open, &QAction::triggered, this, &ToolBar::openWanted);
  addSeparator();
  add_steps();
  addSeparator();
  add_kernels();
  add_strategies();
  auto* spacer = new QWidget;
  spacer->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  addWidget(spacer);
  QAction* locator = addAction(tr("Go to…"));
  locator->setToolTip(
      tr("Find a node, kernel, value or step by name, or a model to open (Ctrl+K)"));
  connect(locator, &QAction::triggered, this, &ToolBar::locatorWanted);
  addSeparator();
  add_workspaces();
  show_extension();
}

// What has no room comes by a button at the end, which Qt makes: dark on dark, and without the
// keyboard.
void ToolBar::show_extension() {
  auto* more = findChild<QToolButton*>("qt_toolbar_ext_button");
  if (!more) return;
  more->setIcon({});
  more->setText("»");
  more->setToolButtonStyle(Qt::ToolButtonTextOnly);
  more->setStyleSheet("padding: 0");
  more->setToolTip(tr("More of the tool bar"));
  more->setAccessibleName(tr("More"));
  more->setFocusPolicy(Qt::TabFocus);
}

void ToolBar::add_steps() {
  using views::Walk;
  for (const Walk walk : {Walk::Start, Walk::PassBack, Walk::RewriteBack, Walk::RewriteForward,
                          Walk::PassForward, Walk::End})
    addAction(walks_->action(walk));
  step_ = new ElidedLabel;
  step_->setObjectName("position");
  addWidget(step_);
  connect(&document_->history(), &views::HistoryStage::stepChanged, this, &ToolBar::show_step);
  connect(&document_->history(), &views::HistoryStage::historyChanged, this, &ToolBar::fit_steps);
  connect(&views::ThemeNotifier::instance(), &views::ThemeNotifier::changed, this,
          &ToolBar::fit_steps);
  fit_steps();
}

void ToolBar::add_kernels() {
  kernel_ = new QComboBox;
  kernel_->setObjectName("kernelBox");
  kernel_->setToolTip(
      tr("The kernel whose loop nest and machine code are shown (Ctrl+Up, Ctrl+Down)"));
  kernel_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  kernel_->setMinimumContentsLength(18);  // of a narrow window the other boxes have some too
  kernel_->setMaximumWidth(360);
  kernel_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
  kernel_->setMaxVisibleItems(30);
  addWidget(with_word(tr("Kernel"), kernel_));
  connect(kernel_, &QComboBox::activated, this, [this](int row) {
    document_->kernels().select(fusion::GroupId{static_cast<std::uint32_t>(row)});
  });
  connect(&document_->fusion(), &views::FusionStage::planChanged, this, &ToolBar::show_plan);
  connect(&document_->fusion(), &views::FusionStage::guessingChanged, this, &ToolBar::show_plan);
  connect(&document_->kernels(), &views::KernelStage::kernelChanged, this, &ToolBar::show_kernel);
}

void ToolBar::add_strategies() {
  strategy_ = new QComboBox;
  strategy_->setObjectName("strategyBox");
  for (const fusion::Strategy& strategy : document_->toolchain().strategies) {
    strategy_->addItem(QString::fromStdString(strategy.name));
    strategy_->setItemData(strategy_->count() - 1, QString::fromStdString(strategy.doc),
                           Qt::ToolTipRole);
  }
  addWidget(with_word(tr("Fusion"), strategy_));
  connect(strategy_, &QComboBox::textActivated, document_, &views::Document::set_strategy);
  show_plan();
}

void ToolBar::add_workspaces() {
  auto* box = new QComboBox;
  box->setObjectName("workspaceBox");
  box->setToolTip(tr("Workspace: an arrangement of the panes (Ctrl+Alt+1, 2, …)"));
  for (const Workspace& workspace : all_workspaces()) {
    box->addItem(workspace.title, workspace.name);
    box->setItemData(box->count() - 1, workspace.doc, Qt::ToolTipRole);
  }
  addWidget(box);
  connect(box, &QComboBox::activated, workspaces_,
          [this, box](int row) { workspaces_->use(box->itemData(row).toString()); });
  const auto show = [this, box] { box->setCurrentIndex(box->findData(workspaces_->current())); };
  connect(workspaces_, &Workspaces::changed, box, show);
  show();
}

// As wide as the text of any place, or every step would push the rest of the bar about.
void ToolBar::fit_steps() {
  const QFontMetrics metrics = step_->fontMetrics();
  int width = 0;
  for (const QString& text : views::longest_position_texts(*document_))
    width = std::max(width, metrics.horizontalAdvance(text));
  const int most = 40 * metrics.averageCharWidth();
  step_->setFixedWidth(std::min(width, most) + 1);
  show_step();
}

void ToolBar::show_step() { step_->set_full_text(views::position_text(*document_)); }

void ToolBar::show_plan() {
  kernel_->clear();
  const auto plan = document_->fusion().plan();
  if (plan && !document_->fusion().is_guessing())
    for (const fusion::Group& group : plan->groups) {
      const QString layer =
          QString::fromStdString(fusion::layer_words(group, *document_->history().last_graph()));
      kernel_->addItem(QString::fromStdString(group.name));
      kernel_->setItemData(kernel_->count() - 1, layer, Qt::ToolTipRole);
    }
  kernel_->setEnabled(kernel_->count() > 0);
  strategy_->setCurrentText(document_->strategy());
  show_kernel();
}

void ToolBar::show_kernel() {
  // That of the text panes, which keep it when nothing is selected any more.
  const fusion::GroupId group = document_->kernels().group();
  const bool listed = group.valid() && static_cast<int>(group.value) < kernel_->count();
  kernel_->setCurrentIndex(listed ? static_cast<int>(group.value) : -1);
  kernel_->setToolTip(
      listed ? tr("The kernel shown: %1").arg(kernel_->currentData(Qt::ToolTipRole).toString())
             : tr("Chooses a kernel, whose loop nest and machine code are shown"));
  kernel_->setPlaceholderText(kernel_->count() ? tr("none is shown") : tr("none"));
}

}  // namespace loopglass::app
