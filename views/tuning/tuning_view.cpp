#include "views/tuning/tuning_view.h"

#include "views/counted.h"
#include "views/text.h"
#include "views/theme.h"
#include "views/tuning/hindrances.h"
#include "views/tuning/run_pictures.h"
#include "views/tuning/run_words.h"
#include "views/tuning/steering_bar.h"
#include "views/tuning/trial_script.h"
#include "views/tuning/trials_of_round.h"
#include "views/tuning/tuning_command.h"
#include "views/tuning/tuning_controls.h"
#include "views/widgets/command_bar.h"
#include "views/widgets/flow_splitter.h"
#include "views/widgets/pane_keys.h"
#include "views/widgets/text_size.h"
#include "views/widgets/wrap_layout.h"

#include <QComboBox>
#include <QFileDialog>
#include <QHeaderView>
#include <QLabel>
#include <QMenu>
#include <QMessageBox>
#include <QPushButton>
#include <QShortcut>
#include <QTableView>
#include <QVBoxLayout>

#include <algorithm>

namespace loopglass::views {

TuningView::TuningView(Document* document, const std::filesystem::path& records, QWidget* parent)
    : QWidget(parent),
      document_(document),
      runs_(new TuningRuns(document, this)),
      controls_(new TuningControls),
      steering_(new SteeringBar),
      pictures_(new RunPictures),
      trials_(new TrialTable(this)),
      sorted_(new TrialsOfRound(this)),
      script_(new TrialScript) {
  constexpr int side_by_side = 760;
  auto* panes = new FlowSplitter(side_by_side);
  panes->addWidget(pictures_);
  panes->addWidget(make_trials());
  panes->addWidget(script_);
  panes->setSizes({420, 340, 300});
  command_ = new CommandBar;
  auto* layout = new QVBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->setSpacing(0);
  layout->addWidget(controls_);
  layout->addWidget(steering_);
  layout->addWidget(panes, 1);
  layout->addWidget(command_);
  connect_pictures();
  connect(script_, &TrialScript::useWanted, this, &TuningView::use_script);
  connect(script_, &TrialScript::editWanted, this, &TuningView::edit_script);
  connect(script_, &TrialScript::ownWanted, this, &TuningView::try_own_script);
  connect(script_, &TrialScript::trialChosen, this, [this](int trial) {
    follows_best_ = false;
    select(run_, trial);
  });
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
  connect(document, &Document::askedChanged, this, [this] {
    show_trial();
    say({});  // what was said of schedules, of which one has changed
  });
  connect(document, &Document::draftsChanged, this, &TuningView::show_state);
  connect(&ThemeNotifier::instance(), &ThemeNotifier::changed, this, &TuningView::show_runs);
  connect(&document->kernels(), &KernelStage::kernelChanged, this, &TuningView::show_kernel);
  connect(document, &Document::modelChanged, this, [this] {
    runs_->stop();
    runs_->leave();
  });
  if (!records.empty()) runs_->keep_in(records);
  show_runs();
}

void TuningView::connect_pictures() {
  connect(pictures_, &RunPictures::trialChosen, this, [this](int run, int trial) {
    follows_best_ = false;
    select(run, trial);
  });
  connect(pictures_, &RunPictures::valueChosen, this, &TuningView::ask_for_rule);
  connect(pictures_, &RunPictures::pictureChanged, this, &TuningView::show_state);
  connect(pictures_, &RunPictures::kernelChosen, this, [this](const std::string& workload) {
    follows_best_ = true;
    select(runs_->last_of(workload), -1);
    show_runs();
  });
  connect(pictures_, &RunPictures::roundChanged, this, [this] {
    const auto round = pictures_->round();
    sorted_->show_round(round.value_or(-1));
    follows_best_ = !round;
    if (const ShownRun* run = selected_run())
      select(run_, run->best_until(round.value_or(run->rounds())));
  });
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
  use_all_ = new QPushButton(tr("&Use Best of All"));
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
  fit_columns_to_text(table_, {7, 12, 11, 13, 22});
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
      tr("A double click, or Return, puts the script into the loop nest's, with its nest; once it "
         "is used the assembly follows"));
  connect(table_, &QTableView::doubleClicked, this, &TuningView::edit_script);
  for (const QKeyCombination& key : trial_keys().front().keys)
    connect(new QShortcut(key, table_, nullptr, nullptr, Qt::WidgetShortcut), &QShortcut::activated,
            this, &TuningView::edit_script);
  connect(run_choice_, &QComboBox::activated, this, [this](int run) {
    follows_best_ = true;
    select(run, -1);
    show_runs();
  });
  connect(use_all_, &QPushButton::clicked, this, [this] {
    const std::size_t kernels = runs_->use_best_of_all();
    say(kernels == 0 ? tr("Nothing that was found is faster: the kernels keep what they have.")
                     : tr("%1 scheduled by what was found; Undo takes that back.")
                           .arg(counted(kernels, "kernel")));
  });
  return part;
}

void TuningView::start(bool all) {
  follows_best_ = true;
  note_.clear();
  pictures_->show_network(all);
  if (all) runs_->start_all(controls_->settings(), controls_->threads());
  else runs_->start(controls_->settings(), controls_->threads());
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
  return runs_->wishes().of(shown_workload()).rules;
}

std::string TuningView::shown_name() const {
  return document_->fusion().plan()->group(document_->kernels().group()).name;
}

void TuningView::set_rules(std::vector<tune::KnobRule> rules) {
  const std::string workload = shown_workload();
  if (workload.empty()) return;
  if (const ShownRun* run = selected_run(); run && run->workload == workload && run->sketches)
    if (const auto problem = hindrance_of(rules, *run)) return say(text(*problem));
  const auto kept = runs_->steer(workload, shown_name(), std::move(rules));
  say(kept ? QString() : tr("This is not kept: %1").arg(text(kept.error().what)));
  show_runs();
}

void TuningView::ask_for_rule(const std::string& knob, const std::string& value, const QPoint& at) {
  if (!is_of_shown_kernel()) return;
  std::vector<tune::KnobRule> rules = this->rules();
  if (views::ask_for_rule(this, at, knob, value, rules)) set_rules(std::move(rules));
}

void TuningView::show_runs() {
  const auto& all = runs_->runs();
  if (shown_runs_ != all.size()) {
    // A new run is looked at; of a network the one that is shown, if it is among them.
    const int of_shown = runs_->last_of(shown_workload());
    run_ = of_shown >= 0 ? of_shown : static_cast<int>(all.size()) - 1;
    trial_ = -1;
    shown_runs_ = all.size();
    run_choice_->clear();
    for (int i = 0; i < std::ssize(all); ++i) run_choice_->addItem({});
  }
  for (int i = 0; i < std::ssize(all); ++i) {
    const ShownRun& run = all[static_cast<std::size_t>(i)];
    const QString words = QString("%1  %2: %3, seed %4, %5")
                              .arg(i + 1)
                              .arg(text(run.kernel), title_of(run))
                              .arg(run.settings.seed)
                              .arg(counted(run.measured(), "trial"));
    if (words != run_choice_->itemText(i)) run_choice_->setItemText(i, words);
  }
  run_choice_->setCurrentIndex(run_);
  run_choice_->setToolTip(run_choice_->currentText());
  run_choice_->setEnabled(!all.empty());
  const auto kernels = runs_->last_network();
  use_all_->setVisible(!kernels.empty());
  use_all_->setEnabled(!runs_->is_working());
  const ShownRun* run = selected_run();
  following_ = true;
  if (run) trials_->show(*run);
  else trials_->clear();
  following_ = false;
  if (run && follows_best_) trial_ = run->trials.empty() ? -1 : run->best;
  select(run_, trial_);
  show_state();
}

// Its last run, where it has one; of a run that works, the one that works.
void TuningView::show_kernel() {
  const std::string workload = shown_workload();
  if (const ShownRun* run = selected_run(); workload.empty() || (run && run->workload == workload))
    return;
  run_ = runs_->last_of(workload);
  trial_ = -1;
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
    }
  }
  trial_ = trial;
  pictures_->show_runs(runs_->runs(), run_, trial_, runs_->last_network());
  following_ = true;
  sorted_->show_round(pictures_->round().value_or(-1));
  const QModelIndex index =
      selected_trial() ? sorted_->mapFromSource(trials_->index(trial, 0)) : QModelIndex();
  if (index.row() != table_->currentIndex().row() || !index.isValid())
    table_->setCurrentIndex(index);
  following_ = false;
  show_trial();
}

void TuningView::show_trial() {
  const ShownTrial* trial = selected_trial();
  TrialScript::Use use;
  use.may_be_used = is_of_shown_kernel();
  const std::string in_use = use.may_be_used ? script_in_use() : std::string();
  use.is_in_use = trial && !in_use.empty() && trial->script == in_use;
  script_->show_trial(selected_run(), trial_, use);
  trials_->set_in_use(in_use);
}

// Of the kernel that is shown; empty: the default schedule, and the run is not known to have it.
std::string TuningView::script_in_use() const {
  if (const SavedSchedule* own = document_->own_schedule()) return own->script;
  const ShownRun* run = selected_run();
  return run && !run->trials.empty() && run->trials.front().number == 0 ? run->trials.front().script
                                                                        : std::string();
}

void TuningView::show_state() {
  const QString hindrance = runs_->hindrance();
  const bool is_working = runs_->is_working();
  controls_->show_state(hindrance, runs_->hindrance_for_all(), is_working);
  steering_->show_rules(rules());
  const bool has_own = !own_script().empty();
  script_->offer_own(has_own && (is_working || hindrance.isEmpty()),
                     !has_own ? tr("Has a script of your own for this kernel stand against what "
                                   "is found: there is none yet")
                     : is_working ? tr("Has your own script for this kernel stand against what is "
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
  if (const ShownRun* other = runs_->at_work();
      is_working && other && (!run || run->trials.empty()))
    return controls_->tell(
        tr("Of this kernel there are no trials yet: %1 is being tuned.").arg(text(other->kernel)));
  if (is_working && (!run || run->trials.empty()))
    return controls_->tell(tr("Measuring the default schedule…"));
  if (!is_working && !runs_->problem().empty())
    return controls_->tell(QString("<span style='color:%1'>✕ %2</span>")
                               .arg(theme().error.name(), text(runs_->problem()).toHtmlEscaped()));
  if (!is_working && !hindrance.isEmpty()) return controls_->tell(hindrance);
  if (!run || (!is_working && !is_of_shown_kernel())) {
    const auto kernel = document_->kernels().kernel();
    return controls_->tell(!hindrance.isEmpty() ? hindrance
                           : kernel             ? tr("Tunes %1.").arg(text(shown_name()))
                                                : QString());
  }
  controls_->tell((pictures_->is_of_network() ? network_html(runs_->last_network()) : QString()) +
                  run_html(*run));
}

void TuningView::toggle_pause() { controls_->toggle_pause(); }

void TuningView::show_command() {
  const bool of_all = pictures_->is_of_network();
  command_->set_command(tune_command(
      *document_, controls_->settings(), controls_->threads(),
      of_all ? runs_->wishes().named() : std::vector{runs_->wishes().of(shown_workload())},
      of_all));
}

void TuningView::use_script() {
  const ShownTrial* trial = selected_trial();
  if (!trial || !is_of_shown_kernel()) return;
  const bool is_default = trial->number == 0;  // then no schedule of its own is what is wanted
  document_->set_schedule(is_default ? std::nullopt : std::optional(trial->script));
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
  const auto kernel = document_->kernels().kernel();
  if (const auto problem = hindrance_of(script, kernel->stages->initial))
    return say(tr("Your script is not legal here: %1").arg(text(*problem)));
  say({});  // what was wrong with another
  if (!runs_->is_working()) follows_best_ = true;
  runs_->try_script(shown_workload(), shown_name(), script, controls_->settings(),
                    controls_->threads());
  show_command();
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
                            tr("Removes all runs of this list that are over, with every trial "
                               "that is kept of their kernels. This cannot be undone; \"Save the "
                               "trials of this kernel\" writes them to a file before."),
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
