#include "views/tuning/tuning_runs.h"

#include "core/compiler_version.h"
#include "core/loop/text.h"
#include "core/recorded_schedules.h"
#include "core/support/whole_file.h"
#include "core/tuning_task.h"
#include "views/counted.h"
#include "views/document/lanes.h"
#include "views/text.h"
#include "views/tuning/kept_network.h"
#include "views/tuning/tuning_work.h"

#include <algorithm>
#include <limits>
#include <ranges>

namespace loopglass::views {

namespace {

constexpr int milliseconds_between_looks = 80;
constexpr std::size_t most_recalled = 6;  // runs of a kernel

// Of the plan as it is.
Result<std::vector<tune::Task>> all_tasks(Session& session, int threads) {
  const auto plan = TRY(session.plan());
  std::vector<const fusion::Group*> groups;
  for (const fusion::Group& group : plan->groups) groups.push_back(&group);
  return tuning_tasks(session, groups, threads);
}

}  // namespace

TuningRuns::TuningRuns(Document* document, QObject* parent)
    : QObject(parent), document_(document), timer_(new QTimer(this)) {
  timer_->setInterval(milliseconds_between_looks);
  connect(timer_, &QTimer::timeout, this, &TuningRuns::drain);
  // Another kernel may be tuned, or none.
  connect(&document->kernels(), &KernelStage::kernelChanged, this, [this] {
    recall();
    emit changed();
  });
  connect(&document->fusion(), &FusionStage::planChanged, this, [this] {
    recall_network();
    recall_wishes();
  });
}

TuningRuns::~TuningRuns() {
  if (mailbox_) document_->jobs().cancel(lanes::tuning);
}

void TuningRuns::keep_in(std::filesystem::path folder) {
  folder_ = std::move(folder);
  wishes_.keep_in(folder_);
  recall();
  recall_network();
  recall_wishes();
}

QString TuningRuns::hindrance() const {
  if (mailbox_) return tr("A run is under way.");
  const auto kernel = document_->kernels().kernel();
  if (!kernel) return tr("Select a kernel to tune it.");
  if (kernel->stages->is_view)
    return tr("This kernel is not run: its result lies where it belongs.");
  return hindrance_for_all();
}

QString TuningRuns::hindrance_for_all() const {
  if (mailbox_) return tr("A run is under way.");
  if (!document_->session() || !document_->fusion().plan())
    return tr("Open a model to tune its kernels.");
  if (!document_->workers()) return tr("There is nothing to measure with here.");
  return {};
}

std::optional<tune::Task> TuningRuns::shown_task(int threads) const {
  const auto kernel = document_->kernels().kernel();
  if (!kernel || kernel->stages->is_view || !document_->fusion().plan()) return std::nullopt;
  return tuning_task(kernel->stages->initial, kernel->stages->program,
                     document_->fusion().plan()->group(document_->kernels().group()).name,
                     document_->toolchain().machine, threads);
}

void TuningRuns::start(const tune::TuneSettings& settings, int threads) {
  start_with({}, settings, threads);
}

void TuningRuns::start_with(std::vector<std::string> own_scripts,
                            const tune::TuneSettings& settings, int threads) {
  if (!hindrance().isEmpty()) return;
  auto task = shown_task(threads);
  if (!task) return;
  const std::string workload = tune::workload_of(*task);
  wishes_.drop_own_script(workload);
  task->rules = wishes_.of(workload).rules;
  task->own_scripts = std::move(own_scripts);
  begin(
      tr("Tuning %1").arg(text(task->kernel)),
      [task = *task] { return std::vector<tune::Task>{task}; }, settings, nullptr);
}

void TuningRuns::start_all(const tune::TuneSettings& settings, int threads) {
  if (!hindrance_for_all().isEmpty()) return;
  wishes_.drop_own_scripts();
  const auto tasks = [session = document_->session(), wishes = wishes_,
                      threads]() -> Result<std::vector<tune::Task>> {
    std::vector<tune::Task> all = TRY(all_tasks(*session, threads));
    for (tune::Task& task : all) task.rules = wishes.of(tune::workload_of(task)).rules;
    return all;
  };
  const bool is_network = document_->fusion().plan()->groups.size() > 1;
  // As it is now: a plan that is changed meanwhile has other kernels.
  begin(tr("Tuning all kernels"), tasks, settings,
        is_network ? std::shared_ptr<Session>(document_->session()->twin()) : nullptr);
}

void TuningRuns::begin(const QString& title, std::function<Result<std::vector<tune::Task>>()> tasks,
                       const tune::TuneSettings& settings, std::shared_ptr<Session> network) {
  mailbox_ = std::make_shared<TuningMailbox>();
  problem_.clear();
  TuningOrder order{{},      settings,   document_->workers()->program(), std::move(network),
                    folder_, ++together_};
  const auto work = [order = std::move(order), tasks = std::move(tasks),
                     mailbox = mailbox_](const JobContext& context) -> Result<bool> {
    TuningOrder own = order;
    own.tasks = TRY(tasks());
    return tune_in_background(own, *mailbox, context);
  };
  document_->jobs().run<bool>(
      lanes::tuning, title, work, [this](bool) { end(RunState::Done); },
      [this](const Diagnostic& problem) {
        end(RunState::Failed,
            problem.what + (problem.where.empty() ? "" : " (" + problem.where + ")"));
      },
      this);
  timer_->start();
  emit changed();
}

void TuningRuns::pause(bool pause) {
  if (!mailbox_) return;
  mailbox_->pause(pause);
  drain();
}

void TuningRuns::stop() {
  if (!mailbox_) return;
  document_->jobs().cancel(lanes::tuning);
  mailbox_->pause(false);
  end(RunState::Stopped);
}

void TuningRuns::forget() {
  std::set<std::string> dropped;
  const auto is_at_work = [&](const ShownRun& run) {
    return mailbox_ && run.together == together_;
  };
  for (const ShownRun& run : runs_)
    if (!is_at_work(run)) dropped.insert(run.workload);
  std::erase_if(runs_, [&](const ShownRun& run) { return !is_at_work(run); });
  for (const ShownRun& run : runs_) dropped.erase(run.workload);
  std::error_code ignored;
  if (!folder_.empty())
    for (const std::string& workload : dropped)
      std::filesystem::remove(records_of(folder_, workload), ignored);
  if (const auto session = document_->session(); session && !folder_.empty())
    if (const auto graph = session->graph())
      std::filesystem::remove(network_file(folder_, (*graph)->content_hash()), ignored);
  emit changed();
}

void TuningRuns::leave() {
  runs_.clear();
  wishes_.leave();
  recalled_.clear();
  is_network_recalled_ = false;
  together_ = 0;
  problem_.clear();
  emit changed();
}

Result<void> TuningRuns::steer(const std::string& workload, const std::string& kernel,
                               std::vector<tune::KnobRule> rules) {
  if (mailbox_) mailbox_->wish_rules(workload, rules);
  return wishes_.set_rules(workload, kernel, std::move(rules));
}

void TuningRuns::try_script(const std::string& workload, const std::string& kernel,
                            const std::string& script, const tune::TuneSettings& settings,
                            int threads) {
  if (mailbox_) mailbox_->wish_script(workload, script);
  else start_with({script}, settings, threads);
  wishes_.set_own_script(workload, kernel, script);
}

ShownRun& TuningRuns::run_for(const ShownRun& begun) {
  const auto known = std::ranges::find_if(runs_, [&](const ShownRun& run) {
    return run.together == begun.together && run.workload == begun.workload;
  });
  if (known != runs_.end()) return *known;
  runs_.push_back(begun);
  return runs_.back();
}

void TuningRuns::drain() {
  if (!mailbox_) return;
  for (const TuningMailbox::News& news : mailbox_->take_news()) news.tell(run_for(*news.begun));
  const bool is_paused = mailbox_->is_paused();
  for (ShownRun& run : runs_)
    if (run.together == together_ &&
        (run.state == RunState::Working || run.state == RunState::Paused))
      run.state = is_paused ? RunState::Paused : RunState::Working;
  emit changed();
}

void TuningRuns::end(RunState state, const std::string& problem) {
  drain();
  bool has_begun = false;
  for (ShownRun& run : runs_) {
    if (run.together != together_) continue;
    has_begun = true;
    recalled_.insert(run.workload);
    if (run.state == RunState::Done) continue;
    run.state = state;
    run.problem = problem;
  }
  // What failed before there was a trial is no run to be shown.
  if (!has_begun) problem_ = problem;
  mailbox_.reset();
  timer_->stop();
  recall();
  emit changed();
}

// A network's kernels are tuned under one name.
bool TuningRuns::is_known(const ShownRun& run) const {
  return std::ranges::any_of(runs_, [&](const ShownRun& known) {
    return known.id == run.id && known.workload == run.workload;
  });
}

// What is kept of the kernel that is shown comes once, and not in the middle of a run, which would
// be lost among it.
void TuningRuns::recall() {
  if (folder_.empty() || mailbox_) return;
  const auto task = shown_task(1);
  if (!task) return;
  const std::string workload = tune::workload_of(*task);
  const std::filesystem::path file = records_of(folder_, workload);
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored) || !recalled_.insert(workload).second) return;
  document_->jobs().run<std::vector<ShownRun>>(
      lanes::tuning_records, tr("Reading trials of %1").arg(text(task->kernel)),
      [file, task = *task](const JobContext&) -> Result<std::vector<ShownRun>> {
        const tune::Records records = TRY(tune::read_records(file));
        return recorded_runs(records, task, most_recalled);
      },
      [this](std::vector<ShownRun> recalled) {
        // Before whatever has been begun meanwhile.
        for (ShownRun& run : recalled | std::views::reverse)
          if (!is_known(run)) runs_.insert(runs_.begin(), std::move(run));
        emit changed();
      },
      [](const Diagnostic&) {}, this);
}

namespace {

// The kernels of a network that were tuned together last, as far as it has them now.
Result<std::vector<ShownRun>> recorded_network(Session& session,
                                               const std::filesystem::path& folder) {
  const auto graph = TRY(session.graph());
  const auto kept = kept_network(network_file(folder, graph->content_hash()));
  std::vector<ShownRun> runs;
  if (!kept) return runs;
  for (const tune::Task& task : TRY(all_tasks(session, kept->threads))) {
    const auto records = tune::read_records(records_of(folder, tune::workload_of(task)));
    if (!records) continue;
    for (ShownRun& run : recorded_runs(*records, task, std::numeric_limits<std::size_t>::max())) {
      if (run.id != kept->run) continue;
      run.nest = loop::to_text(task.nest);
      runs.push_back(std::move(run));
    }
  }
  if (!runs.empty()) runs.front().network = kept->times;
  return runs;
}

}  // namespace

void TuningRuns::recall_network() {
  const auto session = document_->session();
  if (folder_.empty() || mailbox_ || is_network_recalled_ || !session ||
      !document_->fusion().plan())
    return;
  is_network_recalled_ = true;
  document_->jobs().run<std::vector<ShownRun>>(
      lanes::tuned_network, tr("Reading trials of the network"),
      [session, folder = folder_](const JobContext&) { return recorded_network(*session, folder); },
      [this](std::vector<ShownRun> recalled) {
        // What has been begun meanwhile is what is looked at.
        if (recalled.empty() || together_ > 0) return;
        ++together_;
        for (ShownRun& run : recalled | std::views::reverse) {
          run.together = together_;
          const auto known = std::ranges::find_if(runs_, [&](const ShownRun& other) {
            return other.id == run.id && other.workload == run.workload;
          });
          if (known == runs_.end()) runs_.insert(runs_.begin(), std::move(run));
          else *known = std::move(run);
        }
        emit changed();
      },
      [](const Diagnostic&) {}, this);
}

void TuningRuns::recall_wishes() {
  const auto session = document_->session();
  if ((wishes_.empty() && !has_kept_rules(folder_)) || !session || !document_->fusion().plan())
    return;
  using Kernels = std::map<std::string, std::string>;
  document_->jobs().run<Kernels>(
      lanes::tuned_kernels, tr("Reading what is wished of kernels"),
      [session](const JobContext&) -> Result<Kernels> {
        Kernels kernels;
        for (const tune::Task& task : TRY(all_tasks(*session, 1)))
          kernels.emplace(tune::workload_of(task), task.kernel);
        return kernels;
      },
      [this](const Kernels& kernels) {
        wishes_.name_kernels(kernels);
        emit changed();
      },
      [](const Diagnostic&) {}, this);
}

Result<void> TuningRuns::save_records(const std::filesystem::path& file,
                                      const std::string& workload) const {
  if (folder_.empty())
    return fail(Code::RecordsUnreadable, "trials are not kept here, and cannot be saved");
  const tune::Records records = TRY(tune::read_records(records_of(folder_, workload)));
  WholeFile whole = TRY(WholeFile::create(file));
  TRY_VOID(whole.write(to_text(records)));
  return whole.put_in_place();
}

Result<std::size_t> TuningRuns::open_records(const std::filesystem::path& file) {
  const auto task = shown_task(1);
  if (!task) return fail(Code::NothingToTune, "select the kernel whose trials are wanted");
  const tune::Records records = TRY(tune::read_records(file));
  std::set<std::string> come;
  for (ShownRun& run : recorded_runs(records, *task, most_recalled)) {
    if (is_known(run)) continue;
    come.insert(run.id);
    runs_.push_back(std::move(run));
  }
  emit changed();
  if (!come.empty()) TRY_VOID(keep_runs(come, records, *task));
  return come.size();
}

Result<void> TuningRuns::keep_runs(const std::set<std::string>& runs, const tune::Records& records,
                                   const tune::Task& task) const {
  if (folder_.empty()) return {};
  const std::string workload = tune::workload_of(task);
  std::error_code ignored;
  std::filesystem::create_directories(folder_, ignored);
  const auto kept = TRY(tune::RecordFile::open(records_of(folder_, workload)));
  TRY_VOID(kept->append_workload(workload, task.kernel, task.nest));
  for (const tune::Record& record : records.records)
    if (record.workload == workload && runs.contains(record.run))
      TRY_VOID(kept->append(to_line(record)));
  return {};
}

void TuningRuns::schedule_by_records(const std::filesystem::path& file,
                                     std::function<void(QString)> told) {
  const auto session = document_->session();
  if (!session) return;
  document_->jobs().run<RecordedSchedules>(
      lanes::tuning_records, tr("Reading records"),
      [file, session](const JobContext&) -> Result<RecordedSchedules> {
        tune::Records records = TRY(tune::read_records(file));
        return recorded_schedules(*session, std::move(records), std::string(compiler_version));
      },
      [this, told](RecordedSchedules found) {
        std::vector<SavedSchedule> schedules;
        Workloads nests;
        for (RecordedSchedules::Entry& entry : found.entries) {
          nests.emplace(entry.workload, std::move(entry.nest));
          schedules.push_back({entry.kernel, entry.workload, std::move(entry.script)});
        }
        if (!schedules.empty()) document_->set_schedules(std::move(schedules), nests);
        told(tr("%1 of %2 scheduled by these records.")
                 .arg(found.scheduled)
                 .arg(counted(found.kernels, "kernel")) +
             (found.elsewhere > 0
                  ? tr(" Of %1 there are only records of other machines or extents.")
                        .arg(counted(found.elsewhere, "kernel"))
                  : QString()));
      },
      [told](const Diagnostic& problem) { told(text(problem.what)); }, this);
}

const ShownRun* TuningRuns::at_work() const {
  if (!mailbox_) return nullptr;
  const auto run = std::ranges::find_if(runs_.rbegin(), runs_.rend(), [&](const ShownRun& each) {
    return each.together == together_ && !each.trials.empty() && !each.is_over();
  });
  return run == runs_.rend() ? nullptr : &*run;
}

std::vector<const ShownRun*> TuningRuns::last_network() const {
  std::vector<const ShownRun*> kernels;
  for (const ShownRun& run : runs_)
    if (run.together == together_ && together_ > 0) kernels.push_back(&run);
  if (kernels.size() < 2) kernels.clear();
  return kernels;
}

std::size_t TuningRuns::use_best_of_all() {
  std::vector<SavedSchedule> schedules;
  Workloads nests;
  for (const ShownRun* run : last_network()) {
    const ShownTrial* best = run->best_trial();
    if (!best || best->number == 0 || best->script.empty()) continue;
    nests.emplace(run->workload, run->nest);
    schedules.push_back({run->kernel, run->workload, best->script});
  }
  const std::size_t count = schedules.size();
  if (count > 0) document_->set_schedules(std::move(schedules), nests);
  return count;
}

int TuningRuns::last_of(const std::string& workload) const {
  int run = static_cast<int>(runs_.size()) - 1;
  while (run >= 0 && runs_[static_cast<std::size_t>(run)].workload != workload) --run;
  return run;
}

}  // namespace loopglass::views
