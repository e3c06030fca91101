#include "views/tuning/tuning_view.h"

#include "core/support/readable_time.h"
#include "views/counted.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/tuning/failure_list.h"
#include "views/tuning/kernel_shares.h"
#include "views/tuning/knob_chart.h"
#include "views/tuning/knob_map.h"
#include "views/tuning/lineage.h"
#include "views/tuning/round_bar.h"
#include "views/tuning/run_words.h"
#include "views/tuning/steering_bar.h"
#include "views/tuning/trials_of_round.h"
#include "views/tuning/tuning_chart.h"
#include "views/tuning/tuning_command.h"
#include "views/tuning/tuning_controls.h"
#include "views/widgets/command_bar.h"
#include "views/widgets/flow_splitter.h"
#include "views/widgets/text_size.h"
#include "views/widgets/wrap_layout.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QStackedWidget>
#include <QTabWidget>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {

namespace {

// In the order of the pictures; the first two are one chart.
enum Picture { OverTrials, Foretold, Knobs, Map, Failures, Kernels };

}  // namespace

TuningView::TuningView(Document* document, const std::filesystem::path& records, QWidget* parent)
    : QWidget(parent),
      document_(document),
      runs_(new TuningRuns(document, this)),
      controls_(new TuningControls),
      steering_(new SteeringBar),
      chart_(new TuningChart),
      trials_(new TrialTable(this)),
      sorted_(new TrialsOfRound(this)) {
  constexpr int side_by_side = 760;
  auto* panes = new FlowSplitter(side_by_side);
  panes->addWidget(make_pictures());
  panes->addWidget(make_trials());
  panes->addWidget(make_script());
  panes->setSizes({420, 340, 300});
  command_ = new CommandBar;
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(controls_);
  layout->addWidget(steering_);
  layout->addWidget(panes, 1);
  layout->addWidget(command_);
  connect(controls_, &TuningControls::startWanted, this, [this] { start(false); });
  connect(controls_, &TuningControls::startAllWanted, this, [this] { start(true); });
  connect(controls_, &TuningControls::pauseWanted, runs_, &TuningRuns::pause);
  connect(controls_, &TuningControls::stopWanted, runs_, &TuningRuns::stop);
  connect(controls_, &TuningControls::changed, this, &TuningView::show_command);
  connect(steering_, &SteeringBar::ruleDropped, this, [this](int number) {
    std::vector<tune::KnobRule> rules = this->rules();
    rules.erase(rules.begin() + number);
    set_rules(std::move(rules));
  });
  connect(runs_, &TuningRuns::changed, this, &TuningView::show_runs);
  connect(document, &Document::askedChanged, this, &TuningView::show_trial);
  connect(document, &Document::draftsChanged, this, &TuningView::show_state);
  connect(&document->kernels(), &KernelStage::kernelChanged, this, &TuningView::show_kernel);
  connect(document, &Document::modelChanged, this, [this] {
    runs_->stop();
    runs_->leave();
    rules_.clear();
  });
  if (!records.empty()) runs_->keep_in(records);
  show_runs();
}

QWidget* TuningView::make_pictures() {
  auto* part = new QWidget;
  auto* column = new QVBoxLayout(part);
  column->setContentsMargins(0, 0, 0, 0);
  column->setSpacing(2);
  auto* bar = new QWidget;
  auto* row = new WrapLayout(6, bar);
  row->setContentsMargins(8, 0, 4, 0);
  picture_choice_ = new QComboBox;
  picture_choice_->setObjectName("tuningChart");
  picture_choice_->setToolTip(tr("What is drawn of the run"));
  picture_choice_->addItems({tr("times over trials"), tr("foretold against measured"),
                             tr("knobs against speed"), tr("two knobs"), tr("failures"),
                             tr("kernels of the network")});
  sketch_choice_ = new QComboBox;
  sketch_choice_->setObjectName("tuningSketch");
  sketch_choice_->setToolTip(tr("Which sketch's knobs"));
  sketch_choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  sketch_choice_->setMinimumContentsLength(24);
  row->addWidget(picture_choice_);
  row->addWidget(sketch_choice_);
  knobs_ = new KnobChart;
  map_ = new KnobMap;
  failures_ = new FailureList;
  shares_ = new KernelShares;
  pictures_ = new QStackedWidget;
  for (QWidget* picture : std::initializer_list<QWidget*>{chart_, knobs_, map_, failures_, shares_})
    pictures_->addWidget(picture);
  rounds_ = new RoundBar;
  column->addWidget(bar);
  column->addWidget(pictures_, 1);
  column->addWidget(rounds_);
  const auto choose = [this](int trial) {
    follows_best_ = false;
    select(run_, trial);
  };
  connect(chart_, &TuningChart::trialChosen, this, [this](int run, int trial) {
    follows_best_ = false;
    select(run, trial);
  });
  connect(knobs_, &KnobChart::trialChosen, this, choose);
  connect(map_, &KnobMap::trialChosen, this, choose);
  connect(failures_, &FailureList::trialChosen, this, choose);
  connect(knobs_, &KnobChart::valueChosen, this, &TuningView::ask_for_rule);
  connect(shares_, &KernelShares::kernelChosen, this, [this](const std::string& workload) {
    for (int run = static_cast<int>(runs_->runs().size()); run-- > 0;)
      if (runs_->runs()[static_cast<std::size_t>(run)].workload == workload) {
        follows_best_ = true;
        select(run, -1);
        return show_runs();
      }
  });
  connect(picture_choice_, &QComboBox::currentIndexChanged, this, [this](int picture) {
    pictures_->setCurrentIndex(std::max(0, picture - 1));
    chart_->set_shows(picture == Foretold ? TuningChart::Shows::Foretold
                                          : TuningChart::Shows::OverTrials);
    show_picture();
  });
  connect(sketch_choice_, &QComboBox::activated, this, &TuningView::show_picture);
  connect(rounds_, &RoundBar::roundChanged, this, [this] {
    const ShownRun* run = selected_run();
    sorted_->show_round(rounds_->is_at_end() ? -1 : rounds_->round());
    follows_best_ = rounds_->is_at_end();
    if (run) select(run_, run->best_until(rounds_->round()));
  });
  return part;
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
  run_choice_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  run_choice_->setMinimumContentsLength(28);
  records_ = new QPushButton(tr("Re&cords"));
  records_->setObjectName("tuningRecords");
  auto* menu = new QMenu(records_);
  menu->addAction(tr("&Save the trials of this kernel…"), this, &TuningView::save_records);
  menu->addAction(tr("&Open trials of this kernel…"), this, &TuningView::open_records);
  menu->addAction(tr("Schedule all &kernels by records…"), this, &TuningView::schedule_by_records);
  menu->addSeparator();
  menu->addAction(tr("&Forget the runs that are over…"), this, &TuningView::forget);
  records_->setMenu(menu);
  records_->setToolTip(tr("Trials as files that loopglassc tune writes and every command takes"));
  use_all_ = new QPushButton(tr("Use &Best of All"));
  use_all_->setObjectName("tuningUseAll");
  use_all_->setToolTip(
      tr("Schedules every kernel of the network by the best that was found for it"));
  said_ = new QLabel;
  said_->setObjectName("tuningSaid");
  said_->setWordWrap(true);
  said_->hide();
  row->addWidget(run_choice_);
  row->addWidget(records_);
  row->addWidget(use_all_);
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
  // Wide enough for their heads at any size of text.
  const auto fit_columns = [this, header] {
    const QFontMetrics metrics(header->font());
    const int letter = metrics.averageCharWidth();
    const int least[] = {7, 12, 9, 13, 22};
    for (int column = 0; column <= TrialTable::How; ++column) {
      const QString head = trials_->headerData(column, Qt::Horizontal, Qt::DisplayRole).toString();
      header->resizeSection(
          column, std::max(least[column] * letter, metrics.horizontalAdvance(head) + 4 * letter));
    }
  };
  fit_columns();
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, fit_columns);
  column->addWidget(bar);
  column->addWidget(said_);
  column->addWidget(table_, 1);
  connect(table_->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
          [this](const QModelIndex& current) {
            if (!current.isValid() || following_) return;
            follows_best_ = false;
            select(run_, sorted_->mapToSource(current).row());
          });
  table_->setToolTip(
      tr("A double click puts the script into the loop nest's, with its nest and "
         "assembly"));
  connect(table_, &QTableView::doubleClicked, this, &TuningView::edit_script);
  connect(run_choice_, &QComboBox::activated, this, [this](int run) {
    follows_best_ = true;
    select(run, -1);
    show_runs();
  });
  connect(use_all_, &QPushButton::clicked, runs_, &TuningRuns::use_best_of_all);
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
  lineage_ = new LineageView;
  scripts_ = new QTabWidget;
  scripts_->setObjectName("trialTabs");
  scripts_->setDocumentMode(true);
  scripts_->addTab(script_, tr("Script"));
  scripts_->addTab(lineage_, tr("Lineage"));
  scripts_->setTabToolTip(1, tr("Where the trial came from, and what each step changed"));
  auto* bar = new QWidget;
  auto* row = new WrapLayout(6, bar);
  row->setContentsMargins(0, 0, 0, 0);
  const auto button = [&](const QString& label, const QString& name, const QString& tip) {
    auto* made = new QPushButton(label);
    made->setObjectName(name);
    made->setToolTip(tip);
    row->addWidget(made);
    return made;
  };
  use_ = button(tr("&Use"), "trialUse",
                tr("Schedules the kernel by this script, and all that compute the same"));
  edit_ = button(tr("Edit"), "trialEdit",
                 tr("Puts it into the loop nest's script, to be changed by hand"));
  try_own_ = button(tr("Try Mi&ne"), "trialTryOwn", {});
  column->addWidget(trial_words_);
  column->addWidget(scripts_, 1);
  column->addWidget(bar);
  connect(use_, &QPushButton::clicked, this, &TuningView::use_script);
  connect(edit_, &QPushButton::clicked, this, &TuningView::edit_script);
  connect(try_own_, &QPushButton::clicked, this, &TuningView::try_own_script);
  connect(lineage_, &LineageView::trialChosen, this, [this](int trial) {
    follows_best_ = false;
    select(run_, trial);
  });
  return part;
}

void TuningView::start(bool all) {
  tune::TuneSettings settings = controls_->settings();
  if (!all) settings.steering = rules();
  follows_best_ = true;
  note_.clear();
  if (all) {
    picture_choice_->setCurrentIndex(Kernels);
    runs_->start_all(settings, controls_->threads());
  } else {
    if (picture_choice_->currentIndex() == Kernels) picture_choice_->setCurrentIndex(OverTrials);
    runs_->start(settings, controls_->threads());
  }
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

std::string TuningView::shown_workload() const {
  const auto kernel = document_->kernels().kernel();
  return kernel ? loopglass::kernel::workload_of(loop::nameless_form(kernel->stages->initial))
                : std::string();
}

bool TuningView::is_of_shown_kernel() const {
  const ShownRun* run = selected_run();
  return run && !run->workload.empty() && shown_workload() == run->workload;
}

std::string TuningView::own_script() const {
  const auto draft = document_->drafts().find(shown_workload());
  if (draft != document_->drafts().end()) return draft->second.script;
  const SavedSchedule* own = document_->own_schedule();
  return own ? own->script : std::string();
}

const std::vector<tune::KnobRule>& TuningView::rules() const {
  static const std::vector<tune::KnobRule> none;
  const auto found = rules_.find(shown_workload());
  return found == rules_.end() ? none : found->second;
}

void TuningView::set_rules(std::vector<tune::KnobRule> rules) {
  const std::string workload = shown_workload();
  if (workload.empty()) return;
  runs_->steer(workload, rules);
  rules_[workload] = std::move(rules);
  show_runs();
}

void TuningView::ask_for_rule(const std::string& knob, const std::string& value, const QPoint& at) {
  if (!is_of_shown_kernel()) return;
  std::vector<tune::KnobRule> rules = this->rules();
  if (views::ask_for_rule(this, at, knob, value, rules)) set_rules(std::move(rules));
}

void TuningView::show_runs() {
  const auto& all = runs_->runs();
  const int last = static_cast<int>(all.size()) - 1;
  if (shown_runs_ != all.size()) {
    // A new run is looked at; of a network the one that is shown, if it is among them.
    run_ = last;
    const std::string workload = shown_workload();
    for (int run = last; run >= 0; --run)
      if (all[static_cast<std::size_t>(run)].workload == workload) {
        run_ = run;
        break;
      }
    trial_ = -1;
    shown_runs_ = all.size();
    run_choice_->clear();
    for (const ShownRun& run : all)
      run_choice_->addItem(QString("%1  %2: %3, seed %4")
                               .arg(run_choice_->count() + 1)
                               .arg(text(run.kernel), title_of(run))
                               .arg(run.settings.seed));
  }
  run_choice_->setCurrentIndex(run_);
  run_choice_->setToolTip(run_choice_->currentText());
  run_choice_->setEnabled(!all.empty());
  const auto kernels = runs_->last_network();
  shares_->show_kernels(kernels);
  use_all_->setVisible(!kernels.empty());
  use_all_->setEnabled(!runs_->is_working());
  const ShownRun* run = selected_run();
  following_ = true;
  if (run) trials_->show(*run);
  else trials_->clear();
  following_ = false;
  rounds_->show_run(run);
  sorted_->show_round(rounds_->is_at_end() ? -1 : rounds_->round());
  if (run && follows_best_) trial_ = run->trials.empty() ? -1 : run->best;
  select(run_, trial_);
  show_state();
}

// Its last run, where it has one; of a run that works, the one that works.
void TuningView::show_kernel() {
  const auto& all = runs_->runs();
  const std::string workload = shown_workload();
  if (const ShownRun* run = selected_run(); workload.empty() || (run && run->workload == workload))
    return;
  run_ = -1;
  trial_ = -1;
  for (int run = static_cast<int>(all.size()); run-- > 0 && run_ < 0;)
    if (all[static_cast<std::size_t>(run)].workload == workload) run_ = run;
  follows_best_ = true;
  show_runs();
}

void TuningView::select(int run, int trial) {
  if (run != run_ && run >= 0) {
    run_ = run;
    run_choice_->setCurrentIndex(run);
    if (const ShownRun* shown = selected_run()) {
      following_ = true;
      trials_->show(*shown);
      following_ = false;
      rounds_->show_run(shown);
    }
  }
  trial_ = trial;
  following_ = true;
  const QModelIndex index =
      selected_trial() ? sorted_->mapFromSource(trials_->index(trial, 0)) : QModelIndex();
  if (index.row() != table_->currentIndex().row() || !index.isValid())
    table_->setCurrentIndex(index);
  following_ = false;
  show_picture();
  show_trial();
}

int TuningView::shown_sketch() const {
  const ShownRun* run = selected_run();
  if (!run) return 0;
  return sketch_choice_->currentIndex() > 0 ? sketch_choice_->currentIndex() - 1
                                            : sketch_of_best(*run);
}

void TuningView::show_picture() {
  const ShownRun* run = selected_run();
  const int picture = picture_choice_->currentIndex();
  // Knobs are a sketch's: that of the best, or one that is chosen.
  QStringList sketches{tr("the best one's sketch")};
  if (run && run->sketches)
    for (const ShownSketch& sketch : *run->sketches) sketches << text(sketch.name);
  QStringList offered;
  for (int i = 0; i < sketch_choice_->count(); ++i) offered << sketch_choice_->itemText(i);
  if (sketches != offered) {
    sketch_choice_->clear();
    sketch_choice_->addItems(sketches);
  }
  sketch_choice_->setVisible((picture == Knobs || picture == Map) && sketches.size() > 2);
  rounds_->setVisible(picture != Kernels);
  show_command();
  const int round = rounds_->round();
  switch (picture) {
    case OverTrials:
    case Foretold: chart_->show_runs(runs_->runs(), run_, trial_, round); break;
    case Knobs: knobs_->show_run(run, shown_sketch(), round, trial_); break;
    case Map: map_->show_run(run, shown_sketch(), round, trial_); break;
    case Failures: failures_->show_run(run, round); break;
    default: break;
  }
}

void TuningView::show_trial() {
  const ShownRun* run = selected_run();
  const ShownTrial* trial = selected_trial();
  const QString script = trial ? text(trial->script) : QString();
  if (script_->toPlainText() != script) script_->setPlainText(script);
  script_->setPlaceholderText(trial ? tr("This point of the space cannot be written as a script.")
                                    : tr("The script of a trial: click a dot or a row."));
  lineage_->show_trial(run, trial_);
  use_->setEnabled(trial && trial->failure.empty() && is_of_shown_kernel());
  edit_->setEnabled(trial && !trial->script.empty() && is_of_shown_kernel());
  if (!trial) return trial_words_->clear();
  QString words = trial_html(*run, *trial);
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
  controls_->show_state(hindrance, runs_->hindrance_for_all(), is_working);
  steering_->show_rules(rules());
  try_own_->setEnabled(!own_script().empty() && (is_working || hindrance.isEmpty()));
  try_own_->setToolTip(
      own_script().empty() ? tr("Has a script of your own for this kernel stand against what is "
                                "found: there is none yet")
      : is_working         ? tr("Has your own script for this kernel stand against what is "
                                        "found, from the next round on")
                           : tr("Begins a run in which your own script for this kernel is "
                                        "tried first"));
  show_command();
  const ShownRun* run = selected_run();
  const bool has_problem = run && !run->problem.empty() && run->state != RunState::Failed;
  said_->setVisible(has_problem || !note_.isEmpty());
  said_->setText(has_problem ? QString("<span style='color:%1'>! %2</span>")
                                   .arg(theme().warning.name(), text(run->problem).toHtmlEscaped())
                             : note_.toHtmlEscaped());
  if (is_working && (!run || run->trials.empty()))
    return controls_->tell(tr("Measuring the default schedule…"));
  if (!is_working && !runs_->problem().empty())
    return controls_->tell(QString("<span style='color:%1'>✕ %2</span>")
                               .arg(theme().error.name(), text(runs_->problem()).toHtmlEscaped()));
  if (!is_working && !hindrance.isEmpty()) return controls_->tell(hindrance);
  if (!run || (!is_working && !is_of_shown_kernel())) {
    const auto kernel = document_->kernels().kernel();
    return controls_->tell(
        !hindrance.isEmpty() ? hindrance
        : kernel
            ? tr("Tunes %1.")
                  .arg(text(document_->fusion().plan()->group(document_->kernels().group()).name))
            : QString());
  }
  controls_->tell(run_html(*run));
}

void TuningView::show_command() {
  command_->set_command(tune_command(*document_, controls_->settings(), controls_->threads(),
                                     rules(), picture_choice_->currentIndex() == Kernels));
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

void TuningView::try_own_script() {
  const std::string script = own_script();
  if (script.empty()) return;
  if (runs_->is_working()) return runs_->try_script(shown_workload(), script);
  tune::TuneSettings settings = controls_->settings();
  settings.steering = rules();
  settings.own_scripts = {script};
  follows_best_ = true;
  runs_->start(settings, controls_->threads());
}

void TuningView::save_records() {
  const QString file = QFileDialog::getSaveFileName(this, tr("Save trials"), "trials.jsonl",
                                                    tr("Records (*.jsonl);;All files (*)"));
  if (file.isEmpty()) return;
  const ShownRun* run = selected_run();
  const auto saved =
      runs_->save_records(file.toStdString(), run ? run->workload : shown_workload());
  say(saved ? tr("Saved in %1.").arg(file) : text(saved.error().what));
}

void TuningView::forget() {
  const auto answer =
      QMessageBox::question(this, tr("Forget runs"),
                            tr("Forgets all runs that are over, and the trials that are kept of "
                               "them for another day. This "
                               "cannot be undone; Save keeps them in a file."),
                            QMessageBox::Ok | QMessageBox::Cancel, QMessageBox::Cancel);
  if (answer == QMessageBox::Ok) runs_->forget();
}

void TuningView::say(const QString& words) {
  note_ = words;
  show_state();
}

void TuningView::schedule_by_records() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Schedule by records"), {},
                                                    tr("Records (*.jsonl);;All files (*)"));
  if (!file.isEmpty())
    runs_->schedule_by_records(file.toStdString(), [this](const QString& words) { say(words); });
}

void TuningView::open_records() {
  const QString file = QFileDialog::getOpenFileName(this, tr("Open trials"), {},
                                                    tr("Records (*.jsonl);;All files (*)"));
  if (file.isEmpty()) return;
  const auto come = runs_->open_records(file.toStdString());
  say(!come       ? text(come.error().what)
      : *come > 0 ? tr("%1 more.").arg(counted(*come, "run"))
                  : tr("There are no other runs of this kernel on this machine in %1.").arg(file));
}

}  // namespace loopglass::views
