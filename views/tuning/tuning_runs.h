// Runs of the tuner, as the window follows them: one at a time, of one kernel or of all of a
// network; those before it stay to be compared with, those of earlier days come from the records
// that every trial is kept in.
#pragma once

#include "views/document/document.h"
#include "views/tuning/kernel_wishes.h"
#include "views/tuning/shown_run.h"

#include <QObject>
#include <QTimer>

#include <filesystem>
#include <memory>
#include <set>
#include <vector>

namespace loopglass::views {

class TuningMailbox;

class TuningRuns : public QObject {
  Q_OBJECT

 public:
  explicit TuningRuns(Document* document, QObject* parent = nullptr);
  ~TuningRuns() override;

  // Trials are kept in this folder from here on, and those of a kernel that is shown come from it.
  void keep_in(std::filesystem::path folder);

  // Why nothing can be tuned now; empty: it can. Of the kernel that is shown.
  QString hindrance() const;
  QString hindrance_for_all() const;  // of all kernels
  // Why the run that was begun last came to nothing at all; empty: it did not.
  const std::string& problem() const { return problem_; }
  void start(const tune::TuneSettings& settings, int threads);
  // All kernels of the network; `settings.trials` of each, shared out.
  void start_all(const tune::TuneSettings& settings, int threads);
  void pause(bool pause);
  // What was measured stays.
  void stop();
  // All but those that are at work, and what is kept of them.
  void forget();
  // For another model: what is kept stays.
  void leave();

  // Runs are begun with the rules of each kernel, and take others from their next round on. What
  // keeping them said.
  const KernelWishes& wishes() const { return wishes_; }
  Result<void> steer(const std::string& workload, const std::string& kernel,
                     std::vector<tune::KnobRule> rules);
  // Has a script stand against what is found: from the next round on, where the kernel's run is at
  // work; else in one that begins with it.
  void try_script(const std::string& workload, const std::string& kernel, const std::string& script,
                  const tune::TuneSettings& settings, int threads);

  // The kept trials of a kernel, to and from files of `loopglassc tune`.
  Result<void> save_records(const std::filesystem::path& file, const std::string& workload) const;
  // How many runs of the kernel that is shown have come, which are kept from now on.
  Result<std::size_t> open_records(const std::filesystem::path& file);
  // Schedules every kernel by the fastest that a file has of it, in the background; `told`: what
  // came of it, in a sentence.
  void schedule_by_records(const std::filesystem::path& file, std::function<void(QString)> told);
  // Schedules each kernel of the last run of a network, and all that compute the same, by the best;
  // how many of its kernels.
  std::size_t use_best_of_all();

  const std::vector<ShownRun>& runs() const { return runs_; }
  // The last run of a workload, by its place; -1: there is none.
  int last_of(const std::string& workload) const;
  bool is_working() const { return mailbox_ != nullptr; }
  // The run that had a trial last, of those that are at work; null: none had one.
  const ShownRun* at_work() const;
  // The kernels of the run that was begun last, where it was of several.
  std::vector<const ShownRun*> last_network() const;

 signals:
  void changed();

 private:
  void begin(const QString& title, std::function<Result<std::vector<tune::Task>>()> tasks,
             const tune::TuneSettings& settings, std::shared_ptr<Session> network);
  // The kernel that is shown, and scripts that are tried first.
  void start_with(std::vector<std::string> own_scripts, const tune::TuneSettings& settings,
                  int threads);
  void drain();
  void end(RunState state, const std::string& problem = {});
  std::optional<tune::Task> shown_task(int threads) const;
  void recall();
  void recall_network();
  // Which of the plan's kernels have wishes that were kept.
  void recall_wishes();
  bool is_known(const ShownRun& run) const;
  Result<void> keep_runs(const std::set<std::string>& runs, const tune::Records& records,
                         const tune::Task& task) const;
  ShownRun& run_for(const ShownRun& begun);

  Document* document_;
  std::vector<ShownRun> runs_;
  KernelWishes wishes_;
  std::string problem_;
  int together_ = 0;                        // of the run that was begun last
  std::shared_ptr<TuningMailbox> mailbox_;  // of the run that works; null: none
  std::filesystem::path folder_;            // empty: nothing is kept
  std::set<std::string> recalled_;          // workloads
  bool is_network_recalled_ = false;
  QTimer* timer_;
};

}  // namespace loopglass::views
