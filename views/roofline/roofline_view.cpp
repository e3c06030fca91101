#include "views/roofline/roofline_view.h"

#include "core/runtime/thread_pool.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"
#include "views/counted.h"
#include "views/document/command_line.h"
#include "views/roofline/roofline_chart.h"
#include "views/roofline/verdict_html.h"
#include "views/roofline/verdict_table.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/command_bar.h"
#include "views/widgets/flow_splitter.h"
#include "views/widgets/kept_value.h"
#include "views/widgets/pass_on_undo.h"
#include "views/widgets/wrap_layout.h"

#include <QComboBox>
#include <QLabel>
#include <QPushButton>
#include <QSpinBox>
#include <QTextBrowser>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {

RooflineView::RooflineView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      run_(&document->roofline()),
      chart_(new RooflineChart),
      table_(new VerdictTable),
      card_(new QTextBrowser),
      command_(new CommandBar) {
  card_->setObjectName("verdictCard");
  card_->setFrameShape(QFrame::NoFrame);
  card_->setOpenLinks(false);
  card_->setPlaceholderText(tr("What binds a kernel: click a dot or a row."));
  constexpr int side_by_side = 760;
  auto* panes = new FlowSplitter(side_by_side);
  panes->addWidget(chart_);
  panes->addWidget(table_);
  panes->addWidget(card_);
  panes->let_go_before(0, {420, 380, 300});
  panes_ = panes;
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_controls());
  layout->addWidget(panes, 1);
  layout->addWidget(command_);
  connect(run_, &RooflineStage::changed, this, &RooflineView::show_run);
  connect(chart_, &RooflineChart::kernelChosen, this, &RooflineView::select);
  connect(table_, &VerdictTable::kernelChosen, this, &RooflineView::select);
  connect(&document->selection(), &Selection::selectionChanged, this, &RooflineView::show_run);
  connect(&document->kernels(), &KernelStage::kernelChanged, this, &RooflineView::show_state);
  connect(&document->jobs(), &JobQueue::changed, this, &RooflineView::show_state);
  connect(document, &Document::askedChanged, this, &RooflineView::show_state);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &RooflineView::show_run);
  // Its rows are the kernels, which are what somebody guesses at.
  connect(&document->fusion(), &FusionStage::guessingChanged, this, &RooflineView::show_state);
  show_run();
}

QWidget* RooflineView::make_controls() {
  auto* bar = new QWidget;
  auto* row = new WrapLayout(6, bar);
  row->setContentsMargins(8, 4, 8, 4);
  threads_ = new QSpinBox;
  threads_->setObjectName("rooflineThreads");
  threads_->setRange(1, std::max(1, runtime::hardware_threads()));
  threads_->setValue(1);
  pass_on_undo(threads_);
  level_ = new QComboBox;
  level_->setObjectName("rooflineLevel");
  for (const char* level : {"L1", "L2", "L3", "memory"}) level_->addItem(level);
  level_->setCurrentIndex(1);
  level_->setToolTip(tr("Whose bytes count in the picture"));
  all_ = new QPushButton(tr("All Kernels"));
  all_->setObjectName("rooflineAll");
  all_->setToolTip(tr("Times every kernel and the roofs, and says what keeps each from them"));
  one_ = new QPushButton(tr("This Kernel"));
  one_->setObjectName("rooflineOne");
  one_->setToolTip(
      tr("The kernel that is shown, as it is scheduled now; where it stood before "
         "stays in the picture"));
  steps_ = new QPushButton(tr("Its Steps"));
  steps_->setObjectName("rooflineSteps");
  steps_->setToolTip(
      tr("The same after each primitive of its schedule, from the nest as it is written"));
  stop_ = new QPushButton(tr("Stop"));
  stop_->setObjectName("rooflineStop");
  summary_ = new QLabel;
  summary_->setObjectName("rooflineSummary");
  summary_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  const auto add_field = [&](const QString& name, QWidget* field) {
    auto* label = new QLabel(name);
    label->setBuddy(field);
    row->addWidget(label);
    row->addWidget(field);
    keep_value(field);
  };
  add_field(tr("&Threads"), threads_);
  add_field(tr("&Bytes of"), level_);
  row->addWidget(all_);
  row->addWidget(one_);
  row->addWidget(steps_);
  row->addWidget(stop_);
  row->addWidget(summary_);
  connect(all_, &QPushButton::clicked, this, [this] { run_->start(threads_->value()); });
  connect(one_, &QPushButton::clicked, this, [this] { judge_shown(&RooflineStage::start_kernel); });
  connect(steps_, &QPushButton::clicked, this,
          [this] { judge_shown(&RooflineStage::start_trail); });
  connect(stop_, &QPushButton::clicked, run_, &RooflineStage::stop);
  connect(level_, &QComboBox::currentIndexChanged, this, &RooflineView::show_run);
  connect(threads_, &QSpinBox::valueChanged, this, &RooflineView::show_state);
  return bar;
}

void RooflineView::judge_shown(void (RooflineStage::*start)(fusion::GroupId, int)) {
  if (!document_->kernels().kernel()) return;
  const fusion::GroupId group = document_->kernels().group();
  (run_->*start)(group, threads_->value());
  document_->selection().select_group(group);
}

// Whether what is known of the kernel that is shown is of another schedule than it has.
bool RooflineView::is_stale() const {
  const auto kernel = document_->kernels().kernel();
  const int row = kernel ? run_->row_of(document_->kernels().group()) : -1;
  return row >= 0 && run_->kernels()[static_cast<std::size_t>(row)].newest.schedule !=
                         digest_of(kernel->stages->trace);
}

int RooflineView::selected() const {
  const fusion::GroupId group = document_->selection().primary_group();
  return group.valid() ? run_->row_of(group) : -1;
}

void RooflineView::select(int kernel) {
  if (kernel < 0 || kernel >= std::ssize(run_->kernels())) return;
  document_->selection().select_group(
      run_->kernels()[static_cast<std::size_t>(kernel)].newest.group);
}

void RooflineView::show_run() {
  RooflinePicture picture;
  picture.roofs = run_->roofs();
  picture.level = static_cast<std::size_t>(std::max(0, level_->currentIndex()));
  picture.selected = selected();
  for (const JudgedKernel& judged : run_->kernels()) {
    picture.kernels.push_back(judged.newest);
    picture.earlier.push_back(judged.earlier);
  }
  if (picture.kernels.empty()) picture.roofs = {};
  chart_->show_picture(std::move(picture));
  table_->show_kernels(run_->kernels(), selected());
  if (const int kernel = selected(); kernel >= 0)
    card_->setHtml(verdict_html(run_->kernels()[static_cast<std::size_t>(kernel)].newest));
  else card_->clear();
  show_state();
}

void RooflineView::show_state() {
  const bool is_working = run_->is_working();
  const bool is_guessing = document_->fusion().is_guessing();
  const QString hindrance =
      is_guessing ? tr("Its rows are the kernels, which are being guessed at.") : run_->hindrance();
  panes_->setEnabled(!is_guessing);
  panes_->setVisible(!is_guessing);
  all_->setEnabled(hindrance.isEmpty() && !is_working);
  const auto kernel = document_->kernels().kernel();
  const bool is_run = kernel && !kernel->stages->is_view;
  for (QPushButton* judging : {one_, steps_})
    judging->setEnabled(hindrance.isEmpty() && !is_working && is_run);
  // In a small pane they share a row.
  for (QPushButton* judging : {all_, one_, steps_}) judging->setVisible(!is_working);
  stop_->setVisible(is_working);
  QString words;
  if (!hindrance.isEmpty()) {
    words = hindrance;
  } else if (!run_->problem().isEmpty()) {
    words = QString("<span style='color:%1'>✕ %2</span>")
                .arg(theme().error.name(), run_->problem().toHtmlEscaped());
  } else if (is_working) {
    words = run_->kernels().empty()
                ? tr("Measuring the roofs…")
                : tr("Measuring… %1 so far.").arg(counted(run_->kernels().size(), "kernel"));
  } else if (run_->kernels().empty()) {
    words = tr("What keeps each kernel from the peak of this machine? Not measured yet.");
  } else if (is_stale()) {
    words = QString("<span style='color:%1'>⚠ %2</span>")
                .arg(theme().warning.name(),
                     tr("The kernel that is shown has another schedule now: This Kernel judges it "
                        "again."));
  } else {
    const roofline::Roofs& roofs = run_->roofs();
    const QString whole =
        std::ranges::any_of(run_->kernels(), is_whole, &JudgedKernel::newest)
            ? tr(", %1 of products of bytes").arg(text(readable_speed(roofs.byte_products_gflops)))
            : QString();
    words = tr("%1: <b>%2</b> of float32%3, %4 GB/s from memory · %5")
                .arg(counted(roofs.threads, "thread"), text(readable_speed(roofs.float32_gflops)),
                     whole)
                .arg(roofs.levels.back().gigabytes_per_second, 0, 'f', 0)
                .arg(counted(run_->kernels().size(), "kernel"));
    if (const std::size_t groups = document_->fusion().plan()->groups.size(),
        judged = run_->kernels().size();
        judged < groups && !run_->was_stopped())
      words += tr(" of %1").arg(groups);
    if (run_->was_stopped()) words += tr(" · stopped: not all are of this run");
    if (const QString when = run_->measured_words(); !when.isEmpty()) words += " · " + when;
  }
  summary_->setText(words);
  summary_->setToolTip(words);  // a small pane cuts it
  if (!hindrance.isEmpty()) return command_->set_command({});
  const KernelWords kernels = kernel_words(*document_);
  QString command = "loopglassc roofline " + kernels.model;
  if (const int row = selected(); row >= 0) {
    const KernelVerdict& kernel = run_->kernels()[static_cast<std::size_t>(row)].newest;
    command += " --kernel " + shell_word(text(kernel.kernel));
    if (kernel.trail) command += " --trail";
  }
  if (threads_->value() != 1) command += QString(" --threads %1").arg(threads_->value());
  command_->set_command(command + kernels.note);
}

}  // namespace loopglass::views
