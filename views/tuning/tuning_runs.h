// Runs of the tuner, as the window follows them: each tunes one kernel, in workers, and tells of
// every trial. One at a time; those before it stay to be compared with.
#pragma once

#include "core/tune/tuning.h"
#include "views/document/document.h"

#include <QObject>
#include <QTimer>

#include <memory>
#include <optional>
#include <vector>

namespace loopglass::views {

// A trial as it is shown.
struct ShownTrial {
  int number = 0;                     // 0: the default schedule
  double ms = 0;                      // NaN: it failed
  std::optional<double> in_turns_ms;  // measured once more at the end
  std::optional<double> predicted;    // the model's score before
  bool left_early = false;
  bool same_code = false;   // as an earlier trial's, whose time this is
  bool is_refused = false;  // it is not legal, and was not measured
  std::vector<int> parents;
  std::string how, words, script;
  std::string failure, reason;  // its class, and a sentence

  double best_known_ms() const { return in_turns_ms.value_or(ms); }
};

enum class RunState : std::uint8_t { Working, Paused, Finishing, Done, Stopped, Failed };

struct ShownRun {
  std::string kernel, workload;
  tune::TuneSettings settings;
  int threads = 1;
  double flops = 0;
  RunState state = RunState::Working;
  std::vector<ShownTrial> trials;
  int best = 0;  // a place among them
  double seconds = 0;
  double rank_correlation = 0;  // NaN: there were too few scores
  std::string problem;

  // Trials that were measured, the default schedule left out.
  std::size_t measured() const;
  const ShownTrial* best_trial() const {
    return trials.empty() ? nullptr : &trials[static_cast<std::size_t>(best)];
  }
  bool is_over() const { return state >= RunState::Done; }
};

class TuningRuns : public QObject {
  Q_OBJECT

 public:
  explicit TuningRuns(Document* document, QObject* parent = nullptr);
  ~TuningRuns() override;

  // Why nothing can be tuned now; empty: it can. Of the kernel that is shown.
  QString hindrance() const;
  void start(const tune::TuneSettings& settings, int threads);
  void pause(bool pause);
  // What was measured stays.
  void stop();
  void forget();  // all but the one that works

  const std::vector<ShownRun>& runs() const { return runs_; }
  bool is_working() const { return mailbox_ != nullptr; }

 signals:
  void changed();

 private:
  struct Mailbox;
  void drain();
  void end(RunState state, std::string problem = {});

  Document* document_;
  std::vector<ShownRun> runs_;
  std::shared_ptr<Mailbox> mailbox_;  // of the run that works; null: none
  QTimer* timer_;
};

QString title_of(const ShownRun& run);  // "construct, droplet, trees-stores"

}  // namespace loopglass::views
