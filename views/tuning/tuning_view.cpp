#include "views/tuning/tuning_view.h"

#include "core/runtime/thread_pool.h"
#include "core/support/readable_time.h"
#include "views/counted.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/tuning/trial_table.h"
#include "views/tuning/tuning_chart.h"
#include "views/widgets/flow_splitter.h"
#include "views/widgets/pass_on_undo.h"
#include "views/widgets/text_size.h"
#include "views/widgets/wrap_layout.h"

#include <QComboBox>
#include <QHeaderView>
#include <QLabel>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QSortFilterProxyModel>
#include <QSpinBox>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace loopglass::views {

namespace {

QString time_text(double milliseconds) {
  return std::isnan(milliseconds) ? QObject::tr("none")
                                  : text(readable_time(Milliseconds(milliseconds)));
}

// What is chosen says what it is, as its entries do.
void tell_of_choice(QComboBox* box) {
  const auto tell = [box] { box->setToolTip(box->currentData(Qt::ToolTipRole).toString()); };
  QObject::connect(box, &QComboBox::currentIndexChanged, box, tell);
  tell();
}

template <class Kinds>
QComboBox* choice_of(const Kinds& kinds, const QString& name) {
  auto* box = new QComboBox;
  box->setObjectName(name);
  for (const auto& kind : kinds) {
    box->addItem(text(kind.name));
    box->setItemData(box->count() - 1, text(kind.doc), Qt::ToolTipRole);
  }
  tell_of_choice(box);
  return box;
}

}  // namespace

TuningView::TuningView(Document* document, QWidget* parent)
    : QWidget(parent),
      document_(document),
      runs_(new TuningRuns(document, this)),
      chart_(new TuningChart),
      trials_(new TrialTable(this)),
      sorted_(new QSortFilterProxyModel(this)) {
  constexpr int side_by_side = 760;
  auto* panes = new FlowSplitter(side_by_side);
  panes->addWidget(chart_);
  panes->addWidget(make_trials());
  panes->addWidget(make_script());
  panes->setSizes({400, 360, 300});
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(make_controls());
  layout->addWidget(panes, 1);
  connect(runs_, &TuningRuns::changed, this, &TuningView::show_runs);
  connect(chart_, &TuningChart::trialChosen, this, [this](int run, int trial) {
    follows_best_ = false;
    select(run, trial);
  });
  connect(document, &Document::askedChanged, this, &TuningView::show_trial);
  connect(document, &Document::modelChanged, this, [this] {
    runs_->stop();
    runs_->forget();
  });
  show_runs();
}

QWidget* TuningView::make_controls() {
  auto* bar = new QWidget;
  auto* row = new WrapLayout(6, bar);
  row->setContentsMargins(8, 4, 8, 4);
  const auto field = [&](const QString& name, QWidget* widget) {
    auto* label = new QLabel(name);
    label->setBuddy(widget);
    row->addWidget(label);
    row->addWidget(widget);
  };
  space_ = choice_of(tune::all_space_kinds(), "tuningSpace");
  search_ = choice_of(tune::all_search_kinds(), "tuningSearch");
  search_->setCurrentText("droplet");
  model_ = choice_of(tune::all_cost_model_kinds(), "tuningModel");
  model_->setCurrentText("trees-stores");
  layout_ = new QComboBox;
  layout_->setObjectName("tuningLayout");
  layout_->addItem(tr("as written"));
  layout_->setItemData(0, tr("constants lie as scripts of the space have it"), Qt::ToolTipRole);
  for (const tune::Layout layout : tune::all_layouts) {
    layout_->addItem(text(name(layout)));
    layout_->setItemData(layout_->count() - 1, text(tune::doc(layout)), Qt::ToolTipRole);
  }
  tell_of_choice(layout_);
  count_ = new QSpinBox;
  count_->setObjectName("tuningTrials");
  count_->setRange(1, 1'000'000);
  count_->setValue(128);
  threads_ = new QSpinBox;
  threads_->setObjectName("tuningThreads");
  threads_->setRange(1, std::max(1, runtime::hardware_threads()));
  seed_ = new QSpinBox;
  seed_->setObjectName("tuningSeed");
  seed_->setRange(1, 1'000'000);
  for (QSpinBox* box : {count_, threads_, seed_}) pass_on_undo(box);
  field(tr("S&pace"), space_);
  field(tr("Sea&rch"), search_);
  field(tr("&Model"), model_);
  field(tr("La&yout"), layout_);
  field(tr("Tr&ials"), count_);
  field(tr("Threa&ds"), threads_);
  field(tr("Seed"), seed_);
  const auto button = [&](const QString& label, const QString& name, const QString& tip) {
    auto* made = new QPushButton(label);
    made->setObjectName(name);
    made->setToolTip(tip);
    row->addWidget(made);
    return made;
  };
  start_ = button(tr("&Tune"), "tuningStart", {});
  pause_ = button(tr("P&ause"), "tuningPause", tr("Holds the run between two trials"));
  pause_->setCheckable(true);
  stop_ = button(tr("St&op"), "tuningStop", tr("Ends the run; what was measured stays"));
  state_ = new QLabel;
  state_->setObjectName("tuningState");
  state_->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Preferred);
  row->addWidget(state_);
  connect(start_, &QPushButton::clicked, this, &TuningView::start);
  connect(pause_, &QPushButton::toggled, this, [this](bool is_held) {
    pause_->setText(is_held ? tr("Go &On") : tr("P&ause"));
    runs_->pause(is_held);
  });
  connect(stop_, &QPushButton::clicked, runs_, &TuningRuns::stop);
  return bar;
}

QWidget* TuningView::make_trials() {
  auto* part = new QWidget;
  auto* column = new QVBoxLayout(part);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  auto* bar = new QWidget;
  auto* row = new WrapLayout(6, bar);
  row->setContentsMargins(4, 0, 4, 0);
  run_choice_ = new QComboBox;
  run_choice_->setObjectName("tuningRun");
  run_choice_->setToolTip(tr("Which run's trials are listed"));
  run_choice_->setSizeAdjustPolicy(QComboBox::AdjustToContents);
  chart_choice_ = new QComboBox;
  chart_choice_->setObjectName("tuningChart");
  chart_choice_->addItems({tr("times over trials"), tr("foretold against measured")});
  forget_ = new QPushButton(tr("For&get"));
  forget_->setToolTip(tr("Drops the runs that are over"));
  row->addWidget(run_choice_);
  row->addWidget(chart_choice_);
  row->addWidget(forget_);
  sorted_->setSourceModel(trials_);
  sorted_->setSortRole(TrialTable::sort_role);
  table_ = new QTableView;
  table_->setObjectName("trialTable");
  table_->setModel(sorted_);
  table_->setSortingEnabled(true);
  table_->sortByColumn(TrialTable::Time, Qt::AscendingOrder);
  table_->setSelectionBehavior(QAbstractItemView::SelectRows);
  table_->setSelectionMode(QAbstractItemView::SingleSelection);
  table_->setShowGrid(false);
  table_->setWordWrap(false);
  table_->setTabKeyNavigation(false);
  table_->verticalHeader()->hide();
  fit_rows_to_text(table_, 6);
  auto* header = table_->horizontalHeader();
  header->setHighlightSections(false);
  header->setStretchLastSection(true);
  header->setSectionResizeMode(QHeaderView::Interactive);
  const int letter = fontMetrics().averageCharWidth();
  header->resizeSection(TrialTable::Number, 7 * letter);
  header->resizeSection(TrialTable::Time, 12 * letter);
  header->resizeSection(TrialTable::Faster, 9 * letter);
  header->resizeSection(TrialTable::Speed, 13 * letter);
  header->resizeSection(TrialTable::How, 22 * letter);
  column->addWidget(bar);
  column->addWidget(table_, 1);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            if (!current.isValid() || following_) return;
            follows_best_ = false;
            select(run_, sorted_->mapToSource(current).row());
          });
  connect(run_choice_, &QComboBox::activated, this, [this](int run) {
    follows_best_ = true;
    select(run, -1);
    show_runs();
  });
  connect(chart_choice_, &QComboBox::activated, this, [this](int choice) {
    chart_->set_shows(choice == 0 ? TuningChart::Shows::OverTrials : TuningChart::Shows::Foretold);
  });
  connect(forget_, &QPushButton::clicked, runs_, &TuningRuns::forget);
  return part;
}

QWidget* TuningView::make_script() {
  auto* part = new QWidget;
  auto* column = new QVBoxLayout(part);
  column->setContentsMargins(4, 0, 4, 4);
  column->setSpacing(4);
  trial_words_ = new QLabel;
  trial_words_->setObjectName("trialWords");
  trial_words_->setWordWrap(true);
  trial_words_->setTextInteractionFlags(Qt::TextSelectableByMouse);
  script_ = new QPlainTextEdit;
  script_->setObjectName("trialScript");
  script_->setReadOnly(true);
  script_->setLineWrapMode(QPlainTextEdit::NoWrap);
  script_->setPlaceholderText(tr("The script of a trial: click a dot or a row."));
  use_code_font(script_);
  auto* bar = new QWidget;
  auto* row = new WrapLayout(6, bar);
  row->setContentsMargins(0, 0, 0, 0);
  use_ = new QPushButton(tr("&Use"));
  use_->setObjectName("trialUse");
  use_->setToolTip(tr("Schedules the kernel by this script, and all that compute the same"));
  edit_ = new QPushButton(tr("Edit"));
  edit_->setObjectName("trialEdit");
  edit_->setToolTip(tr("Puts it into the loop nest's script, to be changed by hand"));
  row->addWidget(use_);
  row->addWidget(edit_);
  column->addWidget(trial_words_);
  column->addWidget(script_, 1);
  column->addWidget(bar);
  connect(use_, &QPushButton::clicked, this, &TuningView::use_script);
  connect(edit_, &QPushButton::clicked, this, &TuningView::edit_script);
  return part;
}

void TuningView::start() {
  tune::TuneSettings settings;
  settings.space = space_->currentText().toStdString();
  settings.search = search_->currentText().toStdString();
  settings.cost_model = model_->currentText().toStdString();
  if (layout_->currentIndex() > 0)
    settings.layout = tune::layout_named(layout_->currentText().toStdString());
  settings.trials = static_cast<std::size_t>(count_->value());
  settings.seed = static_cast<std::uint64_t>(seed_->value());
  settings.round = 8;  // sooner something to see
  follows_best_ = true;
  runs_->start(settings, threads_->value());
}

const ShownRun* TuningView::selected_run() const {
  const auto& all = runs_->runs();
  return run_ >= 0 && run_ < static_cast<int>(all.size()) ? &all[static_cast<std::size_t>(run_)]
                                                          : nullptr;
}

const ShownTrial* TuningView::selected_trial() const {
  const ShownRun* run = selected_run();
  return run && trial_ >= 0 && trial_ < static_cast<int>(run->trials.size())
             ? &run->trials[static_cast<std::size_t>(trial_)]
             : nullptr;
}

bool TuningView::is_of_shown_kernel() const {
  const ShownRun* run = selected_run();
  const auto kernel = document_->kernels().kernel();
  return run && kernel &&
         loopglass::kernel::workload_of(loop::nameless_form(kernel->stages->initial)) ==
             run->workload;
}

void TuningView::show_runs() {
  const auto& all = runs_->runs();
  const int last = static_cast<int>(all.size()) - 1;
  // A new run is looked at.
  if (run_choice_->count() != last + 1) {
    run_choice_->clear();
    for (const ShownRun& run : all)
      run_choice_->addItem(
          QString("%1  %2: %3").arg(run_choice_->count() + 1).arg(text(run.kernel), title_of(run)));
    run_ = last;
    trial_ = -1;
  }
  run_choice_->setCurrentIndex(run_);
  run_choice_->setEnabled(!all.empty());
  forget_->setEnabled(!all.empty() && (all.size() > 1 || !runs_->is_working()));
  const ShownRun* run = selected_run();
  following_ = true;
  if (run) trials_->show(*run);
  else trials_->clear();
  following_ = false;
  if (run && follows_best_) trial_ = run->trials.empty() ? -1 : run->best;
  select(run_, trial_);
  show_state();
}

void TuningView::select(int run, int trial) {
  if (run != run_ && run >= 0) {
    run_ = run;
    run_choice_->setCurrentIndex(run);
    if (const ShownRun* shown = selected_run()) {
      following_ = true;
      trials_->show(*shown);
      following_ = false;
    }
  }
  trial_ = trial;
  following_ = true;
  const QModelIndex index =
      selected_trial() ? sorted_->mapFromSource(trials_->index(trial, 0)) : QModelIndex();
  if (index.row() != table_->currentIndex().row() || !index.isValid())
    table_->setCurrentIndex(index);
  following_ = false;
  chart_->show_runs(runs_->runs(), run_, trial_);
  show_trial();
}

void TuningView::show_trial() {
  const ShownRun* run = selected_run();
  const ShownTrial* trial = selected_trial();
  const QString script = trial ? text(trial->script) : QString();
  if (script_->toPlainText() != script) script_->setPlainText(script);
  use_->setEnabled(trial && trial->failure.empty() && is_of_shown_kernel());
  edit_->setEnabled(trial && !trial->script.empty() && is_of_shown_kernel());
  if (!trial) return trial_words_->clear();
  QString words = tr("<b>trial %1</b>, %2").arg(trial->number).arg(text(trial->how));
  if (!trial->parents.empty()) {
    QStringList parents;
    for (const int parent : trial->parents) parents << QString::number(parent);
    words += tr(" of %1").arg(parents.join(", "));
  }
  if (!trial->failure.empty())
    words += QString("<br><span style='color:%1'>✕ %2: %3</span>")
                 .arg(theme().error.name(), text(trial->failure).toHtmlEscaped(),
                      text(trial->reason).toHtmlEscaped());
  else
    words += QString(": <b>%1</b>, %2 GFLOP/s")
                 .arg(time_text(trial->best_known_ms()))
                 .arg(run->flops / trial->best_known_ms() * 1e-6, 0, 'f', 1);
  if (trial->in_turns_ms) words += tr(", in turns with the fastest");
  if (trial->same_code) words += tr(", the same code as an earlier trial's");
  if (const SavedSchedule* own = document_->own_schedule();
      own && is_of_shown_kernel() && own->script == trial->script && !trial->script.empty())
    words += QString(" · <span style='color:%1'>%2</span>").arg(theme().good.name(), tr("in use"));
  if (!trial->words.empty()) words += "<br>" + text(trial->words).toHtmlEscaped();
  if (!is_of_shown_kernel())
    words +=
        "<br>" + tr("Of %1: select that kernel to use it.").arg(text(run->kernel).toHtmlEscaped());
  trial_words_->setText(words);
}

void TuningView::show_state() {
  const QString hindrance = runs_->hindrance();
  const bool is_working = runs_->is_working();
  start_->setEnabled(hindrance.isEmpty());
  start_->setToolTip(hindrance.isEmpty()
                         ? tr("Looks for faster schedules of the kernel that is shown")
                         : hindrance);
  pause_->setEnabled(is_working);
  if (!is_working && pause_->isChecked()) pause_->setChecked(false);
  stop_->setEnabled(is_working);
  for (QWidget* choice :
       std::initializer_list<QWidget*>{space_, search_, model_, layout_, count_, threads_, seed_})
    choice->setEnabled(!is_working);
  const ShownRun* run = selected_run();
  if (!is_working && !hindrance.isEmpty()) return state_->setText(hindrance);
  if (!run || (!is_working && !is_of_shown_kernel())) {
    const auto kernel = document_->kernels().kernel();
    state_->setText(
        !hindrance.isEmpty() ? hindrance
        : kernel
            ? tr("Tunes %1.")
                  .arg(text(document_->fusion().plan()->group(document_->kernels().group()).name))
            : QString());
    return;
  }
  const ShownTrial* best = run->best_trial();
  if (run->state == RunState::Failed) {
    state_->setText(QString("<span style='color:%1'>✕ %2</span>")
                        .arg(theme().error.name(), text(run->problem).toHtmlEscaped()));
    return;
  }
  if (!best) return state_->setText(tr("Measuring the default schedule…"));
  const double usual = run->trials.front().best_known_ms();
  std::ptrdiff_t failed = 0;
  for (const ShownTrial& trial : run->trials) failed += !trial.failure.empty();
  QString words = QString("<b>%1</b>: %2 → <b>%3</b> (%4x), %5")
                      .arg(text(run->kernel).toHtmlEscaped(), time_text(usual),
                           time_text(best->best_known_ms()))
                      .arg(usual / best->best_known_ms(), 0, 'f', 2)
                      .arg(counted(run->measured(), "trial"));
  const auto refused = std::ranges::count_if(run->trials, &ShownTrial::is_refused);
  if (refused > 0) words += tr(", %1 more not legal").arg(refused);
  if (failed > refused) words += tr(", %1 failed").arg(failed - refused);
  if (run->seconds > 0 && run->measured() > 0)
    words += tr(", %1 s each").arg(run->seconds / static_cast<double>(run->measured()), 0, 'f', 2);
  if (!std::isnan(run->rank_correlation) && run->rank_correlation != 0)
    words += tr(", the model's ranks correlate by %1").arg(run->rank_correlation, 0, 'f', 2);
  switch (run->state) {
    case RunState::Paused: words += tr(" · held"); break;
    case RunState::Finishing: words += tr(" · the fastest run once more, in turns"); break;
    case RunState::Stopped: words += tr(" · stopped"); break;
    case RunState::Working:
    case RunState::Done:
    case RunState::Failed: break;
  }
  state_->setText(words);
  state_->setToolTip(words);
  // In a row of its own rather than cut, unless the pane is narrow anyway.
  constexpr int enough = 560;
  state_->setMinimumWidth(std::min({state_->sizeHint().width(), enough, width() - 24}));
}

void TuningView::use_script() {
  if (const ShownTrial* trial = selected_trial(); trial && is_of_shown_kernel())
    document_->set_schedule(trial->script);
}

void TuningView::edit_script() {
  const ShownRun* run = selected_run();
  if (const ShownTrial* trial = selected_trial(); trial && is_of_shown_kernel()) {
    document_->set_draft({run->kernel, run->workload, trial->script});
    emit scriptWanted();
  }
}

}  // namespace loopglass::views
