#include "views/bench/bench_view.h"
#include "core/fusion/layer_words.h"

#include "core/runtime/thread_pool.h"
#include "core/runtime/timing_words.h"
#include "core/support/readable_bytes.h"
#include "core/support/readable_flops.h"
#include "core/support/readable_time.h"
#include "views/bench/kernel_table.h"
#include "views/bench/round_chart.h"
#include "views/counted.h"
#include "views/document/lanes.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/widgets/flow_splitter.h"
#include "views/widgets/name_delegate.h"
#include "views/widgets/pass_on_undo.h"
#include "views/widgets/text_size.h"
#include "views/widgets/wrap_layout.h"

#include <QHeaderView>
#include <QLabel>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {

namespace {

QString time_words(double milliseconds) { return text(readable_time(Milliseconds(milliseconds))); }

// What was measured while others wanted the processors is not the machine's best, and rounds that
// differ much are of two minds.
QString trust_html(const runtime::BenchmarkReport& report) {
  const QString words =
      text(runtime::trust_words(report.network, report.load, report.threads)).toHtmlEscaped();
  const bool busy = report.load && is_busy(*report.load, report.threads);
  return busy || runtime::is_unsteady(report.network)
             ? QString("<span style='color:%1'>%2</span>").arg(theme().warning.name(), words)
             : words;
}

QString fresh_words(double milliseconds) {
  return QObject::tr("%1 more").arg(text(readable_time(Milliseconds(milliseconds))));
}

// The time is not the model's where some of its kernels are not there.
QString missing_words(const runtime::BenchmarkReport& report) {
  const auto missing = std::count_if(report.kernels.begin(), report.kernels.end(),
                                     [](const auto& kernel) { return kernel.missing.has_value(); });
  if (missing == 0) return {};
  return QString("<span style='color:%1'>⚠ without %2 that %3 missing</span> · ")
      .arg(theme().warning.name(), counted(missing, "kernel"),
           missing == 1 ? QObject::tr("is") : QObject::tr("are"));
}

}  // namespace

BenchView::BenchView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      kernels_(new KernelTable(this)),
      sorted_(new QSortFilterProxyModel(this)),
      table_(new QTableView),
      chart_(new RoundChart) {
  make_table();
  constexpr int both_side_by_side = 760;
  auto* panes = new FlowSplitter(both_side_by_side);
  panes->addWidget(chart_);
  panes->addWidget(table_);
  panes->setStretchFactor(0, 1);
  panes->setStretchFactor(1, 1);
  // The kernels say more than the rounds of all of them.
  panes->let_go_before(1, {420, 580});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_controls());
  layout->addWidget(panes, 1);

  connect(&document->benchmark(), &BenchmarkStage::benchmarkRound, this,
          [this] { chart_->show_rounds(document_->benchmark().round_times()); });
  connect(&document->benchmark(), &BenchmarkStage::benchmarkChanged, this,
          &BenchView::show_benchmark);
  connect(&document->fusion(), &FusionStage::planChanged, this, &BenchView::show_benchmark);
  // Its rows are the kernels, which are what somebody guesses at.
  connect(&document->fusion(), &FusionStage::guessingChanged, this,
          [this] { table_->setVisible(!document_->fusion().is_guessing()); });
  connect(document, &Document::stageChanged, this, [this](Stage stage) {
    if (stage == Stage::Benchmark) show_benchmark();
  });
  connect(&document->selection(), &Selection::selectionChanged, this, &BenchView::show_selection);
  show_benchmark();
}

QWidget* BenchView::make_controls() {
  auto* bar = new QWidget;
  auto* column = new QVBoxLayout(bar);
  column->setContentsMargins(8, 4, 8, 4);
  column->setSpacing(4);
  auto* row = new WrapLayout(6);
  column->addLayout(row);
  threads_ = new QSpinBox;
  threads_->setRange(1, std::max(1, runtime::hardware_threads()));
  threads_->setValue(threads_->maximum());
  rounds_ = new QSpinBox;
  for (QSpinBox* box : {threads_, rounds_}) pass_on_undo(box);
  threads_->setObjectName("benchmarkThreads");
  rounds_->setObjectName("benchmarkRounds");
  rounds_->setRange(3, 1000);
  rounds_->setValue(20);
  for (QSpinBox* box : {threads_, rounds_})
    connect(box, &QSpinBox::valueChanged, this, [this] {
      chose_rounds_ = true;
      emit optionsChanged();
    });
  run_ = new QPushButton(tr("Run"));
  run_->setToolTip(tr("Compile every kernel and time the network (F5)"));
  stop_ = new QPushButton(tr("Stop"));
  summary_ = new QLabel;
  summary_->setWordWrap(true);
  const auto add_field = [&](const QString& name, QWidget* field) {
    auto* label = new QLabel(name);
    label->setBuddy(field);
    row->addWidget(label);
    row->addWidget(field);
  };
  add_field(tr("&Threads"), threads_);
  add_field(tr("Rou&nds"), rounds_);
  row->addWidget(run_);
  row->addWidget(stop_);
  column->addWidget(summary_);
  connect(run_, &QPushButton::clicked, this, &BenchView::run);
  connect(stop_, &QPushButton::clicked, this, &BenchView::stop);
  return bar;
}

void BenchView::make_table() {
  sorted_->setSourceModel(kernels_);
  sorted_->setSortRole(KernelTable::sort_role);
  table_->setModel(sorted_);
  table_->setObjectName("kernelTable");
  table_->setSortingEnabled(true);
  table_->sortByColumn(KernelTable::Median, Qt::DescendingOrder);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->verticalHeader()->hide();
  fit_rows_to_text(table_, 8);
  for (const int column : {KernelTable::Name, KernelTable::Layer})
    table_->setItemDelegateForColumn(column, new NameDelegate(table_));
  table_->setItemDelegateForColumn(KernelTable::Share, new ShareDelegate(table_));
  auto* header = table_->horizontalHeader();
  header->setHighlightSections(false);
  header->setSectionResizeMode(QHeaderView::ResizeToContents);
  header->setSectionResizeMode(KernelTable::Share, QHeaderView::Fixed);
  header->resizeSection(KernelTable::Share, 170);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            if (current.isValid() && !following_)
              document_->selection().select_group(
                  kernels_->group_at(sorted_->mapToSource(current).row()));
          });
}

// Names take what numbers leave, but no less than tells them apart: the table scrolls then. Kernels
// are as wide as their names where layers have room beside them.
void BenchView::fit_columns() {
  auto* header = table_->horizontalHeader();
  const int least = 16 * fontMetrics().averageCharWidth();
  int numbers = 0;
  for (int column = KernelTable::Median; column < KernelTable::ColumnCount; ++column)
    numbers += header->sectionSize(column);
  const int room = table_->viewport()->width() - numbers;
  const bool fits = room >= 2 * least;
  const auto wanted = [&](int column) {
    return static_cast<const QAbstractItemView*>(table_)->sizeHintForColumn(column) + 2;
  };
  const int layers = std::clamp(wanted(KernelTable::Layer), least, std::max(least, room / 2));
  header->setSectionResizeMode(KernelTable::Name, QHeaderView::Interactive);
  header->resizeSection(KernelTable::Name,
                        fits ? std::clamp(wanted(KernelTable::Name), least, room - layers) : least);
  header->setSectionResizeMode(KernelTable::Layer,
                               fits ? QHeaderView::Stretch : QHeaderView::Interactive);
  if (!fits) header->resizeSection(KernelTable::Layer, least);
}

void BenchView::resizeEvent(QResizeEvent* event) {
  QWidget::resizeEvent(event);
  fit_columns();
}

void BenchView::run() {
  if (run_->isEnabled() || document_->jobs().busy(lanes::opening))
    document_->benchmark().start(threads_->value(), rounds_->value());
}

// As it was in an earlier window, until somebody says otherwise.
void BenchView::measure_as(const runtime::BenchmarkReport& report) {
  const QSignalBlocker no_choice(rounds_), nor_this(threads_);
  threads_->setValue(report.threads);
  if (const std::size_t rounds = document_->benchmark().round_times().size(); rounds > 0)
    rounds_->setValue(static_cast<int>(rounds));
  emit optionsChanged();
}

QString BenchView::option_words() const {
  return QString(" --threads %1 --rounds %2").arg(threads_->value()).arg(rounds_->value());
}

void BenchView::stop() { document_->benchmark().stop(); }

void BenchView::show_benchmark() {
  const bool working = document_->state(Stage::Benchmark) == StageState::Working;
  run_->setEnabled(document_->fusion().plan() && !working);
  stop_->setEnabled(working || document_->benchmark().waits());
  const auto report = document_->benchmark().report();
  const bool is_nothing = report && runtime::is_nothing_timed(*report);
  chart_->show_rounds(is_nothing ? std::vector<double>() : document_->benchmark().round_times());
  following_ = true;
  QStringList layers;
  if (report && document_->fusion().plan())
    for (const runtime::KernelTiming& kernel : report->kernels)
      layers << text(fusion::layer_words(document_->fusion().plan()->group(kernel.group),
                                         *document_->history().last_graph()));
  kernels_->set_report(report, layers);
  const bool is_recalled = !document_->benchmark().measured_words().isEmpty();
  if (report && is_recalled && !chose_rounds_) measure_as(*report);
  fit_columns();
  following_ = false;
  const QString stopped = document_->benchmark().stopped_words();
  if (const Diagnostic* problem = document_->problem(Stage::Benchmark)) {
    summary_->setText(
        QString("<span style='color:%1'>✕ %2</span>")
            .arg(theme().error.name(), QString::fromStdString(problem->what).toHtmlEscaped()));
  } else if (document_->benchmark().waits()) {
    summary_->setText(tr("Measures the model that is being opened, once it is there."));
  } else if (working) {
    summary_->setText(document_->benchmark().is_stopping()
                          ? tr("Stops after this round; Stop again keeps nothing.")
                          : tr("Measuring…"));
  } else if (is_nothing) {
    summary_->setToolTip({});
    summary_->setText(
        QString("<span style='color:%1'>%2</span>")
            .arg(theme().warning.name(),
                 tr("⚠ Nothing can be timed: every kernel that takes time is missing.")));
  } else if (report) {
    const runtime::Statistics& time = report->network;
    const double gflops =
        time.median_ms > 0 ? static_cast<double>(report->flops) / time.median_ms / 1e6 : 0;
    const QString outputs =
        tr("%1 of outputs, kept from round to round; taking them anew for each costs %2")
            .arg(text(readable_bytes(report->output_bytes)),
                 fresh_words(report->fresh_outputs.median_ms));
    QString threads = counted(report->threads, "thread");
    if (const QString when = document_->benchmark().measured_words(); !when.isEmpty())
      threads += ", " + when;
    if (!report->shortage.empty()) threads += " (" + QString::fromStdString(report->shortage) + ")";
    summary_->setToolTip(outputs + "\n" + text(runtime::sum_words(*report)));
    // On a busy machine the two are far apart, and shares are of the one.
    constexpr double far_apart = 1.05;
    const double kernels = runtime::sum_of_kernels(*report);
    if (time.median_ms > far_apart * kernels)
      threads += tr(" · kernels add up to %1").arg(time_words(kernels));
    summary_->setText(
        QString("%1<b>%2</b> median (%3 to %4), %5 · %6 · %7 · arena %8 · fresh outputs %9")
            .arg(missing_words(*report), time_words(time.median_ms),
                 time_words(time.lower_quartile_ms), time_words(time.upper_quartile_ms),
                 trust_html(*report), threads, text(readable_speed(gflops)),
                 text(readable_bytes(report->arena_bytes)),
                 fresh_words(report->fresh_outputs.median_ms)));
    if (!stopped.isEmpty()) summary_->setText(summary_->text() + " · " + stopped);
  } else {
    const QString other = document_->benchmark().other_times_words();
    summary_->setText(!document_->fusion().plan() ? tr("Open a model to measure it.")
                      : !stopped.isEmpty()        ? tr("Not measured yet: %1.").arg(stopped)
                      : other.isEmpty()           ? tr("Not measured yet.")
                                                  : tr("Not measured yet: %1.").arg(other));
  }
  show_selection();
}

void BenchView::show_selection() {
  const int row = kernels_->row_of(document_->selection().primary_group());
  const QModelIndex index =
      row < 0 ? QModelIndex() : sorted_->mapFromSource(kernels_->index(row, 0));
  if (index.row() == table_->currentIndex().row() && index.isValid()) return;
  following_ = true;
  table_->setCurrentIndex(index);
  following_ = false;
}

}  // namespace loopglass::views
