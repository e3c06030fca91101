// What tuning does on its own thread, and the mailbox by which the window and it speak.
#pragma once

#include "core/session.h"
#include "core/tune/network_tuning.h"
#include "views/jobs.h"
#include "views/tuning/shown_run.h"

#include <condition_variable>
#include <filesystem>
#include <functional>
#include <mutex>

namespace loopglass::views {

class TuningMailbox {
 public:
  // Something to be done to the run of a workload, which is made of `begun` where it is not there.
  struct News {
    std::shared_ptr<const ShownRun> begun;
    std::function<void(ShownRun&)> tell;
  };
  // For the working thread.
  void send(std::shared_ptr<const ShownRun> run, std::function<void(ShownRun&)> tell);
  // For how long it was, in milliseconds.
  double wait_while_paused(const Cancellation& cancellation);
  struct Wishes {
    std::optional<std::vector<tune::KnobRule>> rules;
    std::vector<std::string> scripts;
  };
  Wishes take_wishes(const std::string& workload);

  // For the window.
  std::vector<News> take_news();
  void pause(bool is_paused);
  bool is_paused();
  void wish_rules(const std::string& workload, std::vector<tune::KnobRule> rules);
  void wish_script(const std::string& workload, std::string script);

 private:
  std::mutex mutex_;
  std::condition_variable goes_on_;
  bool is_paused_ = false;
  std::vector<News> news_;
  std::map<std::string, Wishes> wishes_;
};

struct TuningOrder {
  std::vector<tune::Task> tasks;
  tune::TuneSettings settings;
  measure::Program program;
  // Whose kernels these are, where they are all of a network: it runs without and with what was
  // found, at the end. Null: it does not.
  std::shared_ptr<Session> network = nullptr;
  std::filesystem::path records;  // a folder, of a file for each workload; empty: nothing is kept
  int together = 0;               // ShownRun::together
};

Result<bool> tune_in_background(const TuningOrder& order, TuningMailbox& mailbox,
                                const JobContext& context);

// Where the trials of a workload are kept.
std::filesystem::path records_of(const std::filesystem::path& folder, const std::string& workload);

}  // namespace loopglass::views
